package jigsaw

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/task"
)

// album is a source of square pictures.
type album struct {
	tests int // how many test pictures there are, 0 for as many as are wanted
	// doubts say what of the data is not used.
	doubts []string
	// pick returns the picture of set index of a split, drawn by rng where it is drawn.
	pick func(split task.Split, index int, rng *rand.Rand) view
}

// view is a picture in an album: pixel (y, x) starts at pix[y*stride+x*planes].
type view struct {
	pix    []uint8
	stride int
	number uint64 // of the picture, all that its noise depends on beside the seed
}

// bound is the album of a data set whose test images are known. Test set i is test image i. A
// training set is a training image at random, and validation has the last of the training images.
func bound(train, test func(int) []uint8, stride, trains, tests int) *album {
	free := trains - task.Held(trains)
	return &album{tests: tests, pick: func(split task.Split, index int, rng *rand.Rand) view {
		switch split {
		case task.Test:
			i := index % tests // the rest of a batch that ends beyond the last
			return view{test(i), stride, uint64(trains + i)}
		case task.Validation:
			i := free + index%(trains-free)
			return view{train(i), stride, uint64(i)}
		}
		i := rng.IntN(free)
		return view{train(i), stride, uint64(i)}
	}}
}

var loadMNIST = task.LoadMNIST // tests have others

func mnistAlbum(dir string) (*album, error) {
	d, err := loadMNIST(dir)
	if err != nil {
		return nil, err
	}
	return bound(d.Train.At, d.Test.At, digitSize, d.Train.N, d.Test.N), nil
}

var cifarAlbum = task.Once(dataset.FindCIFAR10, func(dir string) (*album, error) {
	train, test, err := dataset.LoadCIFAR10(dir)
	if err != nil {
		return nil, err
	}
	return bound(train.At, test.At, 3*dataset.CIFARSide, train.N, test.N), nil
})

var photoAlbum = task.Once(func() (string, error) {
	dir, err := dataset.FindPhotos()
	return dir, hint.With(err, "`make photos` fetches some; --set "+config.TaskData+"=DIR names a folder of yours")
}, loadPhotos)

// Parts of a photo, in percent of its longer side, and what all photos may have together.
const (
	trainEnd       = 70
	validationEnd  = 85
	maxPhotoPixels = 1 << 28
)

// region is a part of a photo, from which pictures are cut.
type region struct {
	photo      *dataset.Picture
	number     int // of the photo
	y, x       int
	rows, cols int // places for the upper left corner of a picture
}

// loadPhotos makes pictures of 32 × 32 pixels of a folder's photos. They are pieces at random
// places, each place as likely as another, so that large photos give more. What comes first along a
// photo's longer side is for training, then validation, then the test; no picture crosses from one
// part into another.
func loadPhotos(dir string) (*album, error) {
	set, err := dataset.ReadFolder(dir)
	if err != nil {
		return nil, task.ErrData(config.TaskData, dir, err)
	}
	const side = dataset.CIFARSide
	var parts [task.Test + 1][]region
	var places [task.Test + 1]int
	pixels := 0
	var small []string
	for number, item := range set.Items {
		p, err := dataset.LoadImage(context.Background(), filepath.Join(dir, item.Image))
		if err != nil {
			return nil, err
		}
		if pixels += p.Rows * p.Cols; pixels > maxPhotoPixels {
			return nil, fmt.Errorf("%s: photos have more than %d pixels together", dir, maxPhotoPixels)
		}
		p = p.RGB()
		long := max(p.Rows, p.Cols)
		used := false
		ends := []int{0, long * trainEnd / 100, long * validationEnd / 100, long}
		for split := task.Train; split <= task.Test; split++ {
			from, to := ends[split-1], ends[split]
			r := region{photo: p, number: number, rows: p.Rows - side + 1, cols: p.Cols - side + 1}
			if p.Cols >= p.Rows {
				r.x, r.cols = from, to-from-side+1
			} else {
				r.y, r.rows = from, to-from-side+1
			}
			if r.rows > 0 && r.cols > 0 {
				parts[split] = append(parts[split], r)
				places[split] += r.rows * r.cols
				used = true
			}
		}
		if !used {
			small = append(small, item.Image)
		}
	}
	for split := task.Train; split <= task.Test; split++ {
		if places[split] == 0 {
			return nil, fmt.Errorf("%s: no photo is large enough, wanted one of %d pixels or more along its longer side and %d along the other", dir, smallestPhoto, side)
		}
	}
	var doubts []string
	if len(small) > 0 {
		doubts = append(doubts, fmt.Sprintf("%s: %d of %d photos left out, such as %s: they are too small, wanted %d pixels or more along the longer side and %d along the other", dir, len(small), len(set.Items), small[0], smallestPhoto, side))
	}
	return &album{doubts: doubts, pick: func(split task.Split, _ int, rng *rand.Rand) view {
		place := rng.IntN(places[split])
		rest := parts[split]
		for place >= rest[0].rows*rest[0].cols {
			place, rest = place-rest[0].rows*rest[0].cols, rest[1:]
		}
		r := rest[0]
		y, x := r.y+place/r.cols, r.x+place%r.cols
		return view{r.photo.Pix[(y*r.photo.Cols+x)*3:], r.photo.Cols * 3, uint64(r.number)<<50 | uint64(y)<<25 | uint64(x)}
	}}, nil
}

// smallestPhoto has 32 pixels in each part of its longer side.
const smallestPhoto = 211

// Doubts implements [task.DataDoubter].
func (j *Task) Doubts(task.Split) []string {
	a, err := j.open(j.data)
	if err != nil { // which is said where pictures are drawn
		return nil
	}
	return a.doubts
}
