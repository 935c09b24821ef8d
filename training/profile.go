package training

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
)

// Profile begins a CPU profile (go tool pprof DIR/cpu.pprof) and a trace (go tool trace
// DIR/trace.out); stop ends and writes them.
func Profile(dir string) (stop func() error, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	cpu, err := os.Create(filepath.Join(dir, "cpu.pprof"))
	if err != nil {
		return nil, err
	}
	events, err := os.Create(filepath.Join(dir, "trace.out"))
	if err != nil {
		return nil, errors.Join(err, cpu.Close())
	}
	if err := errors.Join(pprof.StartCPUProfile(cpu), trace.Start(events)); err != nil {
		return nil, errors.Join(err, cpu.Close(), events.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		trace.Stop()
		return errors.Join(cpu.Close(), events.Close())
	}, nil
}
