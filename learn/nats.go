package learn

import "github.com/riffle-ml/riffle/internal/jsonnum"

// Nats is a natural logarithm. JSON has no infinities: the log of a probability of 0 is the text
// "-Infinity". "NaN" and "Infinity" come from a model whose weights are ruined.
type Nats float64

// MarshalJSON implements json.Marshaler.
func (n Nats) MarshalJSON() ([]byte, error) { return jsonnum.Number(n).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nats) UnmarshalJSON(data []byte) error { return (*jsonnum.Number)(n).UnmarshalJSON(data) }
