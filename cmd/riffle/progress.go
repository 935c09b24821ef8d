package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far something is: by a bar on a terminal, else by a line every few seconds.
// The nil progress shows nothing.
type progress struct {
	bar   *progressbar.ProgressBar
	to    io.Writer
	what  string
	every time.Duration
	last  time.Time // when a line was written
	now   func() time.Time
}

// lineEvery is how often a progress without a terminal says how far it is.
const lineEvery = 10 * time.Second

// newProgress shows how many of total are done, −1 where that is not known; quiet shows nothing.
func (a *app) newProgress(what string, total int, quiet bool, more ...progressbar.Option) *progress {
	if quiet {
		return nil
	}
	p := &progress{to: a.err, what: what, every: lineEvery, now: time.Now}
	p.last = p.now()
	if isTerminal(a.err) {
		p.bar = progressbar.NewOptions(total, append([]progressbar.Option{
			progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(24),
			progressbar.OptionThrottle(500 * time.Millisecond), progressbar.OptionClearOnFinish(),
		}, more...)...)
	}
	return p
}

// isTerminal tells whether what is written to w is seen at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// at says that done of so many are done, 0 where that is not known.
func (p *progress) at(done, of int) {
	if p == nil {
		return
	}
	if p.bar != nil {
		if of > 0 {
			p.bar.ChangeMax(of)
		}
		_ = p.bar.Set(done)
		return
	}
	text := p.what + " " + thousands(done)
	if of > 0 {
		text += "/" + thousands(of)
	}
	p.line(text)
}

// share says how far it is, 0 to 1, with a text that says more.
func (p *progress) share(done float64, text string) {
	if p == nil {
		return
	}
	if p.bar != nil {
		p.bar.Describe(text)
		_ = p.bar.Set(int(done * float64(p.bar.GetMax())))
		return
	}
	p.line(fmt.Sprintf("%s  %.0f %%", text, 100*done))
}

// line writes a line, if the last one is long enough ago.
func (p *progress) line(text string) {
	if now := p.now(); now.Sub(p.last) >= p.every {
		p.last = now
		fmt.Fprintln(p.to, text)
	}
}

// clear makes room for a message.
func (p *progress) clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}
