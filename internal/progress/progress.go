// Package progress shows how far something is.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/riffle-ml/riffle/internal/text"
)

// Progress shows how far something is: by a bar on a terminal, else by a line every few seconds.
// The nil progress shows nothing.
type Progress struct {
	bar   *progressbar.ProgressBar
	to    io.Writer
	what  string
	every time.Duration
	last  time.Time // when a line was written
	now   func() time.Time
}

// LineEvery is how often a progress without a terminal says how far it is.
const LineEvery = 10 * time.Second

// New shows on to how many of total are done, −1 where that is not known; quiet shows nothing.
func New(to io.Writer, what string, total int, quiet bool, more ...progressbar.Option) *Progress {
	if quiet {
		return nil
	}
	p := &Progress{to: to, what: what, every: LineEvery, now: time.Now}
	p.last = p.now()
	if isTerminal(to) {
		p.bar = progressbar.NewOptions(total, append([]progressbar.Option{
			progressbar.OptionSetWriter(to), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(24),
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

// At says that done of so many are done, 0 where that is not known.
func (p *Progress) At(done, of int) {
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
	line := p.what + " " + text.Thousands(done)
	if of > 0 {
		line += "/" + text.Thousands(of)
	}
	p.line(line)
}

// Share says how far it is, 0 to 1, with a text that says more.
func (p *Progress) Share(done float64, line string) {
	if p == nil {
		return
	}
	if p.bar != nil {
		p.bar.Describe(line)
		_ = p.bar.Set(int(done * float64(p.bar.GetMax())))
		return
	}
	p.line(fmt.Sprintf("%s  %.0f %%", line, 100*done))
}

// line writes a line, if the last one is long enough ago.
func (p *Progress) line(line string) {
	if now := p.now(); now.Sub(p.last) >= p.every {
		p.last = now
		fmt.Fprintln(p.to, line)
	}
}

// Clear makes room for a message.
func (p *Progress) Clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}
