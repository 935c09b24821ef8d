package task

import (
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
)

// DigitSize is the side of a digit of MNIST, in pixels.
const DigitSize = 28

// MNIST are its digits to train on and to test on.
type MNIST struct{ Train, Test *dataset.Digits }

// LoadMNIST reads MNIST from a folder, once a process. With "" it finds the folder. Where one was
// named, its errors name the key.
func LoadMNIST(dir string) (MNIST, error) {
	d, err := loadMNIST(dir)
	if err != nil && dir != "" {
		err = ErrData(config.TaskData, dir, err)
	}
	return d, err
}

var loadMNIST = Once(dataset.FindMNIST, func(dir string) (d MNIST, err error) {
	d.Train, d.Test, err = dataset.LoadMNIST(dir)
	return d, err
})

// Held is how many of n training images are kept for validation: the last thousand, or the last
// tenth where that is less.
func Held(n int) int { return max(1, min(1000, n/10)) }
