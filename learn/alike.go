package learn

import (
	"fmt"

	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
)

// inIndexOrder names identical objects of a set anew in the orders that a search found. Their names make no
// difference to the network. If two of them are exchanged in all states of a way, the noise too, it is as
// probable as before. Some orders are the same but for such names. The first of these gets identical
// objects by rising index, and the others follow in lexicographic order. alike[k] is the first object that
// is identical with object k.
func inIndexOrder(beam []diffusion.Path, alike []int) {
	several := false
	for k, first := range alike {
		several = several || k != first
	}
	if !several {
		return
	}
	last := map[string]perm.Order{} // by what stands at each position, whatever it is called
	for i, p := range beam {
		found := p.Order()
		key := fmt.Sprint(perm.Act(found, alike))
		named := last[key]
		if named == nil {
			named = firstNames(found, alike)
		} else {
			named = nextNames(named, alike)
		}
		last[key] = named
		to := make([]int, len(alike)) // the new name of each object
		for at, k := range found {
			to[k] = named[at]
		}
		states := make([]perm.Order, len(p.States))
		for s, state := range p.States {
			states[s] = make(perm.Order, len(state))
			for at, k := range state {
				states[s][at] = to[k]
			}
		}
		beam[i].States = states
	}
}

// firstNames is o with identical objects by rising index.
func firstNames(o perm.Order, alike []int) perm.Order {
	out := make(perm.Order, len(o))
	next := map[int]int{} // of each kind, where to look for its next object
	for at, k := range o {
		kind := alike[k]
		j, seen := next[kind]
		if !seen {
			j = kind
		}
		for alike[j] != kind {
			j++
		}
		out[at], next[kind] = j, j+1
	}
	return out
}

// nextNames is the next order in lexicographic order that is o but for the names of identical
// objects. After the last it is the first.
func nextNames(o perm.Order, alike []int) perm.Order {
	out := append(perm.Order(nil), o...)
	for i := len(out) - 1; i >= 0; i-- {
		swap := -1
		for j := i + 1; j < len(out); j++ {
			if alike[out[j]] == alike[out[i]] && out[j] > out[i] && (swap < 0 || out[j] < out[swap]) {
				swap = j
			}
		}
		if swap < 0 {
			continue
		}
		out[i], out[swap] = out[swap], out[i]
		for a := i + 1; a < len(out); a++ { // what follows begins anew
			for b := a + 1; b < len(out); b++ {
				if alike[out[a]] == alike[out[b]] && out[b] < out[a] {
					out[a], out[b] = out[b], out[a]
				}
			}
		}
		return out
	}
	return firstNames(o, alike)
}
