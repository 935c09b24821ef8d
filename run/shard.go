package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tensors that would make a file larger than maxFile go into several. They are named as Hugging
// Face's libraries name and read them: model-00001-of-00003.safetensors, …. An index says which
// holds what, model.safetensors.index.json. A single array that is larger has a file of its own.

// maxFile is the most bytes of data in a file of tensors: with its header it stays under
// 16 MB. A variable for the sake of tests.
var maxFile = 15_500_000

// shard is a file of tensors.
type shard struct {
	name    string
	tensors []Tensor
}

// shards distributes tensors over files, in their order: one of the given name where they
// fit, else several.
func shards(name string, tensors []Tensor) []shard {
	var parts [][]Tensor
	room := 0
	for _, t := range tensors {
		size := 4 * len(t.Data)
		if len(parts) == 0 || size > room {
			parts, room = append(parts, nil), maxFile
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], t)
		room -= size
	}
	if len(parts) <= 1 {
		return []shard{{name, tensors}}
	}
	out := make([]shard, len(parts))
	for i, p := range parts {
		out[i] = shard{fmt.Sprintf("%s-%05d-of-%05d.safetensors", strings.TrimSuffix(name, ".safetensors"), i+1, len(parts)), p}
	}
	return out
}

func indexName(name string) string { return name + ".index.json" }

// shardIndex is the file that says which shard holds a tensor.
type shardIndex struct {
	Metadata  map[string]int    `json:"metadata"`
	WeightMap map[string]string `json:"weight_map"`
}

func newShardIndex(parts []shard) shardIndex {
	x := shardIndex{Metadata: map[string]int{"total_size": 0}, WeightMap: map[string]string{}}
	for _, p := range parts {
		for _, t := range p.tensors {
			x.WeightMap[t.Name] = p.name
			x.Metadata["total_size"] += 4 * len(t.Data)
		}
	}
	return x
}

// tensorFilesOf lists the files that hold the tensors of a name in a checkpoint, in their
// order.
func (s State) tensorFilesOf(name string) []string {
	if _, whole := s.SHA256[name]; whole {
		return []string{name}
	}
	prefix := strings.TrimSuffix(name, ".safetensors") + "-"
	var names []string
	for _, file := range slices.Sorted(maps.Keys(s.SHA256)) {
		if strings.HasPrefix(file, prefix) && strings.HasSuffix(file, ".safetensors") {
			names = append(names, file)
		}
	}
	if names == nil {
		return []string{name} // which will be found missing
	}
	return names
}

// files lists the files that a checkpoint moves, all but its state.
func (s State) files() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.SHA256)), func(name string) bool { return !tensorFile.MatchString(name) })
}
