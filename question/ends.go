package question

import (
	"strconv"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/tsp"
)

// Ends say where a tour or a path of cities begins and ends, by the file's numbers, "" for any.
type Ends struct {
	Open       bool // a path, which does not go back to its first city
	Start, End string
}

// Check refuses ends that no tour or path can have.
func (e Ends) Check() error {
	open, start, end := learn.Opt("open"), learn.Opt("start"), learn.Opt("end")
	switch {
	case e.End != "" && !e.Open:
		return learn.Refuse(learn.Usage, "end", "%s is for %s: a closed tour has no end", end, open)
	case e.Open && e.Start != "" && e.Start == e.End:
		return learn.Refuse(learn.Usage, "start", "%s and %s are both %s: without %s a tour goes back to where it began", start, end, e.Start, open)
	}
	for option, city := range map[string]string{"start": e.Start, "end": e.End} {
		if k, err := strconv.Atoi(city); city != "" && (err != nil || k < 1) {
			return learn.Refuse(learn.Usage, option, "%s: wanted the number of a city, from 1 (got %q)", learn.Opt(option), city)
		}
	}
	return nil
}

// Of are the ends in an instance of n cities.
func (e Ends) Of(n int) (tsp.Ends, error) {
	ends := tsp.Free
	for _, x := range []struct {
		option, city string
		to           *int
	}{{"start", e.Start, &ends.Start}, {"end", e.End, &ends.End}} {
		if x.city == "" {
			continue
		}
		k, err := strconv.Atoi(x.city)
		if err != nil || k < 1 || k > n {
			return ends, learn.Refuse(learn.Unfit, x.option, "%s: city %q: wanted 1 to %d", learn.Opt(x.option), x.city, n)
		}
		*x.to = k - 1
	}
	return ends, ends.Check(n)
}
