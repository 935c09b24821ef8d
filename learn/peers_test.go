package learn

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/peerstest"
	"github.com/riffle-ml/riffle/run"
)

// trainTogether trains in a run directory by goroutines that stand for processes; the last one's
// context ends after so many looks at it.
func trainTogether(t *testing.T, cfg config.Config, path string, size int, resume bool, looks int) []error {
	t.Helper()
	peers, errs := peerstest.New(size), make([]error, size)
	var wait sync.WaitGroup
	for rank := range size {
		wait.Go(func() {
			ctx := t.Context()
			if rank == size-1 {
				ctx = &stopping{ctx, looks}
			}
			errs[rank] = trainPeer(ctx, t, cfg, path, resume, peers[rank])
		})
	}
	wait.Wait()
	return errs
}

func trainPeer(ctx context.Context, t *testing.T, cfg config.Config, path string, resume bool, peer peerstest.Peer) (err error) {
	m, _, err := New(cfg, openEngine(t, "go"))
	if err != nil {
		return err
	}
	var dir *run.Dir
	switch {
	case peer.Rank() > 0: // when the first one has it
	case resume:
		dir, err = run.Resume(path)
	default:
		dir, err = run.Create(path, &m.Config)
	}
	if err := errors.Join(err, peer.Sum([]float32{0})); err != nil {
		return err
	}
	if peer.Rank() > 0 {
		if dir, err = run.Open(path); err != nil {
			return err
		}
	}
	return errors.Join(m.Train(ctx, dir, resume, TrainOptions{Peers: peer}), dir.Close())
}

// Each batch is shared by 2 processes, by 3 after a stop, and by one at the end. Every method that is
// shared has the losses of one process. All stop where one of them is told to.
func TestPeersShareTraining(t *testing.T) {
	for name, change := range map[string]func(*config.Config){
		"bound":       func(*config.Config) {},
		"random step": func(c *config.Config) { c.Train.Objective = "random-step" },
		"sedd":        func(c *config.Config) { c.Method, c.Baseline.Graph = "sedd", "uniform" },
		"diffsort":    func(c *config.Config) { c.Method = "diffsort" },
		"average":     func(c *config.Config) { c.Train.Average = 0.9 },
		"frozen":      func(c *config.Config) { c.Train.Frozen = []string{"encoder."} },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := tiny()
			cfg.Model.Dropout, cfg.Train.Steps = 0, 12
			change(&cfg)
			_, one := train(t, cfg, openEngine(t, "go"))
			want := losses(t, one)
			path := filepath.Join(t.TempDir(), "run")
			for i, size := range []int{2, 3, 1} {
				looks := 4
				if size == 1 {
					looks = 1000
				}
				for rank, err := range trainTogether(t, cfg, path, size, i > 0, looks) {
					if (size > 1) != errors.Is(err, ErrStopped) || size == 1 && err != nil {
						t.Fatalf("process %d of %d: %v", rank+1, size, err)
					}
				}
			}
			got := losses(t, path)
			if len(got) != len(want) {
				t.Fatalf("%d steps, wanted %d", len(got), len(want))
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-5*math.Abs(want[i]) {
					t.Errorf("step %d: loss %.8f, wanted %.8f as in one process", i+1, got[i], want[i])
				}
			}
		})
	}
}

// What several processes cannot train is told before a directory is touched.
func TestCheckPeers(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	for size, want := range map[int]string{1: "", 2: "", 4: "processes: must divide train.batch (6) (got 4)"} {
		if err := m.CheckPeers(peerstest.New(size)[0]); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%d processes: %v, wanted %q", size, err, want)
		}
	}
	latent := tiny()
	latent.Train.Objective = "latent"
	m = newModel(t, latent, m.Engine)
	if err := m.CheckPeers(peerstest.New(2)[1]); err == nil || !strings.Contains(err.Error(), "latent trains in one process (got 2)") {
		t.Errorf("latent: %v", err)
	}
}

// Among three processes too, whose thirds seldom add up to the number, frozen weights stay bit for bit.
func TestPeersFrozen(t *testing.T) {
	cfg := tiny()
	cfg.Train.Frozen = []string{"encoder."}
	e := openEngine(t, "go")
	path := filepath.Join(t.TempDir(), "run")
	if err := errors.Join(trainTogether(t, cfg, path, 3, false, math.MaxInt)...); err != nil {
		t.Fatal(err)
	}
	start := newModel(t, cfg, e)
	before, _, _, err := run.FromStore(start.Store, start.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	end, _, err := Load(path, e)
	if err != nil {
		t.Fatal(err)
	}
	after, _, _, err := run.FromStore(end.Store, end.Denoiser)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range after {
		if same := reflect.DeepEqual(w, before[i]); same != strings.HasPrefix(w.Name, "encoder.") {
			t.Errorf("%s: the same as before: %t", w.Name, same)
		}
	}
}
