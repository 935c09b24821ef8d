package jigsaw

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Task is the task of putting pictures together. A picture is cut into rows × columns tiles, which
// come shuffled. The right order is theirs in the picture, row by row (paper §4.2). Each set is one
// picture.
//
// Sources are "mnist" (28 × 28, grey), "cifar10" (32 × 32, colour) and "photos" (pieces of 32 × 32
// of any pictures). A training set is a training image at random, test set i test image i;
// validation has the last thousand training images, which training never sees. Where rows or
// columns do not divide the side, the middle of the picture is taken. Of MNIST's 28 pixels 27 are
// left for 3, 25 for 5 and 24 for 6. The paper only says that each image is divided. Its tiles of 3
// × 3 are of 9 × 9 pixels too, as the sizes of its networks tell (1.594 million weights, in a
// comment of its source).
//
// task.offset moves the cuts by so many pixels, right and down, where the middle leaves room.
//
// Noise is normal, of mean 0 and standard deviation task.noise for pixels from 0 to 1, not cut off
// there. It is a function of seed and image alone. So an image has the same noise whenever it comes
// and however it is cut, as in the paper, which saved its noisy images (appendix "Jigsaw Puzzle").
type Task struct {
	rows, columns int
	height, width int // of a tile, pixels
	top, left     int // where the first tile is, pixels
	side, planes  int // of a picture, pixels, and of a pixel
	noise         float64
	seed          uint64
	data          string
	open          func(dir string) (*album, error)
}

// Kind is the task in the list of all.
var Kind = task.Kind{Name: "jigsaw", New: open, Measures: append(slices.Clip(task.PlaceMeasures), measures...)}

const digitSize = task.DigitSize

func open(c *config.Config) (task.Task, error) {
	if err := task.Reads(c, "images", denoiser.Images); err != nil {
		return nil, err
	}
	t := c.Task
	j := &Task{rows: t.Rows, columns: t.Columns, noise: t.Noise, seed: c.Seed, data: t.Data}
	switch t.Source {
	case "mnist":
		j.side, j.planes, j.open = digitSize, 1, mnistAlbum
	case "cifar10":
		j.side, j.planes, j.open = dataset.CIFARSide, 3, cifarAlbum
	case "photos":
		j.side, j.planes, j.open = dataset.CIFARSide, 3, photoAlbum
	}
	switch {
	case j.rows < 1 || j.rows > j.side:
		return nil, field.Errorf("Rows", "must be 1 to %d, the pixels of a picture (got %d)", j.side, j.rows)
	case j.columns < 1 || j.columns > j.side:
		return nil, field.Errorf("Columns", "must be 1 to %d, the pixels of a picture (got %d)", j.side, j.columns)
	}
	j.height, j.width = j.side/j.rows, j.side/j.columns
	below, right := j.side-j.rows*j.height, j.side-j.columns*j.width // what the tiles leave
	j.top, j.left = below/2+t.Offset, right/2+t.Offset
	if j.top < 0 || j.top > below || j.left < 0 || j.left > right {
		return nil, field.Errorf("Offset", "must be %d to %d, as %d × %d tiles of %d × %d pixels leave no more (got %d)",
			max(-below/2, -right/2), min(below-below/2, right-right/2), j.rows, j.columns, j.height, j.width, t.Offset)
	}
	return j, nil
}

// Grid implements [task.Grid]: how many tiles there are from top to bottom and from left to right.
func (j *Task) Grid() (rows, columns int) { return j.rows, j.columns }

// Encoder implements [task.Task].
func (j *Task) Encoder() denoiser.EncoderConfig {
	return denoiser.EncoderConfig{Height: j.height, Width: j.width, Window: j.width, Planes: j.planes}
}

// Examples implements [task.Task]. The first call reads the pictures: ordering a user's own tiles
// needs none.
func (j *Task) Examples(split task.Split, first, count int) (*task.Examples, error) {
	a, err := j.open(j.data)
	if err != nil {
		return nil, err
	}
	if split == task.Test && a.tests > 0 && first >= a.tests {
		return nil, fmt.Errorf("test set %d: there are only %d, of one test image each", first, a.tests)
	}
	n, size := j.rows*j.columns, j.height*j.width*j.planes
	flat := make([]float32, count*n*size)
	e := &task.Examples{Clean: make([]perm.Order, count), Pixels: flat, PixelSize: size}
	own := &judge{One: task.One{Clean: e.Clean}, same: make([][]int, count), alike: make([][]int, count), pixels: flat, size: size}
	e.Judge, e.Look.Columns = own, j.columns
	parallel.For(count, func(i int) {
		rng := task.Source(j.seed, split, first+i)
		v := a.pick(split, first+i, rng)
		// All tiles are shuffled, so that of identical ones each is as likely in each place.
		clean := perm.Random(rng, n)
		noisy := j.noisy(v)
		same, alike := make([]string, n), make([]string, n)
		for place, k := range clean {
			tile := flat[(i*n+k)*size : (i*n+k+1)*size]
			y, x := j.top+place/j.columns*j.height, j.left+place%j.columns*j.width
			var bits, before []byte
			row := j.width * j.planes
			for dy := range j.height {
				part := noisy[((y+dy)*j.side+x)*j.planes:][:row]
				copy(tile[dy*row:], part)
				for _, p := range part {
					bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(p))
				}
				before = append(before, v.pix[(y+dy)*v.stride+x*j.planes:][:row]...)
			}
			same[k], alike[k] = string(bits), string(before)
		}
		e.Clean[i], own.same[i], own.alike[i] = clean, dataset.FirstEqual(same), dataset.FirstEqual(alike)
	})
	e.Objects = j.tensor(flat, count, n)
	e.Look.Pictures = func(set int) []*dataset.Picture {
		out := make([]*dataset.Picture, n)
		for k := range out {
			p := &dataset.Picture{Rows: j.height, Cols: j.width, Channels: j.planes, Pix: make([]uint8, size)}
			for i, x := range flat[(set*n+k)*size : (set*n+k+1)*size] {
				p.Pix[i] = uint8(math.Round(255 * float64(min(1, max(0, x)))))
			}
			out[k] = p
		}
		return out
	}
	return e, nil
}

// noiseStream keeps the noise of pictures apart from the drawing of sets.
const noiseStream = 0x70697865 // "pixe"

// noisy returns the pixels [side, side, planes] of a picture with its noise.
func (j *Task) noisy(v view) []float32 {
	row := j.side * j.planes
	out := make([]float32, 0, j.side*row)
	for y := range j.side {
		for _, p := range v.pix[y*v.stride:][:row] {
			out = append(out, float32(p)/255)
		}
	}
	if j.noise > 0 {
		rng := rand.New(rand.NewPCG(j.seed^noiseStream, v.number))
		for i := range out {
			out[i] += float32(j.noise * rng.NormFloat64())
		}
	}
	return out
}

// tensor is count sets of n tiles as the encoder takes them.
func (j *Task) tensor(flat []float32, count, n int) *tensors.Tensor {
	shape := []int{count, n, j.height, j.width}
	if j.planes > 1 {
		shape = append(shape, j.planes)
	}
	return tensors.FromFlatDataAndDimensions(flat, shape...)
}

// Objects implements [task.Task]: tiles in the order given, brought to the size and the colours of
// the model's. That is not warned of: tiles of any picture are welcome.
func (j *Task) Objects(ctx context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	n := len(sets[0].Items)
	var flat []float32
	for _, set := range sets {
		if set.Kind != dataset.KindImage && n > 0 {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted images", set.ID, set.Kind.Items())
		}
		tiles, _, err := set.Pictures(ctx, j.height, j.width, j.planes)
		if err != nil {
			return nil, nil, fmt.Errorf("set %s: %w", set.ID, err)
		}
		for _, p := range tiles {
			flat = append(flat, p.Floats()...)
		}
	}
	return j.tensor(flat, len(sets), n), nil, nil
}
