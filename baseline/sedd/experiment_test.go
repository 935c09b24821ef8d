package sedd

import "testing"

// The paper's own comparisons: SEDD's accuracy falls as n grows, and a network of seven
// layers of width 512 has 7·(4·512² + 2·512·2048) = 22 million weights in its layers,
// which with embeddings and time fits "about 25M".
func TestExperiments(t *testing.T) {
	all := Experiments()
	if len(all) != 3 {
		t.Fatalf("%d experiments, wanted the table's 3", len(all))
	}
	for i, e := range all[1:] {
		if e.Accuracy >= all[i].Accuracy || e.Correct < e.Accuracy {
			t.Errorf("%+v after %+v", e, all[i])
		}
	}
	w := PaperNetwork
	if weights := w.Layers * (4*w.Dim*w.Dim + 2*w.Dim*w.FeedForward); weights < 20e6 || weights > 25e6 || w.Dim%w.Heads != 0 {
		t.Errorf("%+v has %d weights in its layers", w, weights)
	}
}
