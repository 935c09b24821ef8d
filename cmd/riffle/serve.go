package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/hint"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/server"
)

// tokenVariable is the environment variable of the server's token.
const tokenVariable = "RIFFLE_TOKEN"

// serveFlags are those of riffle serve.
type serveFlags struct {
	engine, addr, tokenFile string
	grace, drain            time.Duration
	withStdin               bool
	limits                  server.Limits
}

func (a *app) serveCommand() *cobra.Command {
	f := serveFlags{limits: server.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "serve RUN…",
		Short: "answer over HTTP, with a page to try it on",
		Long: `serve answers questions about orders with the models of the runs. It has a JSON API under /v1,
described at /v1/openapi.json, and a page at / that shows each reverse step. A model is called by
its directory's name. /healthz tells whether the server is alive, /readyz whether it wants requests.
/metrics has counts for Prometheus.

By default only this machine can reach it. For any other address it wants a token, which every
request must then bear ("Authorization: Bearer TOKEN"). The token is the content of --token-file, or
$` + tokenVariable + `.

With --with-stdin it also ends when the standard input does. So a program that starts it and holds
the other end leaves no server behind, however it ends.

At SIGHUP it reads the newest checkpoint of every run, between two batches. Ctrl-C stops it after
the requests that it has begun. A second Ctrl-C stops it at once.`,
		Example: `  riffle serve runs/sort9 runs/tsp
  riffle serve runs/sort9 --addr :8080 --token-file token.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageHint("riffle serve RUN…", "serve: RUN is missing")
			}
			if slices.Contains(args, "") {
				return usageHint("riffle serve RUN…", "serve: RUN is empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.serve(cmd.Context(), args, &f) },
	}
	flags, limits := cmd.Flags(), &f.limits
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on")
	flags.StringVar(&f.tokenFile, "token-file", "", "file of the token that requests must bear")
	flags.BoolVar(&f.withStdin, "with-stdin", false, "end when the standard input does")
	flags.DurationVar(&f.drain, "drain", 0, "when stopping, how long to go on while /readyz says 503, for a load balancer to turn away")
	flags.DurationVar(&f.grace, "grace", 30*time.Second, "how long to answer what was begun, when stopping")
	flags.Int64Var(&limits.Body, "max-body", limits.Body, "bytes of a request")
	flags.IntVar(&limits.Sets, "max-sets", limits.Sets, "sets of a request")
	flags.IntVar(&limits.Items, "max-items", limits.Items, "items of a set")
	flags.IntVar(&limits.Pixels, "max-pixels", limits.Pixels, "pixels of a request's pictures")
	flags.IntVar(&limits.Work, "max-work", limits.Work, "processor time of a request, as estimated, in units of 0.1 ms")
	flags.Int64Var(&limits.WorkBytes, "max-work-bytes", limits.WorkBytes, "bytes of a request's scores, states and answers, as estimated; shared by all models")
	flags.DurationVar(&limits.Busy, "max-busy", limits.Busy, "how long a model may be at work on a request; then it gets 503")
	flags.IntVar(&limits.Queue, "max-queue", limits.Queue, "requests of a model, waiting or in work; more get 429")
	flags.DurationVar(&limits.Time, "max-time", limits.Time, "how long a request may wait; then it gets 503")
	flags.Int64Var(&limits.Memory, "max-memory", limits.Memory, "bytes of bodies and pictures at a time; more get 429")
	addEngine(cmd, &f.engine)
	return cmd
}

// check finds what is wrong with the flags, and reads the token.
func (f *serveFlags) check(ctx context.Context) (token string, err error) {
	if bad, ok := errors.AsType[*server.LimitError](f.limits.Validate()); ok {
		return "", usagef("serve: %s", bad.Calling("--max-"))
	}
	for flag, d := range map[string]time.Duration{"grace": f.grace, "drain": f.drain} {
		if d < 0 {
			return "", usagef("serve: --%s must be 0 or more (got %s)", flag, d)
		}
	}
	if err := server.CheckAddress(f.addr); err != nil {
		return "", usageHint("--addr 127.0.0.1:8080, or :8080 for all addresses of this machine", "serve: --addr: %w", err)
	}
	if f.tokenFile != "" {
		if token, err = server.ReadToken(ctx, f.tokenFile); err != nil {
			return "", fmt.Errorf("serve: --token-file: %w", err)
		}
	} else {
		token = strings.TrimSpace(os.Getenv(tokenVariable))
		if err := server.CheckToken("$"+tokenVariable, token); err != nil {
			return "", fmt.Errorf("serve: %w", err)
		}
	}
	if token == "" && !server.IsLoopback(f.addr) {
		return "", usageHint(fmt.Sprintf("--token-file FILE, or $%s; --addr 127.0.0.1:8080 needs none", tokenVariable), "serve: --addr %s can be reached from other machines, which wants a token", f.addr)
	}
	return token, nil
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, dirs []string, f *serveFlags) error {
	token, err := f.check(ctx)
	if err != nil {
		return err
	}
	e, err := a.openEngine(f.engine)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(a.err, nil))
	if a.json {
		log = slog.New(slog.NewJSONHandler(a.err, nil))
	}
	if os.Getenv("GOMEMLIMIT") == "" { // collect sooner, not later, when a request takes much
		debug.SetMemoryLimit(f.limits.Memory + 2*f.limits.WorkBytes + 256<<20)
	}
	s, err := server.New(server.Options{Runs: dirs, Engine: e, Token: token, Limits: f.limits, Drain: f.drain, Log: log})
	if errors.Is(err, runs.ErrNoRun) && slices.ContainsFunc(dirs, isFile) && len(dirs) > 1 {
		err = hint.With(err, "a pattern that ends in a slash, as models/*/ does, leaves files out")
	}
	if err != nil {
		return err
	}
	l, err := server.Listen(ctx, f.addr)
	if err != nil {
		return errors.Join(fmt.Errorf("serve: --addr %w", err), s.Close())
	}
	stop := s.ReloadOnHangup(ctx)
	defer stop()
	if a.json {
		err = a.printLine(map[string]string{"address": l.Addr().String()})
	} else {
		_, err = fmt.Fprintf(a.out, "http://%s/\n", l.Addr())
	}
	if err != nil {
		return errors.Join(err, l.Close(), s.Close())
	}
	if f.withStdin {
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			end()
		}()
	}
	return errors.Join(s.Serve(ctx, l, f.grace), s.Close())
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func (a *app) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health [ADDRESS]",
		Short: "ask a server whether it takes requests",
		Long: `health asks the /healthz of the server at ADDRESS, host:port. Without one it is 127.0.0.1:8080. It
exits with 1 unless the server takes requests. Containers that hold nothing but this program check
themselves by it.`,
		Example: `  riffle health
  riffle health 127.0.0.1:9000`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr := append(args, "127.0.0.1:8080")[0]
			if err := server.CheckAddress(addr); err != nil {
				return usagef("health: %w", err)
			}
			if err := server.AskHealth(cmd.Context(), addr); err != nil {
				return fmt.Errorf("health: %w", err)
			}
			return a.print(map[string]string{"address": addr, "status": "ok"}, func() { fmt.Fprintf(a.out, "%s: ok\n", addr) })
		},
	}
}
