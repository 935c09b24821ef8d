package sedd

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

func TestIsPermutation(t *testing.T) {
	for _, c := range []struct {
		x    []int32
		want bool
	}{
		{nil, true},
		{[]int32{0}, true},
		{[]int32{2, 0, 1}, true},
		{[]int32{1}, false},
		{[]int32{-1}, false},
		{[]int32{0, 0}, false},
		{[]int32{0, 2}, false},
		{[]int32{0, 1, 1 << 30}, false},
	} {
		if got := IsPermutation(c.x); got != c.want {
			t.Errorf("%v: %v", c.x, got)
		}
	}
}

// Of the 27 sequences of three of three objects, 3! are permutations.
func TestSharesOfAllSequences(t *testing.T) {
	s := Samples{Tokens: words(3, 3)}
	if s.Permutations() != 6 {
		t.Errorf("%d permutations, wanted 6", s.Permutations())
	}
	near.Equal(t, "share", s.Share(), 6./27, 1e-15)
	var want []perm.Order
	for o := range perm.All(3) {
		want = append(want, o)
	}
	if got := s.Orders(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("orders %v, wanted %v", got, want)
	}
	near.Equal(t, "share of none", Samples{}.Share(), 0, 0)
}

// Permutations are found as such, and any one repeated object is noticed.
func TestOneRepeatIsNoticed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		x := make([]int32, n)
		for i, v := range rapid.Permutation(perm.Identity(n)).Draw(t, "order") {
			x[i] = int32(v)
		}
		if !IsPermutation(x) {
			t.Fatalf("%v is one", x)
		}
		i := rapid.IntRange(0, n-1).Draw(t, "i")
		x[i] = x[(i+rapid.IntRange(1, n-1).Draw(t, "offset"))%n]
		if IsPermutation(x) {
			t.Fatalf("%v is none", x)
		}
	})
}
