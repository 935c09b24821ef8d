package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/run"
)

// A file of weights says what network it is of, also where those of its run do not.
func TestWeightsCarryTheirConfiguration(t *testing.T) {
	to := filepath.Join(t.TempDir(), "rankings.safetensors")
	if _, err := Tensors(filepath.Join("..", "models", "rankings"), to); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	_, metadata, err := run.ReadTensors(data)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(metadata["config"], "name = 'ranking'") || metadata["step"] != "800" {
		t.Errorf("metadata: step %s, configuration %.60q", metadata["step"], metadata["config"])
	}
}
