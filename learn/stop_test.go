package learn

import (
	"context"
	"errors"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// stopping is a context that is cancelled after a number of looks at it.
type stopping struct {
	context.Context
	looks int
}

func (s *stopping) Err() error {
	if s.looks--; s.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Drawing stops between batches of samples: so many would take for ever.
func TestSampleStops(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, nil)
	if _, _, err := m.Sample(&stopping{t.Context(), 4}, randomSets(1, 4), MaxDraws, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, wanted the context's error", err)
	}
}

// Scoring stops between batches of trajectories, and takes no memory for those to come.
func TestScoreStops(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, nil)
	sets := randomSets(1, 4)
	sets[0].Order = perm.Identity(4)
	if _, _, err := m.Score(&stopping{t.Context(), 4}, sets, MaxDraws, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, wanted the context's error", err)
	}
}
