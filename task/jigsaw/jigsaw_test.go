package jigsaw

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// cifarFolder writes the six files of CIFAR-10 with count images each and returns the folder;
// pixel gives red, green and blue of pixel (y, x) of an image, the test images being the last.
func cifarFolder(t *testing.T, count int, pixel func(i, plane, y, x int) uint8) string {
	t.Helper()
	dir := t.TempDir()
	i := 0
	for _, name := range []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"} {
		var file []byte
		for range count {
			file = append(file, uint8(i%10))
			for plane := range 3 {
				for y := range 32 {
					for x := range 32 {
						file = append(file, pixel(i, plane, y, x))
					}
				}
			}
			i++
		}
		if err := os.WriteFile(filepath.Join(dir, name+".bin"), file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func speckled(i, plane, y, x int) uint8 {
	return uint8(rand.New(rand.NewPCG(uint64(i), uint64(plane<<20|y<<10|x))).Uint32())
}

func jigsaw(t *testing.T, change func(*config.Config)) *Task {
	t.Helper()
	c := config.Default()
	c.Task = config.Task{Name: "jigsaw", Source: "cifar10", Rows: 3, Columns: 3}
	c.Model.Encoder = "cnn"
	change(&c)
	work, err := made(&c)
	if err != nil {
		t.Fatal(err)
	}
	return work.(*Task)
}

func examples(t *testing.T, work task.Task, split task.Split, first, count int) *task.Examples {
	t.Helper()
	e, err := work.Examples(split, first, count)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// In the right order the tiles of test set i are the middle of test image i, or what an offset moves the
// cuts to.
func TestJigsawTiles(t *testing.T) {
	dir := cifarFolder(t, 3, speckled)
	for _, c := range []struct{ rows, columns, height, width, top, left, offset int }{
		{2, 2, 16, 16, 0, 0, 0},
		{3, 3, 10, 10, 1, 1, 0},
		{2, 3, 16, 10, 0, 1, 0},
		{5, 7, 6, 4, 1, 2, 0},
		{3, 3, 10, 10, 2, 2, 1},
		{5, 7, 6, 4, 0, 1, -1},
	} {
		j := jigsaw(t, func(cfg *config.Config) {
			cfg.Task.Rows, cfg.Task.Columns, cfg.Task.Offset, cfg.Task.Data = c.rows, c.columns, c.offset, dir
		})
		e := examples(t, j, task.Test, 0, 3)
		n, size := c.rows*c.columns, c.height*c.width*3
		if got, want := e.Objects.Shape().Dimensions, []int{3, n, c.height, c.width, 3}; !slices.Equal(got, want) || e.PixelSize != size || len(e.Pixels) != 3*n*size {
			t.Fatalf("objects %v, wanted %v; %d pixels of %d", got, want, len(e.Pixels), e.PixelSize)
		}
		for i, clean := range e.Clean {
			if err := clean.Validate(); err != nil || len(clean) != n {
				t.Fatal(clean, err)
			}
			for place, k := range clean {
				y0, x0 := c.top+place/c.columns*c.height, c.left+place%c.columns*c.width
				for p, got := range e.Pixels[(i*n+k)*size:][:size] {
					y, x, plane := y0+p/3/c.width, x0+p/3%c.width, p%3
					if want := float32(speckled(15+i, plane, y, x)) / 255; got != want {
						t.Fatalf("%d×%d: image %d, pixel (%d, %d, %d) is %g, wanted %g", c.rows, c.columns, i, y, x, plane, got, want)
					}
				}
			}
			whole, err := dataset.Join(perm.Act(clean, e.Look.Pictures(i)), e.Look.Columns)
			if err != nil || whole.Rows != c.rows*c.height || whole.Pix[1] != speckled(15+i, 1, c.top, c.left) {
				t.Errorf("%d×%d: joined: %v", c.rows, c.columns, err)
			}
		}
	}
}

// A set is a function of seed, split and number; the seed changes the order and the noise.
func TestJigsawIsAFunctionOfTheSeed(t *testing.T) {
	dir := cifarFolder(t, 4, speckled)
	seeded := func(seed uint64) *Task {
		return jigsaw(t, func(cfg *config.Config) { cfg.Task.Data, cfg.Task.Noise, cfg.Seed = dir, 0.01, seed })
	}
	for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
		count := 4
		all, part := examples(t, seeded(1), split, 0, count), examples(t, seeded(1), split, 2, 2)
		half := len(all.Pixels) / 2
		if !slices.Equal(all.Pixels[half:], part.Pixels) || !reflect.DeepEqual(all.Clean[2:], part.Clean) {
			t.Errorf("split %d: sets 2 and 3 depend on those before", split)
		}
		if other := examples(t, seeded(2), split, 0, count); slices.Equal(all.Pixels, other.Pixels) {
			t.Errorf("split %d: two seeds give the same sets", split)
		}
	}
	if _, err := seeded(1).Examples(task.Test, 4, 1); err == nil || err.Error() != "test set 4: there are only 4, of one test image each" {
		t.Errorf("beyond the last: %v", err)
	}
	examples(t, seeded(1), task.Test, 3, 5) // a batch that ends beyond the last
	// Two of the twenty training images are kept for validation (a tenth).
	seen := map[float32]bool{}
	plain := jigsaw(t, func(cfg *config.Config) { cfg.Task.Data, cfg.Task.Rows, cfg.Task.Columns = dir, 1, 2 })
	corner := func(e *task.Examples, i int) float32 { return e.Pixels[(i*2+e.Clean[i][0])*e.PixelSize] }
	train := examples(t, plain, task.Train, 0, 400)
	for i := range 400 {
		seen[corner(train, i)] = true
	}
	for i := range 20 {
		if got, want := seen[float32(speckled(i, 0, 0, 0))/255], i < 18; got != want {
			t.Errorf("training image %d is drawn: %t", i, got)
		}
	}
	if v := examples(t, plain, task.Validation, 0, 3); corner(v, 0) != float32(speckled(18, 0, 0, 0))/255 || corner(v, 0) != corner(v, 2) {
		t.Error("validation is not of the last training images")
	}
}

// Identical tiles share a number in Same; those that noise alone tells apart, in Alike; and
// each is as likely in each of their places.
func TestJigsawSameTiles(t *testing.T) {
	// Of 2 × 2 tiles the upper two are black, the others differ.
	dir := cifarFolder(t, 100, func(_, _, y, x int) uint8 {
		if y < 16 {
			return 0
		}
		return uint8(x)
	})
	for _, noise := range []float64{0, 0.01} {
		j := jigsaw(t, func(cfg *config.Config) {
			cfg.Task.Data, cfg.Task.Rows, cfg.Task.Columns, cfg.Task.Noise = dir, 2, 2, noise
		})
		first := 0
		e := examples(t, j, task.Test, 0, 100)
		for i, clean := range e.Clean {
			same, alike := perm.Act(clean, e.Judge.(*judge).same[i]), perm.Act(clean, e.Judge.(*judge).alike[i])
			if (same[0] == same[1]) != (noise == 0) || alike[0] != alike[1] {
				t.Fatalf("noise %g: %v, %v", noise, same, alike)
			}
			for _, class := range [][]int{same, alike} {
				if class[2] == class[3] || class[0] == class[2] || class[1] == class[3] {
					t.Fatalf("noise %g: tiles that differ are %v", noise, class)
				}
			}
			if clean[0] < clean[1] {
				first++
			}
		}
		if first < 30 || first > 70 { // 4 standard deviations of 100 fair coins
			t.Errorf("noise %g: the first of two equal tiles is given first %d times of 100", noise, first)
		}
	}
}

// noiseOf returns test image i of MNIST with noise, as a model sees it, less the image itself.
func noiseOf(t *testing.T, rows int, i int) []float64 {
	t.Helper()
	j := jigsaw(t, func(cfg *config.Config) {
		cfg.Task.Source, cfg.Task.Noise, cfg.Task.Rows, cfg.Task.Columns = "mnist", 0.01, rows, rows
	})
	mnist, err := loadMNIST("")
	if err != nil {
		t.Fatal(err)
	}
	e := examples(t, j, task.Test, i, 1)
	h := 28 / rows
	top := (28 - rows*h) / 2
	out := make([]float64, rows*h*rows*h)
	for place, k := range e.Clean[0] {
		for p, v := range e.Pixels[k*h*h:][:h*h] {
			y, x := place/rows*h+p/h, place%rows*h+p%h
			out[y*rows*h+x] = float64(v) - float64(mnist.Test.At(i)[(top+y)*28+top+x])/255
		}
	}
	return out
}

// The noise is normal with standard deviation 0.01, and the same however an image is cut.
func TestJigsawNoise(t *testing.T) {
	if _, err := dataset.FindMNIST(); err != nil {
		t.Skip(err)
	}
	var sum, square, n float64
	for i := range 20 {
		whole := noiseOf(t, 4, i)
		for _, v := range whole {
			sum, square, n = sum+v, square+v*v, n+1
		}
		if two := noiseOf(t, 2, i); !slices.Equal(whole, two) {
			t.Fatal("the noise depends on the grid")
		}
		for y, three := 0, noiseOf(t, 3, i); y < 27; y++ {
			if !slices.Equal(three[y*27:][:27], whole[y*28:][:27]) {
				t.Fatalf("row %d: the noise depends on the crop", y)
			}
		}
	}
	// n = 15,680: the standard error of the mean is 0.01/√n, that of the deviation 0.01/√(2n).
	mean, deviation := sum/n, math.Sqrt(square/n)
	if math.Abs(mean) > 4*0.01/math.Sqrt(n) || math.Abs(deviation-0.01) > 4*0.01/math.Sqrt(2*n) {
		t.Errorf("noise of mean %g and deviation %g", mean, deviation)
	}
}

// The limits that black tiles set were computed apart, in Python with NumPy, from the same
// test images: the mean over images of 1/Π m! and of the number of different tiles.
func TestJigsawLimits(t *testing.T) {
	if _, err := dataset.FindMNIST(); err != nil {
		t.Skip(err)
	}
	for side, want := range map[int][2]float64{2: {100, 100}, 3: {60.1749, 87.2122}, 4: {3.7811, 64.8388}, 6: {0.0035, 54.5344}} {
		j := jigsaw(t, func(cfg *config.Config) {
			cfg.Task.Source, cfg.Task.Noise, cfg.Task.Rows, cfg.Task.Columns = "mnist", 0.01, side, side
		})
		var exact, correct float64
		e := examples(t, j, task.Test, 0, 10_000)
		for i := range e.Clean {
			x, c, err := metric.ChanceCeiling(e.Judge.(*judge).alike[i], e.Judge.(*judge).same[i])
			if err != nil {
				t.Fatal(err)
			}
			exact, correct = exact+x/100, correct+c/100
		}
		if got := [2]float64{exact, correct}; math.Abs(got[0]-want[0]) > 1e-4 || math.Abs(got[1]-want[1]) > 1e-4 {
			t.Errorf("%d×%d: at most %.4f %% exact and %.4f %% correct, wanted %v", side, side, got[0], got[1], want)
		}
	}
}

// photo writes a picture whose red and green say where in it a pixel is.
func photo(t *testing.T, path string, rows, cols int) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, cols, rows))
	for y := range rows {
		for x := range cols {
			m.Set(x, y, color.RGBA{uint8(x), uint8(y), 7, 255})
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

// Pieces of a photo stay in their part of its longer side: no pixel is in two splits.
func TestJigsawPhotos(t *testing.T) {
	for _, size := range [][2]int{{40, smallestPhoto}, {smallestPhoto, 40}, {250, 250}} {
		dir := t.TempDir()
		photo(t, filepath.Join(dir, "a.png"), size[0], size[1])
		photo(t, filepath.Join(dir, "small.png"), 31, 250) // has no place
		j := jigsaw(t, func(cfg *config.Config) { cfg.Task.Source, cfg.Task.Data = "photos", dir })
		if d := j.Doubts(task.Train); len(d) != 1 || !strings.Contains(d[0], "1 of 2 photos left out, such as small.png: they are too small, wanted 211 pixels or more") {
			t.Errorf("said %q of a photo that is too small", d)
		}
		last := -1
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			e := examples(t, j, split, 0, 300)
			low, high := 255, 0
			for i := 0; i < len(e.Pixels); i += 3 {
				along := e.Pixels[i] // the longer side
				if size[0] > size[1] {
					along = e.Pixels[i+1]
				}
				v := int(math.Round(255 * float64(along)))
				low, high = min(low, v), max(high, v)
			}
			if low <= last {
				t.Errorf("%v: split %d starts at %d, one before ends at %d", size, split, low, last)
			}
			last = high
		}
		if long := max(size[0], size[1]); last >= long {
			t.Errorf("%v: the last pixel is %d", size, last)
		}
	}
	dir := t.TempDir()
	photo(t, filepath.Join(dir, "a.png"), 32, smallestPhoto-1)
	j := jigsaw(t, func(cfg *config.Config) { cfg.Task.Source, cfg.Task.Data = "photos", dir })
	if _, err := j.Examples(task.Train, 0, 1); err == nil || !strings.Contains(err.Error(), "no photo is large enough, wanted one of 211 pixels or more along its longer side and 32 along the other") {
		t.Errorf("a photo too small: %v", err)
	}
}

// A user's tiles come in the size and the colours of the model's, from memory or from files.
func TestJigsawObjects(t *testing.T) {
	dir := t.TempDir()
	photo(t, filepath.Join(dir, "tile.png"), 20, 30)
	grey := &dataset.Picture{Rows: 10, Cols: 10, Channels: 1, Pix: slices.Repeat([]uint8{51}, 100)}
	set := &dataset.Set{Kind: dataset.KindImage, Dir: dir, Items: []dataset.Item{{Image: "grey", Picture: grey}, {Image: "tile.png"}}}
	if err := set.Validate(); err != nil {
		t.Fatal(err)
	}
	j := jigsaw(t, func(*config.Config) {})
	x, warnings, err := j.Objects(t.Context(), []*dataset.Set{set})
	if err != nil || len(warnings) > 0 || !slices.Equal(x.Shape().Dimensions, []int{1, 2, 10, 10, 3}) {
		t.Fatalf("%v, %v, %v", x.Shape(), warnings, err)
	}
	flat, err := tensors.CopyFlatData[float32](x)
	if err != nil || flat[0] != 0.2 || flat[299] != 0.2 || flat[302] != float32(7)/255 {
		t.Errorf("%v, %v", flat[295:305], err)
	}
	bare := &dataset.Set{ID: "b", Items: make([]dataset.Item, 2)}
	if _, _, err := j.Objects(t.Context(), []*dataset.Set{bare}); err == nil || err.Error() != "set b: items are bare, wanted images" {
		t.Errorf("bare items: %v", err)
	}
}

func TestJigsawErrors(t *testing.T) {
	for want, change := range map[string]func(*config.Config){
		`task.source: unknown "imagenet", wanted mnist, cifar10 or photos`:                              func(c *config.Config) { c.Task.Source = "imagenet" },
		`task.rows: must be 1 to 32, the pixels of a picture (got 33)`:                                  func(c *config.Config) { c.Task.Rows = 33 },
		`task.columns: must be 1 to 65536 (got 0)`:                                                      func(c *config.Config) { c.Task.Columns = 0 },
		`task.noise: must be 0 to 1 (got NaN)`:                                                          func(c *config.Config) { c.Task.Noise = math.NaN() },
		`task.noise: must be 0 to 1 (got -0.1)`:                                                         func(c *config.Config) { c.Task.Noise = -0.1 },
		`model.encoder: "table" does not read images, the objects of task jigsaw, wanted cnn or window`: func(c *config.Config) { c.Model.Encoder = "table" },
	} {
		c := config.Default()
		c.Task, c.Model.Encoder = config.Task{Name: "jigsaw", Source: "cifar10", Rows: 2, Columns: 2}, "cnn"
		change(&c)
		if _, err := made(&c); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for source, want := range map[string]string{"cifar10": "data_batch_1.bin", "mnist": "train-images", "photos": "no such file"} {
		j := jigsaw(t, func(c *config.Config) { c.Task.Source, c.Task.Data = source, filepath.Join(t.TempDir(), "none") })
		if _, err := j.Examples(task.Train, 0, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s without files: %v", source, err)
		}
	}
}

// What is loaded once is kept, what fails is tried again.
func TestOnce(t *testing.T) {
	calls := 0
	load := task.Once(func() (string, error) { return "usual", nil }, func(dir string) (string, error) {
		if calls++; calls == 1 {
			return "", fmt.Errorf("%s: not yet", dir)
		}
		return "data of " + dir, nil
	})
	if _, err := load(""); err == nil || err.Error() != "usual: not yet" {
		t.Error(err)
	}
	for range 3 {
		if got, err := load(""); err != nil || got != "data of usual" {
			t.Error(got, err)
		}
	}
	if got, err := load("other"); err != nil || got != "data of other" || calls != 3 {
		t.Error(got, err, calls)
	}
}

// BenchmarkJigsawExamples makes a batch of 64 noisy pictures.
func BenchmarkJigsawExamples(b *testing.B) {
	if _, err := dataset.FindMNIST(); err != nil {
		b.Skip(err)
	}
	j, err := open(&config.Config{Seed: 1, Task: config.Task{Source: "mnist", Rows: 3, Columns: 3, Noise: 0.01}, Model: config.Model{Encoder: "cnn"}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := j.Examples(task.Train, 0, 64); err != nil {
			b.Fatal(err)
		}
	}
}

// made is the task of a configuration, with its keys checked, as package tasks makes it.
func made(c *config.Config) (task.Task, error) {
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	t, err := open(c)
	return t, config.Within("task", err)
}

// Cuts do not move beyond a picture.
func TestJigsawOffsetRefused(t *testing.T) {
	for _, c := range []struct {
		rows, columns, offset int
		want                  string
	}{
		{3, 3, 2, "task.offset: must be -1 to 1, as 3 × 3 tiles of 10 × 10 pixels leave no more (got 2)"},
		{3, 3, -2, "task.offset: must be -1 to 1, as 3 × 3 tiles of 10 × 10 pixels leave no more (got -2)"},
		{2, 3, 1, "task.offset: must be 0 to 0, as 2 × 3 tiles of 16 × 10 pixels leave no more (got 1)"},
	} {
		cfg := config.Default()
		cfg.Task = config.Task{Name: "jigsaw", Source: "cifar10", Rows: c.rows, Columns: c.columns, Offset: c.offset}
		cfg.Model.Encoder = "cnn"
		if _, err := made(&cfg); err == nil || err.Error() != c.want {
			t.Errorf("got %v, wanted %s", err, c.want)
		}
	}
}
