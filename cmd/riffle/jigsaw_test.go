package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/presets"
)

// Every preset of puzzles makes two steps and judges what it learned: its tiles, its encoder
// and its loss fit together. The network is made small, and CIFAR-10 is made up.
func TestJigsawPresetsTrain(t *testing.T) {
	mnist, noMNIST := dataset.FindMNIST()
	cifar := t.TempDir()
	for i, name := range []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"} {
		file := make([]byte, 4*3073)
		for j := range file {
			file[j] = byte(j % 3073 % 251 * i)
			if j%3073 == 0 {
				file[j] = byte(i)
			}
		}
		if err := os.WriteFile(filepath.Join(cifar, name+".bin"), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	photos := t.TempDir()
	if err := writeScene(filepath.Join(photos, "scene.png"), 60, 220); err != nil {
		t.Fatal(err)
	}
	for _, name := range presets.Names() {
		if !strings.Contains(name, "jigsaw-") || strings.HasSuffix(name, "-dummies") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := mnist
			switch {
			case strings.Contains(name, "cifar10"):
				data = cifar
			case strings.Contains(name, "photos"):
				data = photos
			case noMNIST != nil:
				t.Skip(noMNIST)
			}
			args := []string{"train", name, "--out", filepath.Join(t.TempDir(), "run"), "--engine", "go", "--quiet", "--steps", "2"}
			for _, set := range []string{
				"task.data=" + data, "train.batch=2", "train.trajectories=1", "train.validate=0", "eval.examples=2", "eval.batch=2",
				"model.dim=16", "model.layers=1", "model.heads=2", "model.feed_forward=16", "decode.method=greedy",
			} {
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
