package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
)

// testNetwork is a small network with running statistics, and a store with its weights and
// moments that tell them apart.
func testNetwork(t *testing.T, dim int) (*denoiser.Denoiser, *model.Store) {
	t.Helper()
	c := testConfig()
	c.Model.Encoder, c.Model.Channels, c.Model.Kernel = "cnn", []int{2}, 3
	c.Model.Dim, c.Model.Layers, c.Model.Heads, c.Model.FeedForward = dim, 1, 2, 8
	cfg, err := c.DenoiserConfig(denoiser.EncoderConfig{Height: 4, Width: 4}, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := denoiser.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 1); err != nil {
		t.Fatal(err)
	}
	return d, store
}

func addMoments(t *testing.T, d *denoiser.Denoiser, store *model.Store) {
	t.Helper()
	first, second := diffusion.Moments(d)
	for i, p := range d.Params() {
		if !p.Trainable {
			continue
		}
		for j, name := range []string{first[p.Name], second[p.Name]} {
			flat := make([]float32, p.Size())
			for k := range flat {
				flat[k] = float32(1000*i + 100*j + k)
			}
			if err := denoiser.SetParam(store, name, p.Shape, flat); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestStore(t *testing.T) {
	d, store := testNetwork(t, 4)
	weights, m, v, err := FromStore(store, d)
	if err != nil || len(weights) != len(d.Params()) || m != nil || v != nil {
		t.Fatalf("before training: %d, %d and %d tensors, %v", len(weights), len(m), len(v), err)
	}
	addMoments(t, d, store)
	weights, m, v, err = FromStore(store, d)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := diffusion.Moments(d)
	if len(m) != len(first) || len(v) != len(first) || len(first) == len(weights) {
		t.Fatalf("%d weights, %d and %d moments of %d trained arrays", len(weights), len(m), len(v), len(first))
	}
	fresh := model.NewStore()
	if err := IntoStore(fresh, d, weights, m, v); err != nil {
		t.Fatal(err)
	}
	weights2, m2, v2, err := FromStore(fresh, d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]Tensor{weights, m, v}, [][]Tensor{weights2, m2, v2}); diff != "" {
		t.Error(diff)
	}
	alone := model.NewStore()
	if err := IntoStore(alone, d, weights, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, m, _, err := FromStore(alone, d); m != nil || err != nil {
		t.Errorf("the model alone: %v, %v", m, err)
	}
	if _, _, _, err := FromStore(model.NewStore(), d); err == nil || !strings.HasSuffix(err.Error(), "has no value in the store") {
		t.Errorf("an empty store: %v", err)
	}
}

func TestIntoStoreErrors(t *testing.T) {
	d, store := testNetwork(t, 4)
	addMoments(t, d, store)
	weights, m, v, err := FromStore(store, d)
	if err != nil {
		t.Fatal(err)
	}
	const at = ": checkpoint from another configuration: "
	last := weights[len(weights)-1]
	extra := Tensor{Name: "zzz", Shape: []int{1}, Data: []float32{1}}
	wider, _ := testNetwork(t, 8)
	other := model.NewStore()
	for _, c := range []struct {
		d             *denoiser.Denoiser
		weights, m, v []Tensor
		want          string
	}{
		{d, weights[:len(weights)-1], m, v, "model.safetensors: " + last.Name + at + "wanted shape "},
		{d, append(slices.Clip(weights), extra), m, v, "model.safetensors: zzz" + at + "the network has none of this name (got shape [1])"},
		{d, weights, m[1:], v, "adam_m.safetensors: " + m[0].Name + at},
		{d, weights, m, nil, "adam_v.safetensors: " + v[0].Name + at},
		{d, weights, m, append(slices.Clip(v), extra), "adam_v.safetensors: zzz" + at},
		{wider, weights, m, v, "model.safetensors: "},
	} {
		err := IntoStore(other, c.d, c.weights, c.m, c.v)
		if !errors.Is(err, ErrOtherConfig) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	for _, p := range d.Params() {
		if denoiser.Variable(other, p.Name) != nil {
			t.Fatalf("%s was put into the store by an error", p.Name)
		}
	}
	// The linear layer after the convolution: 2 channels of 2 × 2 pixels to dim.
	err = IntoStore(other, wider, weights, nil, nil)
	if want := "wanted shape [8 8] (got [4 8], 32 values)"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
