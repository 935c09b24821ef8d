package ranking

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"strconv"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
)

// keys are what sets are dealt out by: a hash of a set's id, of its content where it has none, and of bare items always of
// the content. Of several sets with one content all have the least of their keys, so that they go together. So a set is
// dealt out alike wherever it stands in its file and whatever else the file has.
func keys(sets []*dataset.Set) []uint64 {
	contents, out := make([]uint64, len(sets)), make([]uint64, len(sets))
	least := map[uint64]uint64{}
	for i, s := range sets {
		contents[i] = content(s)
		if out[i] = contents[i]; s.ID != "" && s.Kind != dataset.KindBare {
			out[i] = hash(s.ID, 0)
		}
		if k, there := least[contents[i]]; !there || out[i] < k {
			least[contents[i]] = out[i]
		}
	}
	for i := range out {
		out[i] = least[contents[i]]
	}
	return out
}

// content is a hash of what a set holds: of features, images or points that of its items, whatever their order, and of bare
// items that of what is known of their order. Features count by their names, or their numbers where they have none, in
// whatever order. Those that are 0 or empty do not count, as a file may leave them out.
func content(s *dataset.Set) uint64 {
	if s.Kind == dataset.KindBare {
		h := uint64(0)
		for _, group := range s.Known() {
			sum := uint64(0)
			for _, k := range group {
				sum += hash(cmp.Or(s.Items[k].ID, strconv.Itoa(k)), 0) // of many items a vote may name few
			}
			h = spread(h ^ spread(sum))
		}
		return h
	}
	columns := labels(s)
	sum := uint64(0)
	for k := range s.Items {
		it := &s.Items[k]
		item := uint64(0)
		switch s.Kind {
		case dataset.KindFeatures:
			for j, v := range it.Features {
				if v != 0 && !math.IsNaN(v) {
					item += hash(columns[j], math.Float64bits(v))
				}
			}
		case dataset.KindImage:
			item = hash(it.Image, 0)
		case dataset.KindPoint:
			item = spread(hash("x", math.Float64bits(it.Point[0])) + hash("y", math.Float64bits(it.Point[1])))
		}
		sum += spread(item)
	}
	return spread(sum)
}

// labels are what the features of a set are called.
func labels(s *dataset.Set) []string {
	if s.Kind != dataset.KindFeatures || len(s.Items) == 0 {
		return nil
	}
	out := make([]string, len(s.Items[0].Features))
	for j := range out {
		switch c := s.Columns; {
		case c == nil:
			out[j] = strconv.Itoa(j)
		case c.Sparse:
			out[j] = strconv.Itoa(c.First + j)
		default:
			out[j] = c.Names[j]
		}
	}
	return out
}

func hash(text string, bits uint64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64([]byte(text), bits))
	return spread(h.Sum64())
}

// spread spreads a number over all bits.
func spread(x uint64) uint64 { return diffusion.Mix(x, 0) }
