package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Listen listens on an address, host:port.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err == nil {
		return l, nil
	}
	help := ""
	if errors.Is(err, syscall.EADDRINUSE) {
		help = "another port; with :0 at its end a free one is taken"
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		err = number // without the calls that met it
	}
	return nil, hint.With(fmt.Errorf("%s: %w", addr, err), help)
}

// ReloadOnHangup reads the checkpoints again at every hang-up signal, until ctx ends or it is stopped.
func (s *Server) ReloadOnHangup(ctx context.Context) (stop func()) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
				if err := s.Reload(); err != nil {
					s.log.Error("reload", "error", err)
				}
			}
		}
	}()
	return func() { signal.Stop(hangup); cancel() }
}
