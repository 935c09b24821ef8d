package evaluate

import (
	"errors"

	"github.com/riffle-ml/riffle/baseline/mallows"
	"github.com/riffle-ml/riffle/baseline/plackettluce"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// Population is a classical model of one population's orders, fitted by maximum likelihood to
// the training lists, and judged as the model is.
type Population struct {
	Name string `json:"name"`
	// LogProb is log p of what is known, in nats an item, the mean over the test lists. It is −Inf
	// where the model holds one of them impossible, and nil where the model has none.
	LogProb *learn.Nats `json:"log_prob,omitempty"`
	Note    string      `json:"note,omitempty"`
}

// priorWeight is that of the prior which stands in where there is no maximum-likelihood fit.
const priorWeight = 0.5

// populations fits the classical models to lists of the same n bare items, which notes call by
// names.
func populations(train, test []dataset.Vote, n int, names []string) []Population {
	lists := 0
	for _, v := range test {
		lists += v.Count
	}
	score := func(p Population, loglik func([]dataset.Vote) (float64, error)) Population {
		l, err := loglik(test)
		if err != nil {
			p.Note = err.Error()
			return p
		}
		l /= float64(lists * n)
		log := learn.Nats(l)
		p.LogProb = &log
		return p
	}
	pl := Population{Name: "Plackett–Luce"}
	fit, err := plackettluce.Estimate(train, n, 0)
	var parts *plackettluce.DisconnectedError
	if errors.As(err, &parts) {
		parts.Names = names
		pl.Name, pl.Note = "Plackett–Luce, prior ½", err.Error()
		fit, err = plackettluce.Estimate(train, n, priorWeight)
	}
	if err != nil {
		pl.Note = err.Error()
	} else {
		why := pl.Note
		if pl = score(pl, fit.Model.LogLikelihood); pl.LogProb != nil {
			pl.Note = why
		}
	}
	m := Population{Name: "Mallows"}
	if fit, err := mallows.Estimate(train, n); err != nil {
		m.Note = err.Error()
	} else {
		m = score(m, fit.Model.LogLikelihood)
		if m.LogProb != nil && !fit.Exact {
			m.Note = "its consensus may not be the best"
		}
	}
	return []Population{pl, m}
}

// votes are lists of bare items as votes.
func votes(sets []*dataset.Set, weights []int) []dataset.Vote {
	out := make([]dataset.Vote, len(sets))
	for i, s := range sets {
		out[i] = dataset.Vote{Levels: s.Known(), Count: weights[i]}
	}
	return out
}
