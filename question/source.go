package question

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/riffle-ml/riffle/dataset"
)

// Source is the sets of an input one after the other. Sets that are answered already are left out.
// Those without an id are called by their number, from 1.
type Source struct {
	Name  string
	First *dataset.Set // read when the source was made; nil where all are answered
	Count int          // of sets so far
	Ranks int          // of those that give "rank"

	next func() (*dataset.Set, error, bool)
	stop func()
	skip map[string]bool
}

// NewSource reads the first set; the source must be stopped.
func NewSource(name string, sets iter.Seq2[*dataset.Set, error], skip map[string]bool) (*Source, error) {
	s := &Source{Name: name, skip: skip}
	s.next, s.stop = iter.Pull2(sets)
	var err error
	if s.First, err = s.read(); errors.Is(err, io.EOF) {
		err = nil
		if s.Count == 0 {
			err = fmt.Errorf("%s: has no sets", name)
		}
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Stop ends the reading.
func (s *Source) Stop() { s.stop() }

// Single reports whether the first set is the only one. It reads on, so that a further set is lost.
func (s *Source) Single() (bool, error) {
	_, err := s.read()
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// read returns the next set that is not answered, and io.EOF after the last.
func (s *Source) read() (*dataset.Set, error) {
	for {
		set, err, ok := s.next()
		if !ok {
			return nil, io.EOF
		}
		if err != nil {
			return nil, err
		}
		if s.Count++; set.ID == "" {
			called := *set
			called.ID = strconv.Itoa(s.Count)
			set = &called
		}
		if s.skip[set.ID] {
			continue
		}
		if set.OrderGiven == "rank" {
			s.Ranks++
		}
		return set, nil
	}
}

// All yields the sets, the first as well, and then stops.
func (s *Source) All(yield func(*dataset.Set, error) bool) {
	defer s.Stop()
	for set, err := s.First, error(nil); set != nil || err != nil; set, err = s.read() {
		if errors.Is(err, io.EOF) || !yield(set, err) || err != nil {
			return
		}
	}
}
