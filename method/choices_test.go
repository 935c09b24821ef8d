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
func TestJudging(t *testing.T) {
	setup := func(top int, law reverse.Law, steps ...int) *Setup {
		return &Setup{Config: &config.Config{Train: config.Train{Top: top}}, Process: &diffusion.Process{Forward: forward.Riffle{}, Reverse: law, Steps: steps}}
	}
	j, err := judging(setup(2, reverse.PlackettLuce{}, 0, 7))
	if err != nil || j.Weight(0) != 1 || j.Weight(1) != 1 || j.Weight(2) != 0 {
		t.Errorf("%v: wanted weights 1, 1, 0", err)
	}
	if j, err := judging(setup(0, reverse.InverseRiffle{}, 0, 3, 7)); j.Weight != nil || err != nil {
		t.Errorf("without train.top: %v", err)
	}
	lapse := setup(0, reverse.InverseRiffle{}, 0, 7)
	lapse.Config.Train.Lapse = 0.01
	for _, train := range []config.Train{{Top: 1}, {Lapse: 0.1}} {
		if _, err := latent.train(&Setup{Config: &config.Config{Train: train}}); err == nil || !strings.Contains(err.Error(), "is for train.objective bound and random-step") {
			t.Errorf("latent with %+v: %v", train, err)
		}
	}
	for want, s := range map[string]*Setup{
		"train.top: is for process.reverse gpl, cgpl and pl (got":   setup(2, reverse.InverseRiffle{}, 0, 7),
		"train.lapse: is for process.reverse gpl, cgpl and pl (got": lapse,
		"train.top: is for one reverse step":                        setup(2, reverse.PlackettLuce{}, 0, 3, 7),
	} {
		if _, err := judging(s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
}
