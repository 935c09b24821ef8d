package question

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/riffle-ml/riffle/dataset"
)

// Part is some sets of a stream, in their order, with the answers for them.
type Part[R any] struct {
	Sets    []*dataset.Set
	Answers []R
	// Warnings are those of kinds that no part before had. After many different ones there are no
	// more: each answer has its own.
	Warnings []string
}

// AskFunc asks a model about sets, as [Order.Ask], [Sample.Ask] and [Score.Ask] do.
type AskFunc[R any] func(ctx context.Context, sets []*dataset.Set) (answers []R, warnings []dataset.Warning, err error)

// Bounds on a part: sets, and numbers that their items hold.
const (
	mostSets    = 4096
	mostNumbers = 1 << 22
)

// The times that decide how large parts are. After a part that takes longer than slowPart comes a
// smaller one. A part is asked when nothing has come for as long as patience.
const (
	slowPart = 2 * time.Second
	patience = 20 * time.Millisecond
)

// Stream asks a question about sets as they come, and yields answers as soon as they are there. Its
// memory does not grow with the number of sets. At first a part has least sets, where so many have
// come. Later it has as many as a second or two is enough for. least is the batch of the question,
// 1 where it takes one set after the other. Answers are those that the question gives for all sets
// at once. Sets without an id are called by their number in the stream, from 1. At an error of
// sets, or a set that cannot be answered, those before it are answered, and then it is yielded.
//
// sets is read in a goroutine of its own, ahead of the answers. Where the stream ends early, that goroutine ends
// with its next set. The next part is asked while the last is used, so ask nothing else of the model until the
// stream ends.
func Stream[R any](ctx context.Context, sets iter.Seq2[*dataset.Set, error], least int, ask AskFunc[R]) iter.Seq2[Part[R], error] {
	return func(yield func(Part[R], error) bool) {
		ctx, stop := context.WithCancel(ctx)
		p := &parts{ctx: ctx, from: readAhead(ctx, sets), size: max(1, least), least: max(1, least)}
		answered := make(chan partOrError[R])
		go func() {
			defer close(answered)
			answer(p, ask, answered)
		}()
		defer func() {
			stop()
			for range answered { // the model is not asked any more when the stream has ended
			}
		}()
		for next := range answered {
			if !yield(next.part, next.err) {
				return
			}
		}
	}
}

type partOrError[R any] struct {
	part Part[R]
	err  error
}

// answer asks about one part after the other until all sets have come, or an error.
func answer[R any](p *parts, ask AskFunc[R], out chan<- partOrError[R]) {
	for {
		some, err := p.next()
		if len(some) > 0 {
			start := time.Now()
			answers, warnings, err := ask(p.ctx, some)
			if err != nil {
				out <- partOrError[R]{err: answerBefore(p, some, err, ask, out)}
				return
			}
			p.resize(time.Since(start), len(some))
			out <- partOrError[R]{part: Part[R]{some, answers, p.fresh(warnings)}}
		}
		if errors.Is(err, errEnd) {
			return
		}
		if err != nil {
			out <- partOrError[R]{err: err}
			return
		}
	}
}

// answerBefore answers the sets before the first of some that cannot be answered, and returns the error of that one;
// err is that of all together. So what is answered does not depend on how a stream is cut.
func answerBefore[R any](p *parts, some []*dataset.Set, err error, ask AskFunc[R], out chan<- partOrError[R]) error {
	for len(some) > 1 && p.ctx.Err() == nil {
		half := some[:len(some)/2]
		answers, warnings, halfErr := ask(p.ctx, half)
		if halfErr != nil {
			some, err = half, halfErr
			continue
		}
		out <- partOrError[R]{part: Part[R]{half, answers, p.fresh(warnings)}}
		some = some[len(half):]
	}
	return err
}

// errEnd says that all sets have come.
var errEnd = errors.New("end of the stream")

// parts cuts a stream.
type parts struct {
	ctx         context.Context
	from        <-chan setOrError
	size, least int
	number      int             // of sets so far
	said        map[string]bool // kinds of warnings
}

type setOrError struct {
	set *dataset.Set
	err error
}

// readAhead reads sets while others are asked about.
func readAhead(ctx context.Context, sets iter.Seq2[*dataset.Set, error]) <-chan setOrError {
	out := make(chan setOrError, 64)
	go func() {
		defer close(out)
		for s, err := range sets {
			select {
			case out <- setOrError{s, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// next returns the sets of the next part. With an error it is the last one.
func (p *parts) next() (some []*dataset.Set, err error) {
	numbers := 0
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for len(some) < p.size && numbers < mostNumbers {
		if len(some) > 0 {
			timer.Reset(patience)
		}
		select {
		case <-p.ctx.Done():
			return nil, p.ctx.Err()
		case <-timer.C:
			if len(some) > 0 {
				return some, nil
			}
			timer.Reset(time.Hour)
		case next, more := <-p.from:
			switch {
			case !more:
				return some, errEnd
			case next.err != nil:
				return some, next.err
			}
			s := next.set
			if p.number++; s.ID == "" {
				called := *s
				called.ID = strconv.Itoa(p.number)
				s = &called
			}
			some = append(some, s)
			numbers += len(s.Items)
			if len(s.Items) > 0 {
				numbers += len(s.Items) * len(s.Items[0].Features)
			}
		}
	}
	return some, nil
}

// resize has parts grow until one takes long.
func (p *parts) resize(took time.Duration, sets int) {
	switch {
	case took > slowPart:
		p.size = max(p.least, p.size/2)
	case took < slowPart/4 && sets == p.size:
		p.size = min(max(mostSets/p.least*p.least, p.least), 2*p.size)
	}
}

// mostSaid bounds the kinds of warnings that a stream remembers.
const mostSaid = 20

// fresh returns the texts of warnings of other kinds than those of parts before. Of its own part it
// returns all.
func (p *parts) fresh(warnings []dataset.Warning) (out []string) {
	if p.said == nil {
		p.said = map[string]bool{}
	}
	before := len(p.said)
	said := map[string]bool{}
	for _, w := range warnings {
		if p.said[w.Kind] || before+len(said) > mostSaid {
			continue
		}
		text := w.Text
		if said[w.Kind] = true; before+len(said) > mostSaid {
			text = fmt.Sprintf("more than %d different warnings; each answer has its own", mostSaid)
		}
		out = append(out, text)
	}
	maps.Copy(p.said, said)
	return slices.Clip(out)
}
