package constraint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// Plan is a set of rules without contradiction about orders of n items, ready for walks. It
// is not changed by them: any number of walks may go on at once.
type Plan struct {
	n      int
	rules  Rules
	lo, hi []int          // the window of each item, first and last position
	holes  []map[int]bool // positions within the window that an item may not have; nil where none
	cans   bitset         // where there are holes, the positions that each item may have, in as many words each
	after  [][]int        // the items that rules have after an item
	ahead  [][]int        // and before it
	byEnd  []int          // the items by the ends of their windows
	// holey is whether there are holes, searched whether there are precedences too, so that only a
	// search decides.
	holey, searched bool
	// match is an order that keeps windows and holes, and precedences too but where there are
	// holes; whole is one that obeys all.
	match, whole perm.Order
}

// N is the number of items.
func (p *Plan) N() int { return p.n }

// Check is [Rules.Check] of the plan's rules.
func (p *Plan) Check(o perm.Order) error { return p.rules.Check(o) }

// Compile prepares walks through the orders of n items that obey. Its error says which rules are
// not about n items, or contradict each other. Contradictions are one item at two positions, two
// items at one, and a cycle of items each before the next. So are an item left without a position,
// and more items than positions that they can have. Where precedences meet forbidden positions it
// may only know that no order obeys, or not know: see the package.
func (s Rules) Compile(n int) (*Plan, error) { return s.CompileContext(context.Background(), n) }

// CompileContext is [Rules.Compile] that ends with the error of ctx once that has ended.
func (s Rules) CompileContext(ctx context.Context, n int) (*Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fmt.Errorf("constraints: wanted 0 items or more (got %d)", n)
	}
	if err := s.validate(n); err != nil {
		return nil, err
	}
	p := &Plan{n: n, rules: s, lo: make([]int, n), hi: make([]int, n), holes: make([]map[int]bool, n), after: make([][]int, n), ahead: make([][]int, n)}
	for k := range p.hi {
		p.hi[k] = n - 1
	}
	if err := p.pin(); err != nil {
		return nil, err
	}
	for _, f := range s.Firsts {
		for _, k := range f.Items {
			p.hi[k] = min(p.hi[k], f.Count-1)
		}
	}
	for _, f := range s.Forbids {
		if p.holes[f.Item] == nil {
			p.holes[f.Item] = map[int]bool{}
		}
		p.holes[f.Item][f.Position] = true
	}
	for _, b := range s.Befores {
		p.after[b.A] = append(p.after[b.A], b.B)
	}
	for a, list := range p.after { // a rule may be there twice
		slices.Sort(list)
		p.after[a] = slices.Compact(list)
		for _, b := range p.after[a] {
			p.ahead[b] = append(p.ahead[b], a)
		}
	}
	sorted, err := p.topological()
	if err != nil {
		return nil, err
	}
	if err := p.narrow(sorted); err != nil {
		return nil, err
	}
	if p.match, err = p.earliestDeadline(); err != nil {
		return nil, err
	}
	p.whole = p.match
	if !p.holey {
		return p, nil
	}
	if err := p.matching(); err != nil {
		return nil, err
	}
	p.whole = p.match
	if len(s.Befores) == 0 {
		return p, nil
	}
	p.searched = true
	p.byEnd = make([]int, n)
	for k := range p.byEnd {
		p.byEnd[k] = k
	}
	slices.SortStableFunc(p.byEnd, func(a, b int) int { return p.hi[a] - p.hi[b] })
	r := newRoom(p)
	r.ctx = ctx
	found, decided, err := r.search(p, SearchLimit)
	whole := found.order()
	switch {
	case err != nil:
		return nil, err
	case whole == nil && decided:
		return nil, errors.New("constraints: no order obeys all of them: the items before others and the forbidden positions contradict each other")
	case whole == nil:
		return nil, hint.Errorf("fewer forbidden positions together with items before others", "constraints: found neither an order that obeys nor a contradiction in %d steps", SearchLimit)
	}
	p.whole = whole
	return p, nil
}

// pin makes the windows of pinned items one position wide.
func (p *Plan) pin() error {
	at := map[int]int{} // position → item
	for _, pin := range p.rules.Pins {
		if p.lo[pin.Item] > 0 || p.hi[pin.Item] < p.n-1 { // or n = 1: there is one position
			if p.lo[pin.Item] != pin.Position {
				return fmt.Errorf("constraints: item %s is pinned at positions %d and %d", p.rules.name(pin.Item), p.lo[pin.Item], pin.Position)
			}
		}
		if other, taken := at[pin.Position]; taken && other != pin.Item {
			return fmt.Errorf("constraints: items %s and %s are both pinned at position %d", p.rules.name(other), p.rules.name(pin.Item), pin.Position)
		}
		at[pin.Position] = pin.Item
		p.lo[pin.Item], p.hi[pin.Item] = pin.Position, pin.Position
	}
	return nil
}

// waiting counts the items before each.
func (p *Plan) waiting() []int {
	out := make([]int, p.n)
	for k, list := range p.ahead {
		out[k] = len(list)
	}
	return out
}

// topological lists the items so that each stands before those after it.
func (p *Plan) topological() ([]int, error) {
	waiting := p.waiting()
	var sorted []int
	for k, w := range waiting {
		if w == 0 {
			sorted = append(sorted, k)
		}
	}
	for i := 0; i < len(sorted); i++ {
		for _, b := range p.after[sorted[i]] {
			if waiting[b]--; waiting[b] == 0 {
				sorted = append(sorted, b)
			}
		}
	}
	if len(sorted) == p.n {
		return sorted, nil
	}
	// Every item left has one before it that is left too: going back comes round.
	previous := make([]int, p.n)
	for a, list := range p.after {
		if waiting[a] > 0 {
			for _, b := range list {
				previous[b] = a
			}
		}
	}
	k := slices.IndexFunc(waiting, func(w int) bool { return w > 0 })
	step := map[int]int{}
	var way []int
	for {
		if first, seen := step[k]; seen {
			cycle := p.rules.name(k)
			for _, a := range slices.Backward(way[first:]) {
				cycle += " before " + p.rules.name(a)
			}
			return nil, fmt.Errorf("constraints: a cycle: item %s", cycle)
		}
		step[k] = len(way)
		way = append(way, k)
		k = previous[k]
	}
}

// narrow folds precedences and holes at their ends into the windows.
func (p *Plan) narrow(sorted []int) error {
	for _, a := range sorted {
		for p.holes[a][p.lo[a]] {
			p.lo[a]++
		}
		for _, b := range p.after[a] {
			p.lo[b] = max(p.lo[b], p.lo[a]+1)
		}
	}
	for i := len(sorted) - 1; i >= 0; i-- {
		a := sorted[i]
		for _, b := range p.after[a] {
			p.hi[a] = min(p.hi[a], p.hi[b]-1)
		}
		for p.hi[a] >= 0 && p.holes[a][p.hi[a]] {
			p.hi[a]--
		}
		if p.lo[a] > p.hi[a] {
			return fmt.Errorf("constraints: item %s has no position left: it is %s", p.rules.name(a), p.why(a))
		}
	}
	for k, holes := range p.holes {
		for i := range holes {
			if i < p.lo[k] || i > p.hi[k] {
				delete(holes, i)
			}
		}
		if len(holes) == 0 {
			p.holes[k] = nil
			continue
		}
		p.holey = true
	}
	if !p.holey {
		return nil
	}
	words := len(newBitset(p.n))
	p.cans = make(bitset, p.n*words)
	for k, holes := range p.holes {
		for i := p.lo[k]; i <= p.hi[k]; i++ {
			if !holes[i] {
				p.can(k).flip(i)
			}
		}
	}
	return nil
}

// can are the positions that item k may have, where there are holes.
func (p *Plan) can(k int) bitset {
	words := len(p.cans) / p.n
	return p.cans[k*words : (k+1)*words]
}

// why says what is asked of item a, whose window is empty while those of the items after it are
// known. It names the rules about a. Of the items before and after a it names those that leave it
// least.
func (p *Plan) why(a int) string {
	var asked []string
	for _, x := range p.rules.Pins {
		if x.Item == a {
			asked = append(asked, fmt.Sprintf("pinned at position %d", x.Position))
			break
		}
	}
	if holes := slices.Sorted(maps.Keys(p.holes[a])); len(holes) > 0 {
		asked = append(asked, "forbidden at "+short(texts(holes)))
	}
	first := p.n
	for _, f := range p.rules.Firsts {
		if slices.Contains(f.Items, a) {
			first = min(first, f.Count)
		}
	}
	if first < p.n {
		asked = append(asked, fmt.Sprintf("among the first %d", first))
	}
	before, after := -1, -1 // a is before the one and after the other
	for _, b := range p.after[a] {
		if before < 0 || p.hi[b] < p.hi[before] {
			before = b
		}
	}
	for _, b := range p.ahead[a] {
		if after < 0 || p.lo[b] > p.lo[after] {
			after = b
		}
	}
	if after >= 0 {
		asked = append(asked, fmt.Sprintf("after item %s, which is at %d or later", p.rules.name(after), p.lo[after]))
	}
	if before >= 0 {
		asked = append(asked, fmt.Sprintf("before item %s, which is at %d or earlier", p.rules.name(before), p.hi[before]))
	}
	return strings.Join(asked, ", ")
}

// allows reports whether window and holes let item k stand at position i.
func (p *Plan) allows(k, i int) bool {
	if p.holey {
		return p.can(k).has(i)
	}
	return i >= p.lo[k] && i <= p.hi[k]
}

// earliestDeadline places at each position, of the items whose window has begun, one whose
// window ends first. Windows of items before others begin and end before theirs, so that
// precedences are kept. It fails only where more items than positions are in some range.
func (p *Plan) earliestDeadline() (perm.Order, error) {
	starting := make([][]int, p.n+1)
	for k, i := range p.lo {
		starting[i] = append(starting[i], k)
	}
	open := make([][]int, p.n) // by the window's end
	first, count := p.n, 0     // no item ends before first
	o := make(perm.Order, 0, p.n)
	for i := range p.n {
		for _, k := range starting[i] {
			open[p.hi[k]] = append(open[p.hi[k]], k)
			first = min(first, p.hi[k])
			count++
		}
		if count == 0 { // too many begin later
			return nil, p.crowd(i+1, p.n-1)
		}
		for len(open[first]) == 0 {
			first++
		}
		if first < i {
			// Back to the position that went to an item of a later end. Since then all items had
			// windows that begin after it and end by then.
			from := i
			for from > 0 && p.hi[o[from-1]] <= first {
				from--
			}
			return nil, p.crowd(from, first)
		}
		last := len(open[first]) - 1
		o = append(o, open[first][last])
		open[first] = open[first][:last]
		count--
	}
	return o, nil
}

// crowd is the error where the windows of too many items are within a range of positions.
func (p *Plan) crowd(from, to int) error {
	var items []int
	for k := range p.n {
		if p.lo[k] >= from && p.hi[k] <= to {
			items = append(items, k)
		}
	}
	return fmt.Errorf("constraints: items %s can only stand at positions %d to %d: %d items, %d positions", p.rules.short(items), from, to, len(items), to-from+1)
}

// matching finds an order that keeps windows and holes, by augmenting paths from what is
// right in match.
func (p *Plan) matching() error {
	item := make([]int, p.n) // by position
	var left []int
	for i, k := range p.match {
		item[i] = k
		if !p.allows(k, i) {
			item[i] = nobody
			left = append(left, k)
		}
	}
	for _, k := range left {
		from := make([]int, p.n) // the item that reached a position first
		for i := range from {
			from[i] = nobody
		}
		queue, at := []int{k}, make([]int, p.n) // the position an item is matched to
		for i, j := range item {
			if j != nobody {
				at[j] = i
			}
		}
		free := nobody
		for h := 0; h < len(queue) && free == nobody; h++ {
			x := queue[h]
			for i := p.lo[x]; i <= p.hi[x]; i++ {
				if from[i] != nobody || p.holes[x][i] {
					continue
				}
				from[i] = x
				if item[i] == nobody {
					free = i
					break
				}
				queue = append(queue, item[i])
			}
		}
		if free == nobody { // Hall's condition fails for those that k reached
			var positions []int
			for i, x := range from {
				if x != nobody {
					positions = append(positions, i)
				}
			}
			slices.Sort(queue)
			return fmt.Errorf("constraints: items %s can only stand at positions %s: %d items, %d positions", p.rules.short(queue), short(texts(positions)), len(queue), len(positions))
		}
		for i := free; ; {
			x := from[i]
			item[i] = x
			if x == k {
				break
			}
			i = at[x]
		}
	}
	p.match = item
	return nil
}

func texts(list []int) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// short lists texts, of many the first ones.
func short(out []string) string {
	const most = 12
	if len(out) > most {
		out = append(out[:most], "…")
	}
	return strings.Join(out, ", ")
}
