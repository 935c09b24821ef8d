package learn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/perm"
)

// orderer finds orders with a method that diffusion is compared with.
type orderer interface {
	// orders finds one of each of some sets, number first, first+1, … of their split. What a
	// method that knows nothing of permutations gives may be none.
	orders(objects *tensors.Tensor, first int) ([]perm.Order, error)
	close()
}

// errBaseline is the error for what a baseline cannot do.
func (m *Model) errBaseline(what string) error {
	if m.Config.Method == "diffusion" {
		return nil
	}
	return fmt.Errorf("method %s: has no %s, it is there to be compared with\nhint: riffle eval judges it; a model with method diffusion can do the rest", m.Config.Method, what)
}

// orderer returns that of the model's method.
func (m *Model) orderer() (orderer, error) {
	if m.other != nil {
		return m.other, nil
	}
	var err error
	switch m.Config.Method {
	case "sedd":
		m.other, err = m.newSEDD()
	default:
		m.other, err = m.newRelaxed()
	}
	return m.other, err
}

// scorer runs a network once: objects, arrangements [batch, 1, n] and times [batch, 1] → the
// head's scores, after f.
type scorer struct{ exec *model.Exec }

func (m *Model) newScorer(f func(scores, times *graph.Node) *graph.Node) (*scorer, error) {
	exec, err := model.NewExec(m.Engine.Backend, m.Store, func(_ *model.Scope, objects, arrangements, times *graph.Node) *graph.Node {
		c := denoiser.NewContext(objects.Graph(), m.Store, false, nil)
		return f(m.Denoiser.Scores(c, m.Denoiser.Encode(c, objects), arrangements, times), times)
	})
	return &scorer{exec}, err
}

func (s *scorer) call(objects *tensors.Tensor, arrangements []int32, time float32) ([]float32, error) {
	dims := objects.Shape().Dimensions
	times := make([]float32, dims[0])
	for i := range times {
		times[i] = time
	}
	out, err := s.exec.Call1(objects, tensors.FromFlatDataAndDimensions(arrangements, dims[0], 1, dims[1]), tensors.FromFlatDataAndDimensions(times, dims[0], 1))
	if err != nil {
		return nil, err
	}
	flat, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		return nil, err
	}
	return flat, out.FinalizeAll()
}

func (s *scorer) close() { s.exec.Finalize() }
