package figures

import (
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task/ranking"
)

// runLog is what a log says, as series over the steps.
type runLog struct {
	loss, gradient, rate     plot.Series
	exact, correct, tau, gap plot.Series
	ndcg                     plot.Series // of ranked lists alone
	lists                    bool
}

func newRunLog(steps []run.StepLine, events []run.Event) *runLog {
	l := &runLog{loss: plot.Series{Name: "loss"}, exact: plot.Series{Name: "exact"}, correct: plot.Series{Name: "correct"}, ndcg: plot.Series{Name: fmt.Sprintf("NDCG@%d", ranking.NDCGAt)}}
	add := func(s *plot.Series, step int, y float64) {
		s.X, s.Y = append(s.X, float64(step)), append(s.Y, y)
	}
	for _, s := range steps {
		l.lists = l.lists || s.Items > 0
		add(&l.loss, s.Step, s.Loss/max(1, s.Items)) // of ranked lists an item
		add(&l.gradient, s.Step, s.GradNorm)
		add(&l.rate, s.Step, s.LR)
	}
	of := map[string]*plot.Series{"exact": &l.exact, "correct": &l.correct, "kendall_tau": &l.tau, "gap": &l.gap, "ndcg": &l.ndcg}
	for _, e := range events {
		if e.Event != "validation" {
			continue
		}
		for name, s := range of {
			if y, ok := e.Fields[name].(float64); ok {
				add(s, e.Step, y)
			}
		}
	}
	return l
}

// log draws both figures of the log path.
func (w *Writer) log(path string, steps []run.StepLine, events []run.Event, training, metrics string) error {
	if len(steps) == 0 {
		return fmt.Errorf("%s: has no step", path)
	}
	l := newRunLog(steps, events)
	accuracy := []plot.Series{l.exact, l.correct}
	if len(l.correct.X) == 0 { // of ranked lists that were trained on before NDCG was in the log
		accuracy = accuracy[:1]
	}
	figure := plot.Training([]plot.Series{l.loss}, accuracy)
	if l.lists {
		tau := l.tau
		tau.Name = "Kendall's tau-b"
		figure = plot.RankingTraining([]plot.Series{l.loss}, []plot.Series{tau, l.ndcg})
	}
	if len(l.exact.X) == 0 { // train.validate is 0, or no check was made yet
		figure.Panels = slices.Clip(figure.Panels[:1])
	}
	if err := w.save(training, figure); err != nil {
		return err
	}
	return w.save(metrics, plot.Metrics(l.tau, l.gap, l.gradient, l.rate))
}
