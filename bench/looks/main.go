// Command looks writes pictures of the page of riffle serve. It shows each flow with the trained
// models of the repository, in light and dark, on a desk and on a phone. docs/images has some of
// them. It wants chromium, and to be run in the root of the repository beside
//
//	riffle serve models/sort models/puzzle models/tours models/rankings
//	go run ./bench/looks -out /tmp/shots
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func main() {
	url := flag.String("url", "http://127.0.0.1:8080", "where the page is")
	out := flag.String("out", ".", "folder to write to")
	flag.Parse()
	if err := looks(*url, *out); err != nil {
		fmt.Fprintln(os.Stderr, "looks:", err)
		os.Exit(1)
	}
}

// browser is a page that is worked on until something fails.
type browser struct {
	context.Context
	out string
	err error
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	if b.err == nil {
		b.err = chromedp.Do(b, actions...)
	}
}

// js runs statements in the page.
func (b *browser) js(statements string) { value[bool](b, "{"+statements+"}; true") }

// value is what an expression gives in the page.
func value[T any](b *browser, expression string) (v T) {
	if b.err == nil {
		v, b.err = chromedp.Run(b, chromedp.Evaluate[T](expression))
	}
	return v
}

// choose picks a model as its card does.
func (b *browser) choose(model string) {
	card := fmt.Sprintf(`#models a[href="#%s"]`, model)
	b.do(chromedp.Click(chromedp.CSS(card)), chromedp.WaitVisible(chromedp.CSS(card+"[aria-current]")))
}

// end waits for an answer and goes to the last step of its slider.
func (b *browser) end() {
	b.do(chromedp.WaitVisible(chromedp.CSS("#marginals:not([hidden]), #error:not([hidden])")))
	if text := value[string](b, `document.getElementById("error").textContent`); text != "" && b.err == nil {
		b.err = fmt.Errorf("the page says %q", text)
	}
	b.js(`stop(); const s = document.getElementById("step"); s.value = s.max; s.dispatchEvent(new Event("input"))`)
}

// shoot writes the page as it looks.
func (b *browser) shoot(name string) {
	for _, look := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1200}, {"dark", "dark", 1200}, {"phone", "light", 390}, {"phone-dark", "dark", 390}} {
		if b.err != nil {
			return
		}
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}}
		_, b.err = chromedp.Call(b, emulation.SetEmulatedMedia, media)
		b.do(chromedp.EmulateViewport(look.width, 900), chromedp.Sleep(time.Second)) // tiles glide for 0.7 s
		b.js(`scrollTo(0, 0)`)
		if b.err != nil {
			return
		}
		var png []byte
		if png, b.err = chromedp.Run(b, chromedp.FullScreenshot(100)); b.err == nil {
			b.err = os.WriteFile(filepath.Join(b.out, name+"-"+look.name+".png"), png, 0o666)
		}
	}
	b.do(chromedp.EmulateViewport(1200, 900))
}

func looks(url, out string) error {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return err
	}
	examples, err := filepath.Abs("examples")
	if err != nil {
		return err
	}
	season, err := os.ReadFile(filepath.Join(examples, "season.csv"))
	if err != nil {
		return err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	b := &browser{Context: ctx, out: out}
	b.do(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("#main")))
	b.sort(examples)
	b.choose("puzzle")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#picture-file"), []string{filepath.Join(examples, "seven.png")}), chromedp.WaitVisible(chromedp.CSS("#stage img.whole")), chromedp.Click(chromedp.CSS("#go")))
	b.end()
	b.shoot("puzzle")
	b.tour()
	b.choose("rankings")
	b.do(chromedp.SetValue(chromedp.CSS("#table"), string(season)), chromedp.Click(chromedp.CSS("#table-use")))
	b.end()
	b.shoot("rankings")
	b.do(chromedp.SetValue(chromedp.CSS("#table"), strings.Replace(string(season), "4.852", "many", 1)), chromedp.Click(chromedp.CSS("#table-use")), chromedp.WaitVisible(chromedp.CSS("#error")))
	b.shoot("rankings-error")
	return b.err
}

// sort is the flow of numbers, with a rule after it.
func (b *browser) sort(examples string) {
	b.choose("sort")
	b.shoot("sort-empty")
	var numbers []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		numbers = append(numbers, filepath.Join(examples, "numbers", name+".png"))
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#images-file"), numbers), chromedp.WaitVisible(chromedp.CSS("#thumbs li:nth-child(5)")), chromedp.Click(chromedp.CSS("#go")))
	b.end()
	b.shoot("sort")
	b.js(`document.getElementById("rules-input").open = document.getElementById("about-model").open = true`)
	b.do(chromedp.SendKeys(chromedp.CSS("#rule-item"), "a.png"), chromedp.SendKeys(chromedp.CSS("#rule-other"), "0"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("#rules button")))
	b.shoot("rules")
	b.js(`document.getElementById("rules-input").open = document.getElementById("about-model").open = false`)
}

// tour is the flow of twenty cities that are put on the map.
func (b *browser) tour() {
	b.choose("tours")
	b.do(chromedp.WaitVisible(chromedp.CSS("svg.map")))
	for i := range 20 {
		x, y := float64(i*7%20)/21+0.04, float64(i*i*3%19)/20+0.05
		at := value[[]float64](b, fmt.Sprintf(`{const b = document.querySelector("svg.map").getBoundingClientRect(); [b.left + %g * b.width, b.top + %g * b.height]}`, x, y))
		if b.err != nil {
			return
		}
		b.do(chromedp.MouseClickXY(at[0], at[1]))
	}
	b.do(chromedp.Click(chromedp.CSS("#go")))
	b.end()
	b.shoot("tour")
}
