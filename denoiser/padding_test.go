package denoiser

import "testing"

func TestPaddedSize(t *testing.T) {
	for _, x := range []struct{ n, most, want int }{
		{1, 100, 2},
		{2, 100, 2},
		{3, 100, 3},
		{4, 100, 4},
		{5, 100, 6},
		{7, 100, 8},
		{9, 100, 12},
		{13, 100, 16},
		{17, 100, 24},
		{25, 100, 32},
		{33, 100, 48},
		{49, 100, 64},
		{65, 100, 96},
		{97, 100, 100}, // not beyond the largest
		{9, 9, 9},
		{5, 9, 6},
		{10, 9, 12},
		{101, 100, 128},
	} {
		if got := PaddedSize(x.n, x.most); got != x.want {
			t.Errorf("sets of %d, the largest %d: padded to %d, wanted %d", x.n, x.most, got, x.want)
		}
	}
	shapes := map[int]bool{}
	for n := 2; n <= 200; n++ {
		got := PaddedSize(n, 200)
		if shapes[got] = true; got < n || 2*got > 3*n {
			t.Errorf("sets of %d are padded to %d, which is less or more than half more", n, got)
		}
	}
	if len(shapes) != 15 {
		t.Errorf("%d shapes of up to 200, wanted 15", len(shapes))
	}
}
