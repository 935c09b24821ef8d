package plot

import (
	"math/big"
	"strings"
	"testing"
)

// riffleTV is the exact total variation between t and u riffle shuffles of n
// cards, by Bayer & Diaconis 1992: an order with r rising sequences has
// probability C(n+2^t−r, n)/2^(tn), and A(n, r) orders have them. u = 0 stands for
// the uniform distribution.
func riffleTV(n, t, u int) float64 {
	eulerian := []*big.Int{big.NewInt(0), big.NewInt(1)} // by r from 1
	for m := 2; m <= n; m++ {
		next := make([]*big.Int, m+1)
		next[0] = big.NewInt(0)
		for r := 1; r <= m; r++ {
			v := new(big.Int)
			if r < m {
				v.Mul(big.NewInt(int64(r)), eulerian[r])
			}
			next[r] = v.Add(v, new(big.Int).Mul(big.NewInt(int64(m-r+1)), eulerian[r-1]))
		}
		eulerian = next
	}
	prob := func(t, r int) *big.Rat {
		if t == 0 {
			return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).MulRange(1, int64(n)))
		}
		a := int64(1) << t
		if a < int64(r) {
			return new(big.Rat)
		}
		return new(big.Rat).SetFrac(new(big.Int).Binomial(int64(n)+a-int64(r), int64(n)), new(big.Int).Lsh(big.NewInt(1), uint(t*n)))
	}
	sum := new(big.Rat)
	for r := 1; r <= n; r++ {
		d := new(big.Rat).Sub(prob(t, r), prob(u, r))
		sum.Add(sum, d.Abs(d).Mul(d, new(big.Rat).SetInt(eulerian[r])))
	}
	v, _ := sum.Mul(sum, big.NewRat(1, 2)).Float64()
	return v
}

// riffleFigure is the figure for n cards and T shuffles.
func riffleFigure(n, T int, steps []int) TVFigure {
	f := TVFigure{N: n, T: T, TVUniform: []float64{1}, Steps: steps}
	for t := 1; t <= T+3; t++ {
		f.TVUniform = append(f.TVUniform, riffleTV(n, t, 0))
	}
	f.TVBetween = make([][]float64, T+1)
	for t := range f.TVBetween {
		f.TVBetween[t] = make([]float64, T+1)
		for u := t + 1; t > 0 && u <= T; u++ {
			f.TVBetween[t][u] = riffleTV(n, t, u)
		}
	}
	return f
}

func TestTVFigure(t *testing.T) {
	f := riffleFigure(100, 15, []int{0, 8, 10, 15}) // the paper's example
	img, svg := render(t, "tv-100", f)
	wantSize(t, img, 506, 250)
	wantClearMargin(t, img)
	if n := count(img, red, 2); n < 300 {
		t.Errorf("%d red pixels, wanted the dot of T and two frames", n)
	}
	// The paper's text: T = 15 by the threshold 0.005; the values of the cells
	// (8, 10) and (10, 15) from exact fractions are 0.3314 and 0.1086.
	for _, want := range []string{">T = 15 (0.0036)<", ">0.005<", ">n = 100<", ">.33<", ">.11<", "stroke-dasharray"} {
		if !strings.Contains(svg, want) {
			t.Errorf("svg lacks %q", want)
		}
	}
	// Fourteen rows t and columns t' have 14·15/2 numbered cells.
	cells := strings.Count(svg, ">.") + strings.Count(svg, ">1<") + strings.Count(svg, "&gt;.99<") + strings.Count(svg, "&lt;.01<")
	if want := 105; cells < want || cells > want+2 { // an axis has a 1 as well
		t.Errorf("%d numbered cells, wanted %d", cells, want)
	}
	if n := strings.Count(svg, "stroke:#D61F1F"); n != 2 {
		t.Errorf("%d framed cells, wanted 2: 8 to 10 and 10 to 15", n)
	}
}

func TestTVFigureSmall(t *testing.T) {
	img, _ := render(t, "tv-3", riffleFigure(3, 7, []int{0, 2, 7}))
	wantClearMargin(t, img)
	render(t, "tv-1", TVFigure{N: 1, T: 1, TVUniform: []float64{0, 0}, TVBetween: [][]float64{{0, 0}, {0, 0}}, Steps: []int{0, 1}})
}

func TestTVFigureErrors(t *testing.T) {
	good := func() TVFigure { return riffleFigure(3, 3, []int{0, 3}) }
	for want, spoil := range map[string]func(*TVFigure){
		"T is 0, wanted 1 to 6":             func(f *TVFigure) { f.T = 0 },
		"T is 7, wanted 1 to 6":             func(f *TVFigure) { f.T = 7 },
		"TVUniform[2] is 1.5":               func(f *TVFigure) { f.TVUniform[2] = 1.5 },
		"TVBetween has 1 rows, wanted 3":    func(f *TVFigure) { f.TVBetween = f.TVBetween[:1] },
		"TVBetween[1] has 2 values, wanted": func(f *TVFigure) { f.TVBetween[1] = f.TVBetween[1][:2] },
		"TVBetween[1][2] is -1":             func(f *TVFigure) { f.TVBetween[1][2] = -1 },
		"Steps is [0 9], wanted":            func(f *TVFigure) { f.Steps[1] = 9 },
	} {
		f := good()
		spoil(&f)
		wantError(t, f.check(), want)
	}
}
