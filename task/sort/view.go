package sort

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/parallel"
)

// views are the first copies after the pictures as they are: turned either way, then moved either way. What they
// misread has least to do with each other.
var views = []distortion{
	turned(4), turned(-4),
	moved(1, 0), moved(-1, 0), moved(0, 1), moved(0, -1),
}

func turned(degrees float64) distortion {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return distortion{affine: affine{xx: cos, xy: sin, yx: -sin, yy: cos}}
}

func moved(x, y float64) distortion { return distortion{affine: affine{xx: 1, yy: 1, x: x, y: y}} }

// view is how copy c shows a digit. After those above it is turned and moved at random, within their bounds.
func view(c int) distortion {
	if c <= len(views) {
		return views[c-1]
	}
	return drawDistortion(rand.New(rand.NewPCG(uint64(c), 0)), config.Augment{Rotate: 4, Shift: 1})
}

// View implements [task.Viewer]: each digit is turned by 4 degrees or moved by a pixel within its window.
func (s *Task) View(objects *tensors.Tensor, c int) (*tensors.Tensor, error) {
	dims := objects.Shape().Dimensions
	flat, err := tensors.CopyFlatData[uint8](objects)
	if err != nil {
		return nil, fmt.Errorf("task sort: pictures: %w", err)
	}
	if c > 0 {
		stride, m := digitSize*s.digits, view(c)
		size := digitSize * stride
		own := slices.Clone(flat)
		parallel.For(len(flat)/size, func(i int) {
			digit := make([]uint8, digitSize*digitSize)
			for d := range s.digits {
				window := i*size + d*digitSize
				for y := range digitSize {
					copy(digit[y*digitSize:], own[window+y*stride:][:digitSize])
				}
				warp(flat[window:], stride, digit, m)
			}
		})
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...), nil
}
