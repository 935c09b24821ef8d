package reverse_test

import (
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/reverse/reversetest"
)

// Every law passes the suite that laws from elsewhere can run, on all engines.
func TestLaws(t *testing.T) {
	for _, law := range reverse.Laws() {
		t.Run(law.Name(), func(t *testing.T) {
			reversetest.Host(t, law)
			enginetest.Each(t, func(t *testing.T, e *engine.Engine) { reversetest.Graph(t, law, e) })
		})
	}
}
