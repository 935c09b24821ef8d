package perm_test

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

func TestLehmerByHand(t *testing.T) {
	o := perm.Order{2, 0, 3, 1}
	if got, want := o.Lehmer(), []int{2, 0, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("Lehmer(%v) = %v, wanted %v", o, got, want)
	}
	if got := o.Index(); got.Cmp(big.NewInt(2*6+1)) != 0 { // 2·3! + 0·2! + 1·1!
		t.Errorf("Index(%v) = %v, wanted 13", o, got)
	}
}

func TestIndexFollowsAll(t *testing.T) {
	for n := range 7 {
		var k uint64
		for o := range perm.All(n) {
			if got, err := o.Index64(); err != nil || got != k {
				t.Fatalf("Index64(%v) = %d, %v, wanted %d", o, got, err, k)
			}
			if got := o.Index(); !got.IsUint64() || got.Uint64() != k {
				t.Fatalf("Index(%v) = %v, wanted %d", o, got, k)
			}
			if got, err := perm.AtIndex64(n, k); err != nil || !slices.Equal(got, o) {
				t.Fatalf("AtIndex64(%d, %d) = %v, %v, wanted %v", n, k, got, err, o)
			}
			if got, err := perm.AtIndex(n, new(big.Int).SetUint64(k)); err != nil || !slices.Equal(got, o) {
				t.Fatalf("AtIndex(%d, %d) = %v, %v, wanted %v", n, k, got, err, o)
			}
			k++
		}
		if _, err := perm.AtIndex64(n, k); err == nil {
			t.Errorf("AtIndex64(%d, %d) accepts the index n!", n, k)
		}
		if _, err := perm.AtIndex(n, new(big.Int).SetUint64(k)); err == nil {
			t.Errorf("AtIndex(%d, %d) accepts the index n!", n, k)
		}
	}
}

func TestIndexRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrder(t, 60, "o")
		back, err := perm.AtIndex(len(o), o.Index())
		if err != nil || !slices.Equal(back, o) {
			t.Fatalf("AtIndex(Index) = %v, %v, wanted %v", back, err, o)
		}
		back, err = perm.FromLehmer(o.Lehmer())
		if err != nil || !slices.Equal(back, o) {
			t.Fatalf("FromLehmer(Lehmer) = %v, %v, wanted %v", back, err, o)
		}
		if len(o) > perm.MaxIndex64 {
			if k, err := o.Index64(); err == nil {
				t.Fatalf("Index64 of %d items = %d, wanted an error", len(o), k)
			}
			return
		}
		k, err := o.Index64()
		if err != nil || o.Index().Cmp(new(big.Int).SetUint64(k)) != 0 {
			t.Fatalf("Index64 = %d, %v, Index = %v", k, err, o.Index())
		}
		back, err = perm.AtIndex64(len(o), k)
		if err != nil || !slices.Equal(back, o) {
			t.Fatalf("AtIndex64(Index64) = %v, %v, wanted %v", back, err, o)
		}
	})
}

func TestLastIndexOfTwenty(t *testing.T) {
	o := perm.Identity(20)
	slices.Reverse(o)
	got, err := o.Index64()
	if want := uint64(2432902008176640000 - 1); err != nil || got != want { // 20! − 1
		t.Errorf("Index64 = %d, %v, wanted %d", got, err, want)
	}
}

func TestIndexErrors(t *testing.T) {
	if _, err := perm.FromLehmer([]int{0, 2, 0}); err == nil || err.Error() != "lehmer code: entry 1 is 2, wanted 0 to 1" {
		t.Errorf("FromLehmer: %v", err)
	}
	if _, err := perm.FromLehmer([]int{-1, 0}); err == nil {
		t.Error("FromLehmer accepts -1")
	}
	if _, err := perm.AtIndex(3, big.NewInt(-1)); err == nil {
		t.Error("AtIndex accepts index -1")
	}
	if _, err := perm.AtIndex(-1, big.NewInt(0)); err == nil {
		t.Error("AtIndex accepts length -1")
	}
	if _, err := perm.AtIndex64(21, 0); err == nil {
		t.Error("AtIndex64 accepts 21 items")
	}
}
