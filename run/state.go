package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// State is what a checkpoint knows besides its tensors.
type State struct {
	Step     int     `json:"step"`            // training steps made
	Elapsed  float64 `json:"elapsed_seconds"` // time spent in training, over all resumptions
	Skipped  int     `json:"skipped"`         // steps refused because their gradient was not finite
	Finished bool    `json:"finished"`
	Engine   string  `json:"engine"` // go, xla or cuda, which made the last steps; "" where none is known
	// ControlVariate is the moving average of a training by the latent objective.
	ControlVariate float64 `json:"control_variate,omitzero"`
	// SHA256 holds the hash of each file in hex, that of state.json taken with zeros in its
	// own place. It is filled in by [Dir.SaveCheckpoint].
	SHA256 map[string]string `json:"sha256"`
	// Config holds the configuration of the training as [Config.Values] gives it, nil in runs of
	// before it was kept. It is filled in by [Dir.SaveCheckpoint].
	Config map[string]string `json:"config,omitempty"`
}

const (
	maxState   = 1 << 20 // bytes of state.json
	maxFiles   = 1 << 12 // that a checkpoint has
	maxElapsed = 9e9     // seconds, what [time.Duration] holds
)

// tensorFile matches the names of the files of tensors: whole, a part, the index of the parts.
var tensorFile = regexp.MustCompile(`^(model|adam_m|adam_v|trained)(-\d{5}-of-\d{5})?\.safetensors(\.index\.json)?$`)

var zeroHash = strings.Repeat("0", 2*sha256.Size)

func encodeState(s State) ([]byte, error) {
	s.SHA256[StateFile] = zeroHash // the first of its kind in the text, Config comes after
	data, err := json.Marshal(s, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	sum := sha256.Sum256(data)
	return bytes.Replace(data, []byte(zeroHash), []byte(hex.EncodeToString(sum[:])), 1), nil
}

func (d *Dir) readState(place string) (State, error) {
	name := filepath.Join(place, StateFile)
	data, err := d.disk.readFile(name, maxState)
	if err != nil {
		return State{}, err
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return State{}, fmt.Errorf("%s: is damaged: is not what riffle writes there", name)
	}
	for file := range s.SHA256 { // files are moved by these names: none may lead out of the directory
		if file != StateFile && file != ItemsFile && !tensorFile.MatchString(file) {
			return State{}, fmt.Errorf("%s: sha256: %.60q is not the name of a file of a checkpoint", name, file)
		}
	}
	if s.Step < 0 || s.Skipped < 0 || s.Skipped > s.Step || !(s.Elapsed >= 0 && s.Elapsed < maxElapsed) || len(s.SHA256) > maxFiles {
		return State{}, fmt.Errorf("%s: is damaged: has steps, seconds or files that no training has", name)
	}
	if s.Engine != "" && s.Engine != "go" && s.Engine != "xla" && s.Engine != "cuda" { // a name with a path would have a library loaded
		return State{}, fmt.Errorf("%s: engine: wanted go, xla or cuda (got %.40q)", name, s.Engine)
	}
	own := s.SHA256[StateFile]
	sum := sha256.Sum256(bytes.Replace(data, []byte(own), []byte(zeroHash), 1))
	if got := hex.EncodeToString(sum[:]); own == "" || got != own {
		return State{}, fmt.Errorf("%s: damaged or changed: wanted SHA-256 %.12s… (got %.12s…)", name, own, got)
	}
	return s, nil
}
