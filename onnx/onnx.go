// Package onnx writes a trained network for ONNX Runtime and other readers of ONNX.
//
// There are two models, as objects are encoded once and scored once a reverse step:
//
//	encoder   objects [batch, n, …]                            → embeddings [batch, n, d]
//	denoiser  embeddings, arrangement [batch, n], time [batch] → scores [batch, …]
//
// Axes batch and n are dynamic; n may be at most the N that the network was made for, where a table of positions or
// identities ends. Objects are float32 except for identities, [batch, n] int64. Pixels in [0, 1] are [batch, n,
// height, width], in colour with a last axis of 3. Points are [batch, n, 2], see below, and features [batch, n, f].
// Arrangements, in order form (arrangement[i] is the object at position i), and times are int64. Scores are those
// of [denoiser.Denoiser.Scores]: [batch, n, n] for GPL, [batch, n + 1, n] for path, [batch, n + 1] for IT, else
// [batch, n]. A network of direct scores takes the time like the others, and does not read it. A beam of several
// states a set repeats the set's embeddings.
//
// In package denoiser an index that is no object's reads as zeros. ONNX takes no index below −n or
// from n on, and counts from the end below 0.
//
// Both models carry what decoding needs to know as metadata: law, schedule, fix_first, n, encoder
// and, for points, points. law is such as "gpl". With the schedule "[0,3,5,9]" scores at time 9
// lead to a state of time 5. fix_first is "true" where position 0 keeps its object, as a tour's
// first city does, and is no part of a step. points says how points were brought to the network.
// "spread" is to the centre (½, ½) and a mean squared distance of 1/12 from it along an axis.
// "unit" is into the unit square, where they were not in it. Where each size of sets has a schedule
// of its own, schedules maps n to it ({"2":[0,3]}), for networks made for up to 1,000 objects.
// schedule is then that of the largest.
//
// The weights keep the names and the layout of model.safetensors. The format is that of
// github.com/onnx/onnx, onnx.proto, IR version 8, the operators those of opset 17 (2022).
package onnx

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
	"github.com/riffle-ml/riffle/run"
)

// Opset is the version of ONNX's operators that the models need, IR that of the format.
const (
	Opset = 17
	IR    = 8
)

// Names of the files of an export.
const (
	EncoderFile  = "encoder.onnx"
	DenoiserFile = "denoiser.onnx"
)

// maxSchedules is the largest N whose sizes' schedules are all computed.
const maxSchedules = 1000

// Model is a ModelProto.
type Model struct{ proto []byte }

// WriteTo implements [io.WriterTo].
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.proto)
	return int64(n), err
}

// Export builds both models from a network, its weights, which may stand in any order, and the process that it was
// trained for. Errors are an encoder of your own, a missing weight, one of another shape, and a network of a
// method that diffusion is compared with. So are weights of 2 GiB, more than a file can hold.
func Export(d *denoiser.Denoiser, p *diffusion.Process, weights []run.Tensor) (encoder, scores *Model, err error) {
	cfg := &d.Config
	if cfg.Head != "" {
		return nil, nil, fmt.Errorf("onnx: wanted the network of method diffusion, which gives a law's scores (got one that gives %q)", cfg.Head)
	}
	if !d.HasONNX() {
		return nil, nil, fmt.Errorf("onnx: encoder %q has no ONNX form", cfg.Encoder.Kind)
	}
	byName := map[string]onnxgraph.Array{}
	for _, t := range weights {
		byName[t.Name] = onnxgraph.Array{Shape: t.Shape, Data: t.Data}
	}
	bytes := 0
	for _, p := range d.Params() {
		t, ok := byName[p.Name]
		if !ok || !slices.Equal(t.Shape, p.Shape) || len(t.Data) != p.Size() {
			return nil, nil, fmt.Errorf("onnx: %s: wanted shape %v (got %v, %d values)", p.Name, p.Shape, t.Shape, len(t.Data))
		}
		bytes += 4 * len(t.Data)
	}
	if bytes > onnxgraph.MaxBytes-1<<24 { // some for the nodes and the table of positions
		return nil, nil, fmt.Errorf("onnx: wanted weights of less than 2 GiB, the most that one file can hold (got %d bytes)", bytes)
	}
	schedule, err := json.Marshal(p.Steps)
	if err != nil {
		return nil, nil, err
	}
	metadata := map[string]string{
		"law": cfg.Law.Name(), "schedule": string(schedule), "fix_first": strconv.FormatBool(p.FixFirst), "n": strconv.Itoa(cfg.N), "encoder": cfg.Encoder.Kind,
	}
	if cfg.Encoder.Points != "" {
		metadata["points"] = cfg.Encoder.Points
	}
	if p.Sizes != nil && cfg.N <= maxSchedules {
		bySize := map[int][]int{}
		for n := 1; n <= cfg.N; n++ {
			bySize[n] = p.At(n).Steps
		}
		schedules, err := json.Marshal(bySize)
		if err != nil {
			return nil, nil, err
		}
		metadata["schedules"] = string(schedules)
	}
	b := builder{onnxgraph.New(byName)}
	embeddings, width := d.EncodeONNX(b.Builder)
	b.Output(embeddings, "embeddings", "", "batch", "n", width)
	encoder = b.model("encoder", "Riffle's encoder: objects to embeddings, once a set.", metadata)

	b = builder{onnxgraph.New(byName)}
	out, axes := b.scores(cfg, width)
	b.Output(out, "scores", "of the law "+cfg.Law.LongName(), axes...)
	scores = b.model("denoiser", "Riffle's denoiser: embeddings in an arrangement at a time to the scores of the reverse law "+cfg.Law.LongName()+".", metadata)
	return encoder, scores, nil
}

// builder puts the graphs of a network together.
type builder struct{ *onnxgraph.Builder }

type value = onnxgraph.Value

func (b builder) model(name, doc string, metadata map[string]string) *Model {
	return &Model{b.Model(IR, Opset, name, doc, metadata)}
}
