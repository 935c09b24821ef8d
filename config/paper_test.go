package config

import "testing"

// Each figure of the paper is that of one measure; the tau that it gives is that of lists.
func TestPaperFigure(t *testing.T) {
	one, two := 1.0, 2.0
	p := &Paper{Table: "x", KendallTau: &one, Gap: &two}
	for key, want := range map[string]*float64{"kendall_tau_lists": &one, "kendall_tau": nil, "tour.gap": &two, "exact": nil, "": nil, "table": nil} {
		if got := p.Figure(key); got != want {
			t.Errorf("%q: %v, wanted %v", key, got, want)
		}
	}
	if (*Paper)(nil).Figure("exact") != nil {
		t.Error("no paper has a figure")
	}
	if !InPaper("exact") || InPaper("kendall_tau") {
		t.Error("wanted exact among the paper's measures, and no tau of ranks")
	}
}
