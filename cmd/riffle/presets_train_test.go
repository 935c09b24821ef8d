package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/training"
)

// Every preset makes two steps and decodes a batch as it is told to: its objects, its encoder,
// its loss and its law fit together. The network and the batches are made small, and CIFAR-10
// is made up. With RIFFLE_PRESETS=whole the networks stay as they are (many minutes).
//
// XLA compiles for seconds what it runs for milliseconds, so there it is one preset of each
// kind that is tried; with RIFFLE_PRESETS set, all.
func TestPresetsTrain(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of solved tours
	mnist, noMNIST := dataset.FindMNIST()
	cifar, photos := madeUpCIFAR(t), t.TempDir()
	if err := writeScene(filepath.Join(photos, "scene.png"), 60, 220); err != nil {
		t.Fatal(err)
	}
	all := os.Getenv("RIFFLE_PRESETS")
	onXLA := map[string]bool{
		"delta-20": true, "paper/sort-mnist-9": true, "paper/sort-mnist-200": true, "paper/jigsaw-mnist-2x2": true, "paper/jigsaw-cifar10-2x2": true,
		"jigsaw-3x3": true, "paper/tsp-20": true, "paper/tsp-50": true, "ranking": true, "paper/ablation-9-rs-irs": true, "paper/ablation-9-rt-it": true, "paper/ablation-9-ri-ii": true,
	}
	for _, name := range presets.Names() {
		for _, kind := range []string{"go", "xla"} {
			if kind == "xla" && !onXLA[name] && all == "" {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				enginetest.Open(t, kind) // skips where there is none
				sets := []string{"train.batch=2", "train.validate=0", "eval.examples=2", "eval.batch=2"}
				cfg, err := training.ReadConfig(name)
				if err != nil {
					t.Fatal(err)
				}
				if cfg.Method == config.Default().Method {
					sets = append(sets, "train.trajectories=1")
				}
				switch {
				case cfg.Task.Source == "cifar10":
					sets = append(sets, "task.data="+cifar)
				case cfg.Task.Name == "ranking":
					sets = append(sets, "task.data="+rankedLists(t))
				case cfg.Task.Source == "photos":
					sets = append(sets, "task.data="+photos)
				case cfg.Task.Name == "sort" || cfg.Task.Name == "jigsaw":
					if noMNIST != nil {
						t.Skip(noMNIST)
					}
					sets = append(sets, "task.data="+mnist)
				}
				if all != "whole" {
					sets = append(sets, "model.dim=16", fmt.Sprintf("model.layers=%d", min(2, cfg.Model.Layers)), "model.heads=2", "model.feed_forward=16")
				}
				if c := cfg.Model.Channels; all != "whole" && len(c) > 0 {
					sets = append(sets, "model.channels="+[]string{"[2]", "[2, 3]", "[2, 3, 4]"}[len(c)-1])
				}
				if cfg.Decode.Method == "beam" {
					sets = append(sets, "decode.beam=2")
					if cfg.Decode.Inner > 0 {
						sets = append(sets, "decode.inner=2")
					}
				}
				args := []string{"train", name, "--out", filepath.Join(t.TempDir(), "run"), "--engine", kind, "--quiet", "--steps", "2"}
				for _, set := range sets {
					args = append(args, "--set", set)
				}
				var stderr strings.Builder
				if code := run(args, io.Discard, &stderr); code != 0 {
					t.Fatalf("exit code %d\n%s", code, &stderr)
				}
				if strings.Contains(stderr.String(), "refused") {
					t.Errorf("a step was refused:\n%s", &stderr)
				}
			})
		}
	}
}

// madeUpCIFAR writes the files of CIFAR-10 with four pictures each.
func madeUpCIFAR(t *testing.T) string {
	dir := t.TempDir()
	for i, name := range []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"} {
		file := make([]byte, 4*3073)
		for j := range file {
			file[j] = byte(j % 3073 % 251 * i)
			if j%3073 == 0 {
				file[j] = byte(i)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name+".bin"), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
