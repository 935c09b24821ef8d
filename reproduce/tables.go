// Package reproduce trains the experiments of the paper's tables, in small or in full. It writes
// the tables with the paper's figures beside those that were measured.
package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/shuffle"
)

// Table is one table of the paper.
type Table struct {
	Name   string // such as "sort"
	Title  string
	Source string // where it is in the paper
	Rows   []Row
	// Pictures are the rows whose test sets are shown on their way from noise to order.
	Pictures []string
}

// Row is one experiment: what is trained, and what the paper has for it.
type Row struct {
	Name  string // unique in its table, such as "ours-9"
	Label string
	N     int // objects a set
	// Full is the preset with the paper's own training; "" where there is none.
	Full string
	// Quick is the preset that a budget of minutes trains, changed by Set.
	Quick string
	Set   []string
	// Paper is what the paper has, nil for nothing.
	Paper *config.Paper
	// Needs says what is not at hand everywhere, "" for nothing.
	Needs string
	// Solver is a row without training: "2-opt", "exact".
	Solver string
	// Of is the row whose trained model this one decodes otherwise, as Set says; "" where a row has
	// a model of its own.
	Of string
	// From is the row whose weights a budget's training begins with: of the same table, or TABLE/ROW for one
	// that rows of several tables begin with; "" where it begins anew.
	From string
	// Repeats is the row that this one trains again with another seed; "" for a row of its own.
	Repeats string
}

// repeats are trainings of a row with the seeds 2 and 3, beside its own of seed 1.
func repeats(r Row) (rows []Row) {
	for seed := 2; seed <= 3; seed++ {
		again := r
		again.Name, again.Label = fmt.Sprintf("%s-seed-%d", r.Name, seed), fmt.Sprintf("%s, seed %d", r.Label, seed)
		again.Set = append(slices.Clone(r.Set), fmt.Sprintf("seed=%d", seed))
		again.Full, again.Repeats = "", r.Name
		rows = append(rows, again)
	}
	return rows
}

// headlines are the rows that the tables repeat.
var headlines = map[string][]string{"sort": {"ours-9"}, "jigsaw": {"ours-mnist-3x3", "latent-mnist-3x3"}, "tours": {"ours-20"}}

// Tables lists the paper's tables in its order.
func Tables() []Table {
	all := []Table{jigsaw(), sorting(), transitions(), tours(), lists(), schedules()}
	for i, t := range all {
		for _, name := range headlines[t.Name] {
			of := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Name == name })
			all[i].Rows = append(all[i].Rows, repeats(t.Rows[of])...)
		}
	}
	return all
}

// Find returns the table of a name.
func Find(name string) (Table, error) {
	var names []string
	for _, t := range Tables() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Table{}, fmt.Errorf("table %q: unknown, wanted %s", name, strings.Join(names, ", "))
}

func figures(tau, exact, correct float64) *config.Paper {
	return &config.Paper{KendallTau: &tau, Exact: &exact, Correct: &correct}
}

// pictures are figures with the errors of reassembled pictures.
func pictures(tau, exact, correct, rmse, mae float64) *config.Paper {
	p := figures(tau, exact, correct)
	p.RMSE, p.MAE = &rmse, &mae
	return p
}

// noise is the schedule of one reverse step for n objects, as --set takes it.
func noise(n int) string {
	s, err := shuffle.NewSchedule(n)
	if err != nil {
		panic(err) // n is one of the tables
	}
	return fmt.Sprintf("process.schedule=[0,%d]", s.T)
}

// sizes of the sorting table with its three rows of figures: DiffSort, Error-free DiffSort,
// and the paper's model.
var sizes = []struct {
	n                     int
	diffsort, exact, ours *config.Paper
}{
	{3, figures(.930, 93.8, 95.8), figures(.974, 97.7, 98.4), figures(.976, 98.0, 98.5)},
	{5, figures(.898, 83.9, 92.9), figures(.967, 95.3, 97.7), figures(.967, 95.5, 97.6)},
	{7, figures(.864, 71.5, 90.1), figures(.962, 92.9, 97.2), figures(.959, 92.9, 96.8)},
	{9, figures(.801, 52.2, 85.2), figures(.952, 89.6, 96.3), figures(.950, 90.0, 96.1)},
	{15, figures(.638, 10.3, 82.3), figures(.938, 83.1, 95.1), figures(.932, 82.6, 94.5)},
	{32, figures(.535, 0.2, 61.8), figures(.879, 57.1, 90.1), figures(.858, 55.1, 88.3)},
	{52, figures(.341, 0, 42.8), figures(.170, 0, 24.2), figures(.786, 27.4, 82.1)},
	{100, figures(.166, 0, 23.2), figures(.140, 0, 20.1), figures(.641, 4.5, 69.3)},
	{200, figures(.107, 0, 15.3), figures(.002, 0, 0.8), figures(.453, 0.1, 52.2)},
}

// reader is the row that every quick training of the sorting tables begins with: it has learned to read
// by sorting single digits. So the rows differ in how they order, and their minutes go there.
const reader = "sort/digits-16"

// reading changes the preset of n = 9 into one with the encoder and the digits of the reader.
var reading = []string{
	"task.augment.rotate=10", "task.augment.scale=0.1", "task.augment.shift=1.5", "task.augment.elastic=1.0",
	"model.channels=[16,32,64]", "model.hidden=[128]", "model.codes=32", frozen,
}

// frozen keeps the reading as the reader has it. Trained again by orders of four digits, of which the last hardly
// count, it would read worse, and a step would take two to three times as long (docs/experiments.md).
const frozen = `train.frozen=["encoder.conv", "encoder.fc"]`

// sortSet changes the quick preset of n = 9 into one for n objects. A step has about as many numbers for
// each n, so that it costs about the same.
func sortSet(n int) []string {
	return append([]string{
		fmt.Sprintf("task.n=%d", n), noise(n), fmt.Sprintf("eval.examples=%d", tested(n)), "train.validate=0",
		fmt.Sprintf("train.batch=%d", max(1, 144/n)), fmt.Sprintf("eval.batch=%d", min(64, max(4, 2048/n))),
	}, reading...)
}

// sortedFrom is the row whose weights the one called method-n begins with: sets of more than nine
// begin with those of nine, which begin with the reader's, as smaller ones do.
func sortedFrom(method string, n int) string {
	if n <= 9 {
		return reader
	}
	return method + "-9"
}

// tested is how many test sets of n objects a quick row has. These are the paper's 10,000 where
// decoding them does not take longer than a training of minutes.
func tested(n int) int {
	if n <= 16 {
		return 10_000
	}
	return 2000
}

func sorting() Table {
	t := Table{Name: "sort", Title: "Sorting four-digit MNIST numbers", Source: "Table 2", Pictures: []string{"ours-9"}}
	// Single digits first: each of them decides an order, and so is learned sooner than the last of four.
	t.Rows = append(t.Rows, Row{
		Name: strings.TrimPrefix(reader, "sort/"), Label: "Symmetric Diffusers, direct scores, single digits", N: 16, Quick: "sort-any",
		Set: []string{"task.digits=1", "train.batch=36"},
	})
	for _, s := range sizes {
		diffusion := sortSet(s.n)
		if s.n == 200 {
			diffusion = append(diffusion, "process.reverse=pl") // as the paper does
		}
		t.Rows = append(t.Rows,
			sortBaseline("diffsort", "DiffSort", s.n, s.diffsort),
			sortBaseline("error-free-diffsort", "Error-free DiffSort", s.n, s.exact),
			Row{Name: fmt.Sprintf("ours-%d", s.n), Label: "Symmetric Diffusers", N: s.n, Full: fmt.Sprintf("paper/sort-mnist-%d", s.n), Quick: "sort-9", Set: diffusion, From: sortedFrom("ours", s.n), Paper: s.ours},
		)
	}
	t.Rows = append(t.Rows, anySize()...)
	t.Rows = append(t.Rows, ownSize()...)
	// Of later work, with its own figures as those of the paper.
	correct, exact, correct200 := 92.3, 1.37, 66.1
	for _, later := range []struct {
		n     int
		paper *config.Paper
	}{{32, &config.Paper{Correct: &correct}}, {200, &config.Paper{Exact: &exact, Correct: &correct200}}} {
		t.Rows = append(t.Rows, Row{Name: fmt.Sprintf("cgpl-%d", later.n), Label: "contextual Plackett–Luce (paper: arXiv 2603.17353)", N: later.n, Quick: "sort-9", Set: append(sortSet(later.n), "process.reverse=cgpl"), From: "ours-9", Paper: later.paper})
	}
	return t
}

// anySize are the rows of one model for sets of any size: it is trained with sets of 16.
func anySize() []Row {
	const trained, label = 16, "Symmetric Diffusers, direct scores, one model for all n"
	of := Row{
		Name: fmt.Sprintf("any-%d", trained), Label: label, N: trained, From: reader, Quick: "sort-any",
		Set: []string{frozen, "model.dim=256", "train.lr=4e-3"},
	}
	rows := []Row{of}
	for _, s := range sizes {
		rows = append(rows, Row{
			Name: fmt.Sprintf("any-%d", s.n), Label: label, N: s.n, Of: of.Name, Paper: s.ours,
			Set: []string{fmt.Sprintf("task.n=%d", s.n), fmt.Sprintf("eval.batch=%d", max(4, 2048/s.n))},
		})
	}
	// The same model, which looks at each number from several sides.
	for i, s := range sizes {
		copies := 7
		if s.n > 52 {
			copies = 3 // what is read is most of their time
		}
		looks := rows[1+i]
		looks.Name, looks.Label = fmt.Sprintf("looks-%d", s.n), fmt.Sprintf("%s, %d looks", label, copies)
		looks.Set = append(slices.Clone(looks.Set), fmt.Sprintf("decode.symmetries=%d", copies))
		rows = append(rows, looks)
	}
	return rows
}

// ownSize are models for sets of one size that begin with the weights of the one for all.
func ownSize() (rows []Row) {
	for _, s := range sizes {
		batch := max(1, 144/s.n) // as many numbers a step as that one has
		rows = append(rows, Row{
			Name: fmt.Sprintf("own-%d", s.n), Label: "Symmetric Diffusers, direct scores, from the model for all n", N: s.n, From: "any-16", Quick: "sort-any", Paper: s.ours,
			Set: []string{fmt.Sprintf("task.n=%d", s.n), fmt.Sprintf("train.batch=%d", batch), fmt.Sprintf("eval.batch=%d", max(4, 2048/s.n)), "train.lr=1e-3", "train.validate=0", frozen, "model.dim=256"},
		})
	}
	return rows
}

// sortBaseline is a row of a sorting network. The paper gives no training for it but the learning rate: the
// full preset trains as long as the paper's own model.
func sortBaseline(method, label string, n int, paper *config.Paper) Row {
	set := slices.DeleteFunc(sortSet(n), func(s string) bool { return s == noise(n) })
	network, steepness := steepness(method, n)
	set = append(set, "method="+method, "baseline.network="+network, fmt.Sprintf("baseline.steepness=%g", steepness))
	if method == "diffsort" {
		set = append(set, "model.layers=0", "model.positions=none") // an encoder alone; error-free has a transformer
	}
	return Row{Name: fmt.Sprintf("%s-%d", method, n), Label: label, N: n, Full: fmt.Sprintf("paper/%s-mnist-%d", method, n), Quick: "sort-9", Set: set, From: sortedFrom(method, n), Paper: paper}
}

func transitions() Table {
	t := Table{Name: "transitions", Title: "Forward and reverse transitions, sorting", Source: "Tables 3 and 6", Pictures: []string{"gpl-9"}}
	for _, x := range []struct {
		n     int
		steps string // the paper's denoising schedule of riffles with GPL and PL
		irs   int    // T
		rt    int
		ri    int
		paper map[string]*config.Paper
	}{
		{9, "[0,3,5,9]", 9, 15, 25, map[string]*config.Paper{
			"gpl": figures(.948, 89.4, 95.9), "pl": figures(.953, 90.9, 96.4), "pl-beam": figures(.955, 91.1, 96.5), "irs": figures(.947, 88.6, 95.9), "it": figures(.490, 18.0, 59.5), "ii": figures(.954, 91.1, 96.4),
		}},
		{32, "[0,5,7,12]", 12, 55, 110, map[string]*config.Paper{
			"gpl": figures(.857, 54.8, 88.1), "pl": figures(.867, 56.4, 89.0), "pl-beam": figures(.869, 57.2, 89.2), "irs": figures(.794, 24.4, 82.5),
		}},
		{52, "[0,5,6,7,10,13]", 13, 105, 205, map[string]*config.Paper{
			"gpl": figures(.779, 24.4, 81.6), "pl": figures(.799, 26.4, 83.3), "pl-beam": figures(.797, 26.4, 83.1), "irs": figures(.390, 0.6, 44.6),
		}},
	} {
		every := func(T int) string {
			s := "process.schedule=[0"
			for t := 1; t <= T; t++ {
				s += fmt.Sprintf(",%d", t)
			}
			return s + "]"
		}
		base := slices.DeleteFunc(sortSet(x.n), func(s string) bool { return s == noise(x.n) })
		row := func(name, label, full string, set ...string) Row {
			return Row{Name: fmt.Sprintf("%s-%d", name, x.n), Label: label, N: x.n, Full: fmt.Sprintf("paper/ablation-%d-%s", x.n, full), Quick: "sort-9", Set: slices.Concat(base, set), From: sortedFrom(name, x.n), Paper: x.paper[name]}
		}
		// The laws that undo one shuffle at a time begin with a network that sorts: which shuffle was the last depends on
		// the ranks. For nine all T states of a trajectory are few enough to be judged at once, of which IRS learns
		// sooner (docs/experiments.md).
		stepwise := func(law, label, full string, T int, forward string) Row {
			r := row(law, label, full, every(T), "process.forward="+forward, "process.reverse="+law)
			if x.n > 9 {
				// A reverse step for every shuffle: so a test set takes T passes of the network.
				r.Set = append(r.Set, "train.objective=random-step", fmt.Sprintf("eval.examples=%d", max(200, 10_000/T)))
			} else {
				r.From = "sort/ours-9"
			}
			return r
		}
		t.Rows = append(t.Rows,
			row("gpl", "RS, GPL, greedy", "rs-gpl-greedy", "process.schedule="+x.steps),
			row("pl", "RS, PL, greedy", "rs-pl-greedy", "process.schedule="+x.steps, "process.reverse=pl"),
			beamed(row("pl-beam", "RS, PL, beam", "rs-pl-beam"), fmt.Sprintf("pl-%d", x.n), 20, 200),
			stepwise("irs", "RS, IRS, greedy", "rs-irs", x.irs, "riffle"),
			stepwise("it", "RT, IT, greedy", "rt-it", x.rt, "transposition"),
			stepwise("ii", "RI, II, greedy", "ri-ii", x.ri, "insertion"),
		)
	}
	// What Riffle has beside the paper's laws, in the same minutes.
	t.Rows = append(t.Rows, Row{
		Name: "direct-9", Label: "RS in one step, PL of direct scores, greedy", N: 9, From: reader, Quick: "sort-any",
		Set: []string{"task.n=9", "train.batch=16", "train.validate=0", frozen, "model.dim=256", "train.lr=4e-3"},
	})
	return t
}

// beamed makes a row one that decodes another row's model by the beam. The paper's own training
// may have a preset for it.
func beamed(r Row, of string, beam, inner int) Row {
	r.Of, r.Quick, r.From = of, "", ""
	r.Set = []string{"decode.method=beam", fmt.Sprintf("decode.beam=%d", beam), fmt.Sprintf("decode.inner=%d", inner)}
	return r
}

func schedules() Table {
	t := Table{Name: "schedules", Title: "Denoising schedules, sorting 100", Source: "Table 7"}
	for _, x := range []struct {
		steps string
		paper *config.Paper
	}{
		{"0-15", figures(0, 0, 1.0)},
		{"0-8-9-15", figures(.316, 0, 39.6)},
		{"0-7-8-9-15", figures(0, 0, 1.0)},
		{"0-7-8-10-15", figures(0, 0, 1.0)},
		{"0-8-10-15", figures(.646, 4.5, 69.8)},
	} {
		list := "["
		for _, c := range x.steps {
			if c == '-' {
				c = ','
			}
			list += string(c)
		}
		list += "]"
		set := slices.DeleteFunc(sortSet(100), func(s string) bool { return s == noise(100) })
		t.Rows = append(t.Rows, Row{Name: x.steps, Label: list, N: 100, Full: "paper/ablation-100-schedule-" + x.steps, Quick: "sort-9", Set: append(set, "process.schedule="+list), From: "sort/ours-9", Paper: x.paper})
	}
	return t
}

func lists() Table {
	t := Table{Name: "lists", Title: "Learning a single permutation", Source: "Table 5"}
	for _, x := range []struct {
		target           string
		n                int
		exact, correct   float64 // SEDD's
		oursFull, change string
	}{
		{"identity", 100, 95.47, 99.95, "paper/delta-identity-100", ""},
		{"random", 100, 93.24, 99.93, "paper/delta-random-100", ""},
		{"random", 200, 88.75, 99.94, "paper/delta-random-200", "train.batch=8"},
	} {
		set := []string{"task.target=" + x.target, fmt.Sprintf("task.n=%d", x.n), "eval.examples=1000"}
		if x.change != "" {
			set = append(set, x.change)
		}
		name, label := fmt.Sprintf("%s-%d", x.target, x.n), map[string]string{"identity": "identity", "random": "arbitrary"}[x.target]
		all := 100.0
		t.Rows = append(t.Rows,
			Row{Name: "sedd-" + name, Label: "SEDD, " + label, N: x.n, Full: "paper/sedd-" + name, Quick: "delta-100", Set: append(slices.Clone(set), "method=sedd", "baseline.graph=uniform", "baseline.sampler=euler", "baseline.steps=128"), Paper: &config.Paper{Exact: &x.exact, Correct: &x.correct}},
			Row{Name: "ours-" + name, Label: "Symmetric Diffusers, " + label, N: x.n, Full: x.oursFull, Quick: "delta-100", Set: append(slices.Clone(set), noise(x.n)), Paper: &config.Paper{Exact: &all, Correct: &all}},
		)
	}
	return t
}

// jigsaw is the table of puzzles: three baselines and the paper's model for each size.
func jigsaw() Table {
	const plain = "model.pairs=" // the methods compared with are their papers': no borders are told
	t := Table{Name: "jigsaw", Title: "Jigsaw puzzles", Source: "Table 1", Pictures: []string{"ours-mnist-3x3", "latent-mnist-2x2", "ours-photos-2x2"}}
	for _, x := range []struct {
		source                          string
		side                            int
		sinkhorn, diffsort, exact, ours *config.Paper
	}{
		{"mnist", 2, pictures(.9984, 99.81, 99.91, .0022, .0003), pictures(.9931, 99.02, 99.50, .0689, .0030), pictures(.9899, 98.62, 99.28, .0814, .0041), pictures(.9992, 99.88, 99.94, .0026, .0001)},
		{"mnist", 3, pictures(.6908, 44.65, 80.20, .1704, .0233), pictures(.3054, 5.56, 42.25, 1.0746, .4283), pictures(.2014, 0.82, 32.65, 1.1764, .5124), pictures(.8126, 57.38, 86.16, .0241, .0022)},
		{"mnist", 4, pictures(.3578, 0.86, 49.51, .4572, .1005), pictures(.0374, 0, 10.77, 1.3290, .6531), pictures(.0100, 0, 7.40, 1.3579, .6818), pictures(.4859, 1.38, 58.51, .1002, .0130)},
		{"mnist", 5, pictures(.2430, 0, 26.94, .8915, .3239), pictures(.0176, 0, 6.39, 1.4883, .8204), pictures(.0034, 0, 4.39, 1.5084, .8424), pictures(.2853, 0, 37.91, .2926, .0749)},
		{"mnist", 6, pictures(.1755, 0, 14.91, 1.0570, .4515), pictures(.0095, 0, 3.77, 1.5478, .8899), pictures(-.0021, 0, 2.50, 1.5606, .9041), pictures(.1208, 0, 18.54, .4350, .1587)},
		{"cifar10", 2, pictures(.8378, 76.54, 86.10, .3749, .1368), pictures(.6463, 59.18, 75.48, .7389, .2800), pictures(.6604, 60.96, 75.99, .7295, .2731), pictures(.9023, 90.15, 92.99, .3248, .0651)},
		{"cifar10", 3, pictures(.5044, 6.07, 43.59, .9590, .5320), pictures(.1460, 0.96, 27.87, 1.2691, .8123), pictures(.1362, 0.68, 26.75, 1.2820, .8260), pictures(.8363, 70.94, 86.84, .3892, .0977)},
		{"cifar10", 4, pictures(.4016, 0.21, 25.31, 1.0960, .6873), pictures(.0490, 0, 12.27, 1.3876, .9737), pictures(.0318, 0, 10.33, 1.4095, .9990), pictures(.2518, 0.64, 34.69, .8953, .5044)},
		{"photos", 2, nil, nil, nil, nil}, // what stands in for CIFAR-10 where it is not at hand
	} {
		n := x.side * x.side
		size := fmt.Sprintf("%dx%d", x.side, x.side)
		set := []string{"task.source=" + x.source, fmt.Sprintf("task.rows=%d", x.side), fmt.Sprintf("task.columns=%d", x.side), "eval.examples=10000", "train.validate=0"}
		if x.source != "mnist" {
			set = append(set, "task.noise=0")
		}
		needs := map[string]string{"cifar10": "the binary files of CIFAR-10, which no package carries", "photos": "photos (make photos)"}[x.source]
		where := map[string]string{"mnist": "noisy MNIST", "cifar10": "CIFAR-10 (ours: JPEG copies)", "photos": "photos"}[x.source] + " " + size
		row := func(name, label, full string, paper *config.Paper, more ...string) {
			if x.source == "photos" {
				full = ""
			}
			t.Rows = append(t.Rows, Row{Name: fmt.Sprintf("%s-%s-%s", name, x.source, size), Label: label + ", " + where, N: n, Full: full, Quick: "jigsaw-3x3", Set: slices.Concat(set, more), Paper: paper, Needs: needs})
		}
		sorter := func(method string) []string {
			network, steep := steepness(method, n)
			set := []string{plain, "method=" + method, "baseline.network=" + network, fmt.Sprintf("baseline.steepness=%g", steep)}
			if method == "diffsort" {
				set = append(set, "model.layers=0", "model.positions=none")
			}
			return set
		}
		row("gumbel-sinkhorn", "Gumbel–Sinkhorn", fmt.Sprintf("paper/gumbel-sinkhorn-%s-%s", x.source, size), x.sinkhorn, plain, "method=gumbel-sinkhorn", "model.layers=0", "model.positions=none")
		row("diffsort", "DiffSort", "", x.diffsort, sorter("diffsort")...)
		row("error-free-diffsort", "Error-free DiffSort", "", x.exact, sorter("error-free-diffsort")...)
		// The paper weighs the entropy by .05, which outweighs the pixels where there are many orders, and has a standard
		// deviation of 1 for pixels from 0 to 1 (docs/experiments.md).
		latent := []string{noise(n), "train.objective=latent", "train.entropy=0.002", "train.samples=40", "train.pixel_sd=0.125"}
		known := []string{noise(n)}
		if n > 9 {
			const small = "train.batch=16" // many small steps learn sooner
			latent, known = append(latent, small), append(known, small)
		}
		row("latent", "Symmetric Diffusers", fmt.Sprintf("paper/jigsaw-%s-%s", x.source, size), x.ours, latent...)
		if x.source == "mnist" && x.side == 6 {
			// How tiles fit is learned sooner of larger ones, and holds for smaller (docs/experiments.md).
			t.Rows[len(t.Rows)-1].From = "latent-mnist-5x5"
		}
		row("ours", "Symmetric Diffusers, order known", "", nil, known...)
		if x.source == "cifar10" && x.side == 3 {
			// JPEG works in squares of 8 pixels. A tile's place could be told by where their edges are in it, which a pixel changes.
			t.Rows = append(t.Rows, Row{Name: "shifted-cifar10-3x3", Label: "order known, cuts a pixel off, " + where, N: n, Of: "ours-cifar10-3x3", Set: []string{"task.offset=1"}, Needs: needs})
		}
	}
	return t
}

func tours() Table {
	length := func(x, gap float64) *config.Paper { return &config.Paper{Length: &x, Gap: &gap} }
	// The networks of graphs are a quarter as wide as their papers', so that two cores can train them.
	edges := func(method string, more ...string) []string {
		return append([]string{"method=" + method, "model.dim=64", "model.layers=8"}, more...)
	}
	t := Table{Name: "tours", Title: "Travelling salesman problem", Source: "Table 4", Pictures: []string{"ours-20"}}
	for _, x := range []struct {
		n, beam           int
		exact, opt2, ours *config.Paper
		gcn, difusco      *config.Paper // their greedy decoding
		difusco2          *config.Paper // with 2-opt
	}{
		// DIFUSCO's 5.70 and .10 of 50 cities are its own paper's, after 2-opt.
		{20, 256, length(3.84, 0), length(4.02, 4.64), length(3.85, .18), length(3.85, .21), length(3.88, 1.07), nil},
		{50, 768, length(5.69, 0), length(5.86, 2.95), length(5.71, .41), length(5.87, 3.10), nil, length(5.70, .10)},
	} {
		name := func(s string) string { return fmt.Sprintf("%s-%d", s, x.n) }
		t.Rows = append(t.Rows,
			Row{Name: name("exact"), Label: "exact (paper: Concorde, LKH-3)", N: x.n, Solver: "exact", Paper: x.exact},
			Row{Name: name("2-opt"), Label: "2-opt, five random starts", N: x.n, Solver: "2-opt", Paper: x.opt2},
			Row{Name: name("ours"), Label: "Symmetric Diffusers, greedy", N: x.n, Quick: name("tsp"), Set: []string{"decode.method=greedy", "decode.symmetries=1", "eval.finish=2opt"}},
			beamed(Row{Name: name("ours-beam"), Label: "Symmetric Diffusers, beam", N: x.n, Full: "paper/" + name("tsp"), Paper: x.ours}, name("ours"), x.beam, x.beam),
			Row{Name: name("gcn"), Label: "GCN, greedy", N: x.n, Quick: name("tsp"), Set: edges("gcn"), Paper: x.gcn},
			Row{Name: name("gcn-beam"), Label: "GCN, beam 1280", N: x.n, Of: name("gcn"), Set: []string{"baseline.beam=1280"}},
			Row{Name: name("difusco"), Label: "DIFUSCO, greedy", N: x.n, Quick: name("tsp"), Set: edges("difusco", "baseline.steps=50"), Paper: x.difusco},
			Row{Name: name("difusco-2opt"), Label: "DIFUSCO, greedy and 2-opt", N: x.n, Of: name("difusco"), Set: []string{"baseline.two_opt=true"}, Paper: x.difusco2},
		)
	}
	return t
}
