package diffusion

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

func riffleGPL(steps ...int) *Process {
	return &Process{Forward: shuffle.Riffle{}, Reverse: reverse.GeneralizedPlackettLuce{}, Steps: steps}
}

// The reverse step that a row of States describes must lead from its state to the one before.
func TestFillLeadsBack(t *testing.T) {
	const n = 7
	for _, p := range []*Process{
		riffleGPL(0, 2, 3, 6),
		{Forward: shuffle.Transposition{}, Reverse: reverse.InverseTransposition{}, Steps: Every(5)},
		{Forward: shuffle.Insertion{}, Reverse: reverse.InverseInsertion{}, Steps: Every(5)},
		{Forward: shuffle.Riffle{}, Reverse: reverse.InverseRiffle{}, Steps: Every(3)},
	} {
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		o := Objective{Trajectories: 2}
		s := NewStates(1, o.PerSet(p), n)
		clean := perm.Random(rng, n)
		o.Fill(s, p, rng, 0, clean)
		k := p.NumSteps()
		for row := range s.PerSet {
			present, rank := make(perm.Order, n), make(perm.Rank, n)
			for j := range n {
				present[j], rank[j] = int(s.Arrangement[row*n+j]), int(s.Rank[row*n+j])
			}
			before := perm.Compose(rank.Order(), present) // σ'·X_t
			want := clean
			if row%k > 0 {
				want = make(perm.Order, n)
				for j := range n {
					want[j] = int(s.Arrangement[(row-1)*n+j])
				}
			}
			if !slices.Equal(before, want) {
				t.Errorf("%s row %d: σ'·X_t = %v, want %v", p.Reverse.Name(), row, before, want)
			}
			if int(s.Time[row]) != p.Steps[1+row%k] || s.Weight[row] != 1 {
				t.Errorf("%s row %d: time %d, weight %g", p.Reverse.Name(), row, s.Time[row], s.Weight[row])
			}
		}
	}
}

func TestRandomStepDrawsEveryStep(t *testing.T) {
	p := riffleGPL(0, 2, 3, 6)
	o := Objective{Trajectories: 300, RandomStep: true}
	s := NewStates(1, o.PerSet(p), 4)
	o.Fill(s, p, rand.New(rand.NewPCG(3, 4)), 0, perm.Identity(4))
	count := map[int32]int{}
	for _, x := range s.Time {
		count[x]++
	}
	for _, step := range p.Steps[1:] {
		if c := count[int32(step)]; c < 60 || c > 140 { // 100 expected, σ = 8.2
			t.Errorf("t = %d drawn %d times of 300, want about 100", step, c)
		}
	}
}

func TestProcessValidate(t *testing.T) {
	irs := &Process{Forward: shuffle.Riffle{}, Reverse: reverse.InverseRiffle{}, Steps: []int{0, 2, 7}}
	wrong := &Process{Forward: shuffle.Riffle{}, Reverse: reverse.InverseInsertion{}, Steps: Every(3)}
	if err, want := wrong.Validate(), "Reverse: ii cannot undo one riffle, wanted one of gpl, path, cgpl, pl, irs"; err == nil || err.Error() != want {
		t.Errorf("got %v, wanted %s", err, want)
	}
	// A card put elsewhere leaves two rising sequences: an insertion is a riffle of few orders.
	for forward, want := range map[shuffle.Law]string{shuffle.Riffle{}: "gpl path cgpl pl irs", shuffle.Transposition{}: "gpl path cgpl pl it", shuffle.Insertion{}: "gpl path cgpl pl irs ii"} {
		var got []string
		for _, law := range reverse.Laws() {
			if (&Process{Forward: forward, Reverse: law, Steps: Every(3)}).Validate() == nil {
				got = append(got, law.Name())
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("one %s is undone by %s, wanted %s", forward.Name(), s, want)
		}
	}
	for name, p := range map[string]*Process{"no zero": riffleGPL(1, 2), "falling": riffleGPL(0, 3, 3), "empty": riffleGPL(), "merged irs": irs} {
		if p.Validate() == nil {
			t.Errorf("%s: %v accepted", name, p.Steps)
		}
	}
}
