package method

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
)

// scorer runs a network once: objects, arrangements [batch, 1, n] and times [batch, 1] → the
// head's scores, after f.
type scorer struct{ exec *model.Exec }

func newScorer(s *Setup, f func(scores, times *graph.Node) *graph.Node) (*scorer, error) {
	exec, err := model.NewExec(s.Engine.Backend, s.Store, func(_ *model.Scope, objects, arrangements, times *graph.Node) *graph.Node {
		c := denoiser.NewContext(objects.Graph(), s.Store, false, nil)
		return f(s.Denoiser.Scores(c, s.Denoiser.Encode(c, objects), arrangements, times), times)
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

// Close frees the compiled graph.
func (s *scorer) Close() { s.exec.Finalize() }
