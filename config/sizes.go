package config

import (
	"fmt"
	"math"
	"strconv"
)

// step is how many times larger than the one before a size of training sets may be. Few sizes are few
// shapes to compile, and what lies between two of them is not far from either.
const step = 1.5

// TrainSizes are the sizes of training sets, rising. With task.n_min = a they go from a to task.n = b in
// k equal ratios, a·(b/a)^(i/k) rounded. k is the least that keeps a ratio at 1.5 or below. Without
// task.n_min the only size is task.n.
func (c *Config) TrainSizes() []int {
	low, high := c.SmallestSet(), c.Task.N
	if low >= high {
		return []int{high}
	}
	ratio := float64(high) / float64(low)
	k := math.Ceil(math.Log(ratio)/math.Log(step) - 1e-9)
	sizes := []int{low}
	for i := 1.0; i <= k; i++ {
		if n := int(math.Round(float64(low) * math.Pow(ratio, i/k))); n > sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// SmallestSet is how many objects the smallest sets of training have, if not ranked lists.
func (c *Config) SmallestSet() int {
	if c.Task.NMin > 0 {
		return c.Task.NMin
	}
	return c.Task.N
}

// BatchOf is how many sets of n objects a training step has: train.batch of task.n, and else a
// multiple of it, with at most as many objects.
func (c *Config) BatchOf(n int) int { return c.Train.Batch * (c.Task.N / n) }

// MeanBatch is how many sets a training step has in the mean.
func (c *Config) MeanBatch() float64 {
	sizes, sum := c.TrainSizes(), 0
	for _, n := range sizes {
		sum += c.BatchOf(n)
	}
	return float64(sum) / float64(len(sizes))
}

// SizesInWords is the range of training sets, such as "3 to 32".
func (c *Config) SizesInWords() string {
	if low := c.SmallestSet(); low < c.Task.N {
		return fmt.Sprintf("%d to %d", low, c.Task.N)
	}
	return strconv.Itoa(c.Task.N)
}
