package sort

import "github.com/riffle-ml/riffle/dataset"

// fromPaper turns a grey picture of dark ink on light paper into one of light ink on black, as
// MNIST's digits are. It also reports whether the picture shows paper: whether the pixels along its
// edges are light on average. With P the grey of the edge and D the darkest pixel, v becomes 255·(P
// − v)/(P − D). The paper's grain and shade, less than a fifth of the way from P to D, become
// black.
func fromPaper(p *dataset.Picture) (ink *dataset.Picture, onPaper bool) {
	sum, count := 0, 0
	darkest := 255
	for i, v := range p.Pix {
		row, column := i/p.Cols, i%p.Cols
		if row == 0 || row == p.Rows-1 || column == 0 || column == p.Cols-1 {
			sum, count = sum+int(v), count+1
		}
		darkest = min(darkest, int(v))
	}
	paper := sum / max(1, count)
	if paper < 128 {
		return nil, false
	}
	ink = &dataset.Picture{Rows: p.Rows, Cols: p.Cols, Channels: 1, Pix: make([]uint8, len(p.Pix))}
	for i, v := range p.Pix {
		if depth := paper - int(v); 5*depth >= paper-darkest && depth > 0 {
			ink.Pix[i] = uint8(255 * depth / (paper - darkest))
		}
	}
	return ink, true
}
