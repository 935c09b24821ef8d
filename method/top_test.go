package method

import (
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/reverse"
	forward "github.com/riffle-ml/riffle/shuffle"
)

// The first positions count, of a law that has them and of one reverse step, whose positions are those of X_0.
func TestTopWeight(t *testing.T) {
	setup := func(top int, law reverse.Law, steps ...int) *Setup {
		return &Setup{Config: &config.Config{Train: config.Train{Top: top}}, Process: &diffusion.Process{Forward: forward.Riffle{}, Reverse: law, Steps: steps}}
	}
	weight, err := topWeight(setup(2, reverse.PlackettLuce{}, 0, 7))
	if err != nil || weight(0) != 1 || weight(1) != 1 || weight(2) != 0 {
		t.Errorf("%v: wanted weights 1, 1, 0", err)
	}
	if weight, err := topWeight(setup(0, reverse.InverseRiffle{}, 0, 3, 7)); weight != nil || err != nil {
		t.Errorf("without train.top: %v", err)
	}
	for want, s := range map[string]*Setup{
		"train.top: is for process.reverse pl and gpl (got": setup(2, reverse.InverseRiffle{}, 0, 7),
		"train.top: is for one reverse step":                setup(2, reverse.PlackettLuce{}, 0, 3, 7),
	} {
		if _, err := topWeight(s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
}
