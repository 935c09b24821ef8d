package tour

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// labels are the shortest tours of count instances of n cities, drawn from a seed. A tour is found
// when it is first asked for, and kept from run to run in a file of the user's cache folder. An
// instance and its tour depend on the seed, the split and the number alone. So what is in the file
// changes how long a training takes and nothing else.
type labels struct {
	n, count int
	seed     uint64
	split    task.Split

	mu     sync.Mutex
	read   bool
	solved []uint16 // [count, n], the first two equal where it is not solved
	fresh  int      // solved since the file was written
}

// labelsVersion changes with what [tsp.Label] finds or with how instances are drawn.
const labelsVersion = 1

// keptToJudge is how many instances of the validation and the test are kept.
const keptToJudge = 2048

func newLabels(n, count int, seed uint64, split task.Split) *labels {
	return &labels{n: n, count: count, seed: seed, split: split}
}

// get returns the points of some instances and their tours.
func (l *labels) get(numbers []int) (points [][][2]float64, tours []perm.Order) {
	l.open()
	points, tours = make([][][2]float64, len(numbers)), make([]perm.Order, len(numbers))
	parallel.For(len(numbers), func(i int) {
		rng := task.Source(l.seed, l.split, numbers[i])
		points[i] = drawPoints(rng, l.n)
		if tours[i] = l.known(numbers[i]); tours[i] == nil {
			tours[i] = tsp.Label(points[i], rng)
			l.learn(numbers[i], tours[i])
		}
	})
	return points, tours
}

func drawPoints(rng *rand.Rand, n int) [][2]float64 {
	points := make([][2]float64, n)
	for k := range points {
		points[k] = [2]float64{rng.Float64(), rng.Float64()}
	}
	return points
}

func (l *labels) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read {
		return
	}
	l.read, l.solved = true, make([]uint16, l.count*l.n)
	path, err := l.path()
	if err != nil {
		return
	}
	if data, err := os.ReadFile(path); err == nil {
		if solved, ok := l.decode(data); ok { // a file that is torn counts as none
			l.solved = solved
		}
	}
}

func (l *labels) known(number int) perm.Order {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := l.solved[number*l.n : (number+1)*l.n]
	if row[0] == row[1] {
		return nil
	}
	tour := make(perm.Order, l.n)
	for i, k := range row {
		tour[i] = int(k)
	}
	return tour
}

func (l *labels) learn(number int, tour perm.Order) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, k := range tour {
		l.solved[number*l.n+i] = uint16(k)
	}
	l.fresh++
}

// flush writes the file if there is something new.
func (l *labels) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fresh == 0 {
		return nil
	}
	path, err := l.path()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := run.WriteFile(path, func(w io.Writer) error { _, err := w.Write(l.encode()); return err }); err != nil {
		return err
	}
	l.fresh = 0
	return nil
}

func (l *labels) path() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	split := map[task.Split]string{task.Train: "train", task.Validation: "validation", task.Test: "test"}[l.split]
	return filepath.Join(cache, "riffle", "tours", fmt.Sprintf("%s-n%d-count%d-seed%d.bin", split, l.n, l.count, l.seed)), nil
}

func (l *labels) header() string {
	return fmt.Sprintf("riffle tours %d split %d n %d count %d seed %d\n", labelsVersion, l.split, l.n, l.count, l.seed)
}

// encode is a line that says what it is, the tours as uint16 little-endian, and the SHA-256 of both.
func (l *labels) encode() []byte {
	data := append([]byte(l.header()), make([]byte, 0, 2*len(l.solved)+sha256.Size)...)
	for _, k := range l.solved {
		data = binary.LittleEndian.AppendUint16(data, k)
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

func (l *labels) decode(data []byte) (solved []uint16, ok bool) {
	header := l.header()
	end := len(header) + 2*l.count*l.n
	if len(data) != end+sha256.Size || string(data[:len(header)]) != header {
		return nil, false
	}
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, false
	}
	solved = make([]uint16, l.count*l.n)
	for i := range solved {
		solved[i] = binary.LittleEndian.Uint16(data[len(header)+2*i:])
	}
	seen := make([]bool, l.n)
	for row := range slices.Chunk(solved, l.n) {
		if row[0] == row[1] {
			continue
		}
		clear(seen)
		for _, k := range row {
			if int(k) >= l.n || seen[k] {
				return nil, false
			}
			seen[k] = true
		}
	}
	return solved, true
}
