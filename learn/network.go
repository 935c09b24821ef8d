package learn

// Network describes the network and the batches of a model as the PyTorch reference takes them.
func (m *Model) Network() map[string]any {
	d := m.Denoiser.Config
	n := map[string]any{
		"n": d.N, "gpl_rows": d.GPLRows, "dim": d.Dim, "layers": d.Layers, "heads": d.Heads, "feed_forward": d.FeedForward, "score": d.Score,
		"dropout": d.Dropout, "positions": d.Positions, "edges": d.Edges, "pairs": d.Pairs, "encoder": d.Encoder.Kind, "height": d.Encoder.Height,
		"width": d.Encoder.Width, "window": d.Encoder.Window, "channels": d.Encoder.Channels, "kernel": d.Encoder.Kernel,
		"hidden": d.Encoder.Hidden, "features": d.Encoder.Features,
		"batch": m.Config.Train.Batch, "eval_batch": m.Config.Eval.Batch, "beam": m.Config.Decode.Beam, "inner": m.Config.Decode.Inner,
	}
	if m.Method.Diffuses() {
		n["law"], n["schedule"], n["states"], n["fix_first"] = m.Process.Reverse.Name(), m.Process.Steps, m.Config.Objective().PerSet(m.Process), m.Process.FixFirst
	}
	return n
}
