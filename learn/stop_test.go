package learn

import (
	"context"
	"errors"
	"testing"
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
	m := newScalars(t, scalars{n: 4}, nil)
	if _, _, err := m.Sample(&stopping{t.Context(), 4}, randomSets(1, 4), 1<<40, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, wanted the context's error", err)
	}
}
