package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/method"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/task/tasks"
	"github.com/riffle-ml/riffle/training"
)

// Every preset can be trained: it parses, resolves, and its task and network can be built.
func TestPresets(t *testing.T) {
	names := presets.Names()
	if len(names) < 20 {
		t.Errorf("%d presets: %v", len(names), names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			cfg, err := training.ReadConfig(name)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Task.Name == "ranking" {
				cfg.Task.Data = rankedLists(t)
			}
			if err := tasks.InferFromData(&cfg); err != nil {
				t.Fatal(err)
			}
			if _, err := cfg.Resolve(); err != nil {
				t.Fatal(err)
			}
			if cfg.Title == "" {
				t.Error("no title")
			}
			if paper := strings.HasPrefix(name, "paper/"); paper && cfg.Paper == nil {
				t.Error("a preset of the paper without the paper's figures")
			}
			data, err := cfg.TOML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := config.ParseConfig(data, name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cfg, again, cmpopts.IgnoreUnexported(cfg)); diff != "" {
				t.Errorf("config.toml reads back as another configuration:\n%s", diff)
			}
			work, err := tasks.New(&cfg)
			if err != nil {
				t.Fatal(err)
			}
			m, err := method.Of(&cfg)
			if err != nil {
				t.Fatal(err)
			}
			network, err := cfg.DenoiserConfig(work.Encoder(), m.Head)
			if err != nil {
				t.Fatal(err)
			}
			d, err := denoiser.New(network)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.CheckSize(cfg.Task.N); err != nil {
				t.Error(err)
			}
			if n := d.NumParameters(); n < 1000 || n > 100_000_000 {
				t.Errorf("%d parameters", n)
			}
		})
	}
}

// rankedLists writes a file of lists of three and four items with two features.
func rankedLists(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "lists.csv")
	text := "set,item,rank,size,age\n"
	for s := range 40 {
		for k := range 3 + s%2 {
			text += fmt.Sprintf("%d,%d,%d,%d,%d\n", s, k, k+1, 10*k+s%7, s*k%5)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Any preset goes with any reverse law and the shuffle that law undoes. What the preset's file says
// and the law does not use is dropped. config.toml reads back as the same configuration, without a
// word of such keys.
func TestPresetsWithEveryLaw(t *testing.T) {
	forward := map[string]string{"gpl": "riffle", "path": "riffle", "cgpl": "riffle", "pl": "riffle", "irs": "riffle", "ii": "insertion", "it": "transposition"}
	for _, name := range presets.Names() {
		for _, law := range reverse.Laws() {
			cfg, err := training.ReadConfig(name)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Method != config.Default().Method { // which has no law
				continue
			}
			for _, s := range []string{"process.reverse=" + law.Name(), "process.forward=" + forward[law.Name()], "process.schedule=[]"} {
				if err := cfg.Set(s); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := cfg.Resolve(); err != nil {
				t.Errorf("%s with %s: %v", name, law.Name(), err)
				continue
			}
			data, err := cfg.TOML()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Contains(string(data), "gpl_rows"), law.Name() == "gpl"; got != want {
				t.Errorf("%s with %s: gpl_rows in config.toml: %t", name, law.Name(), got)
			}
			again, err := config.ParseConfig(data, "config.toml")
			if err != nil {
				t.Errorf("%s with %s: %v", name, law.Name(), err)
				continue
			}
			if diff := cmp.Diff(cfg, again, cmpopts.IgnoreUnexported(cfg)); diff != "" {
				t.Errorf("%s with %s: config.toml reads back as another configuration:\n%s", name, law.Name(), diff)
			}
			if _, err := again.Resolve(); err != nil {
				t.Errorf("%s with %s, read back: %v", name, law.Name(), err)
			}
		}
	}
}

// The presets under paper/ resolve to what the paper's text says, also where they leave it to the defaults. The
// text is the appendix "Training Details and Architecture Hyperparameters", paragraphs "Learning a Single
// Permutation List", "Jigsaw Puzzle" and "Sort 4-Digit MNIST Numbers". Sorting takes over the beam search of
// puzzles and, but for the latent loss, their training. Of the single lists the paper gives batches, steps and
// schedules; their optimiser and trajectories are ours, sorting's.
func TestPresetsOfThePaper(t *testing.T) {
	schedules := map[int][]int{ // table "Denoising schedules for the Sort 4-Digit MNIST Numbers task"
		3: {0, 2, 7}, 5: {0, 2, 8}, 7: {0, 3, 8}, 9: {0, 3, 5, 9}, 15: {0, 4, 7, 10}, 32: {0, 5, 7, 12},
		52: {0, 5, 6, 7, 10, 13}, 100: {0, 8, 10, 15}, 200: {0, 9, 10, 12},
	}
	puzzles := map[int][]int{ // table "Denoising schedules for the Jigsaw Puzzle task", by tiles a side
		2: {0, 2, 7}, 3: {0, 3, 5, 9}, 4: {0, 4, 6, 10}, 5: {0, 5, 7, 11}, 6: {0, 6, 8, 12},
	}
	mixing := map[string]map[int]int{ // table "More results on sorting the 4-digit MNIST dataset", T
		"irs": {9: 9, 32: 12, 52: 13}, "it": {9: 15, 32: 55, 52: 105}, "ii": {9: 25, 32: 110, 52: 205},
	}
	seen := 0
	for _, name := range presets.Names() {
		short, ok := strings.CutPrefix(name, "paper/")
		if !ok {
			continue
		}
		seen++
		cfg, err := training.ReadConfig(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cfg.Resolve(); err != nil {
			t.Fatal(err)
		}
		if cfg.Method != config.Default().Method { // what the paper compares with: package reproduce holds those to it
			continue
		}
		n, sorting, large := cfg.Task.N, strings.HasPrefix(short, "sort-") || strings.HasPrefix(short, "ablation-"), cfg.Task.N == 200
		want := cfg // whatever is not set below is not the paper's
		want.Process.Forward, want.Process.Reverse = "riffle", "gpl"
		want.Model = config.Model{Dim: 128, Layers: 7, Heads: 8, FeedForward: 512, Dropout: 0.1, Positions: "sinusoid", GPLRows: "items"}
		if strings.HasSuffix(short, "-dummies") {
			want.Model.GPLRows = "dummies"
		}
		tr := &want.Train
		tr.WeightDecay, tr.Epsilon, tr.Beta1, tr.Beta2 = 1e-2, 1e-9, 0.9, 0.98
		tr.Clip = 1 // not in the text
		tr.Objective, tr.Trajectories, tr.Time = "bound", 3, ""
		if large {
			tr.Trajectories = 1 // ours
		}
		switch {
		case strings.HasPrefix(short, "tsp-"): // paragraph "TSP"
			want.Task = config.Task{Name: "tsp", N: n}
			want.Model.Encoder, want.Model.Edges, want.Model.Points = "points", n == 20, "spread"
			want.Model.Dim, want.Model.Layers, want.Model.FeedForward = 256, 16, 1024
			tr.WeightDecay, tr.Epsilon, tr.Beta1, tr.Beta2 = 1e-4, 1e-8, 0.9, 0.999
			tr.Schedule, tr.LR, tr.Warmup, tr.Trajectories = "cosine", 2e-4, 0, 1
			tr.Batch, tr.Steps, want.Process.Schedule = 512, 50*2953, []int{0, 4, 5, 7} // 50 epochs of 1,512,000
			if n == 50 {
				tr.Batch, tr.Steps, want.Process.Schedule = 256, 250*5906, []int{0, 5, 6, 7}
			}
			want.Eval.Examples = 1280
		case strings.HasPrefix(short, "jigsaw-"):
			parts := strings.Split(short, "-") // jigsaw, source, rows x columns
			side := int(parts[2][0] - '0')
			want.Task = config.Task{Name: "jigsaw", N: side * side, Source: parts[1], Rows: side, Columns: side}
			pixels := 32
			tr.Steps, tr.Warmup = 93_840, 46_000 // 120 epochs of 50,000 images, 782 batches each
			if parts[1] == "mnist" {
				pixels, want.Task.Noise = 28, 0.01
				tr.Steps, tr.Warmup = 112_560, 51_600 // of 60,000
			}
			conv := 32 * (pixels / side / 2) * (pixels / side / 2)
			want.Model.Encoder, want.Model.Channels, want.Model.Kernel, want.Model.Hidden = "cnn", []int{32}, 3, []int{(conv + 128) / 2}
			tr.Batch, tr.Schedule, tr.LR = 64, "noam", 1
			tr.Objective, tr.Samples, tr.Entropy, tr.EMARate, tr.PixelSD = "latent", 10, 0.05, 0.995, 1
			want.Process.Schedule, want.Eval.Examples = puzzles[side], 10_000
		case sorting:
			want.Task = config.Task{Name: "sort", N: n, Digits: 4}
			want.Model.Encoder, want.Model.Channels, want.Model.Kernel = "cnn", []int{32, 64}, 5
			tr.Steps = 112_560 // 120 epochs of 60,000 sets: 938 batches each, the last one ragged
			tr.Batch, tr.Schedule, tr.LR, tr.Warmup = 64, "noam", 1, 51_600
			want.Process.Schedule, want.Eval.Examples = schedules[n], 10_000
			if large {
				want.Process.Reverse, want.Model.GPLRows, tr.Objective = "pl", "", "random-step"
				tr.Schedule, tr.LR, tr.Warmup = "cosine", 5e-5, 2350
				want.Model.Dim, want.Model.FeedForward, want.Model.Layers, want.Model.Heads = 768, 768, 12, 12
			}
		default:
			want.Task = config.Task{Name: "delta", N: n, Target: cfg.Task.Target}
			want.Model.Encoder = "table"
			tr.Steps, tr.Batch = 30_000, 512
			if large {
				tr.Batch = 128
			}
			want.Process.Schedule, want.Eval.Examples = map[int][]int{100: {0, 8, 10, 15}, 200: {0, 9, 10, 12}}[n], 2560
		}
		want.Decode = config.Decode{Method: "beam", Beam: 20, Inner: 200}
		if strings.HasPrefix(short, "tsp-") {
			width := map[int]int{20: 256, 50: 768}[n]
			want.Decode.Beam, want.Decode.Inner = width, width
		}
		if strings.HasSuffix(short, "-greedy") {
			want.Decode.Method = "greedy"
		}
		if parts := strings.Split(short, "-"); parts[0] == "ablation" && parts[2] == "schedule" {
			want.Process.Schedule = nil
			for _, step := range parts[3:] {
				at, err := strconv.Atoi(step)
				if err != nil {
					t.Fatal(err)
				}
				want.Process.Schedule = append(want.Process.Schedule, at)
			}
		} else if law := parts[min(3, len(parts)-1)]; parts[0] == "ablation" && law != "gpl" {
			want.Process.Forward = map[string]string{"rs": "riffle", "rt": "transposition", "ri": "insertion"}[parts[2]]
			want.Process.Reverse, want.Model.GPLRows = law, ""
			if law != "pl" {
				want.Process.Schedule, want.Decode.Method = diffusion.Every(mixing[law][n]), "greedy"
				if law != "irs" && n > 9 { // where the paper ran out of memory
					tr.Objective = "random-step"
				}
			}
		}
		if diff := cmp.Diff(want, cfg, cmpopts.IgnoreUnexported(cfg)); diff != "" {
			t.Errorf("%s is not as the paper (-) says:\n%s", name, diff)
		}
	}
	if seen < 56 {
		t.Errorf("%d presets of the paper", seen)
	}
}
