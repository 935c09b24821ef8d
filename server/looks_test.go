package server

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var shots = flag.String("shots", "", "folder to write pictures of the page to")

// faults are what people could not read, see or reach on a page as it is: text of a contrast
// below 4.5:1 (WCAG 2.2, 1.4.3), edges of what is operated below 3:1 (1.4.11), text cut off
// or over the edge of its section, targets too small for a finger, no outline at the focus (2.4.7), a page wider than its window.
const faults = `(() => {
	const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgba = (colour) => {
		pixel.clearRect(0, 0, 1, 1);
		pixel.fillStyle = colour;
		pixel.fillRect(0, 0, 1, 1);
		return [...pixel.getImageData(0, 0, 1, 1).data];
	};
	const luminance = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const contrast = (a, b) => {
		const [low, high] = [luminance(rgba(a)), luminance(rgba(b))].sort((x, y) => x - y);
		return (high + 0.05) / (low + 0.05);
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const colour = getComputedStyle(e).backgroundColor;
			if (rgba(colour)[3] === 255) return colour;
		}
		return "white";
	};
	const found = [], name = (e) => e.tagName + "#" + e.id + "." + (e.getAttribute("class") || "");
	const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (words.nextNode()) {
		const e = words.currentNode.parentElement, text = words.currentNode.textContent.trim();
		if (!text || !e.checkVisibility() || e.closest(".unseen, .skip, option, :disabled")) continue;
		const style = getComputedStyle(e), of = contrast(e.closest("svg") ? style.fill : style.color, behind(e));
		if (of < 4.5) found.push(name(e) + " " + JSON.stringify(text.slice(0, 20)) + ": contrast " + of.toFixed(2));
		const range = document.createRange();
		range.selectNode(words.currentNode);
		const box = range.getBoundingClientRect();
		if (!e.closest(".scroll, textarea") && style.textOverflow !== "ellipsis" && (box.right > innerWidth + 1 || box.left < -1)) found.push(name(e) + " " + JSON.stringify(text.slice(0, 20)) + " is cut off by the window");
		const room = e.closest("section")?.getBoundingClientRect();
		if (room && !e.closest(".scroll, textarea") && style.textOverflow !== "ellipsis" && (box.right > room.right + 1 || box.left < room.left - 1)) found.push(name(e) + " " + JSON.stringify(text.slice(0, 20)) + " leaves its section");
	}
	if (document.documentElement.scrollWidth > innerWidth) found.push("wider than its window");
	const active = document.activeElement;
	for (const e of document.querySelectorAll("button, input, select, textarea, summary, a, [tabindex]")) {
		if (!e.checkVisibility() || e.disabled || e.id === "result") continue; // result takes the focus only from the link that skips to it
		if (e.tabIndex > 0) found.push(name(e) + " leaves the order of the keyboard");
		const seen = e.matches(".unseen") ? e.labels[0] : e, style = getComputedStyle(seen), box = seen.getBoundingClientRect();
		if (seen.matches("button:not(.thumbs *), .button, select, input:not([type=checkbox], [type=radio], [type=range]), textarea") && !seen.matches(".main")) {
			const of = contrast(style.borderTopColor, behind(seen.parentElement));
			if (of < 3) found.push(name(seen) + ": contrast of its edge " + of.toFixed(2));
		}
		if (innerWidth < 500 && seen.matches("button, .button, select, input[type=number]") && box.height < 44) found.push(name(seen) + ": " + box.height + " px high");
		if (seen.matches("button, .button, select") && seen.scrollWidth > seen.clientWidth + 1) found.push(name(seen) + ": its text is cut off");
		e.focus({ focusVisible: true, preventScroll: true });
		const outline = getComputedStyle(seen);
		if (outline.outlineStyle === "none" || parseFloat(outline.outlineWidth) < 2) found.push(name(seen) + ": no outline at the focus");
	}
	active.focus({ preventScroll: true });
	return [...new Set(found)];
})()`

// legible looks for faults in light and dark, on a desk and on a phone.
func legible(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{390, 1200} {
			do(t, ctx, chromedp.EmulateViewport(width, 900))
			for _, fault := range value[[]string](t, ctx, faults) {
				t.Errorf("%s, %s, %d px wide: %s", name, scheme, width, fault)
			}
		}
	}
}

// shoot writes the page as it looks, in light and dark, on a desk and on a phone.
func shoot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	for _, look := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1200}, {"dark", "dark", 1200}, {"phone", "light", 390}, {"phone-dark", "dark", 390}} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		do(t, ctx, chromedp.EmulateViewport(look.width, 900), chromedp.Sleep(time.Second)) // tiles glide for 0.7 s
		value[bool](t, ctx, `scrollTo(0, 0), true`)
		png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*shots, name+"-"+look.name+".png"), png, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	do(t, ctx, chromedp.EmulateViewport(1200, 900))
}

// Each flow with the trained models of the repository, as pictures to look at, where -shots
// says so; docs/images has some of them:
//
//	go test ./server -run TestLooks -args -shots /tmp/shots
func TestLooks(t *testing.T) {
	if *shots == "" {
		t.Skip("writes pictures to look at: -args -shots FOLDER")
	}
	_, web := start(t, func(o *Options) {
		o.Runs = []string{"../models/sort", "../models/puzzle", "../models/tours", "../models/rankings"}
	})
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")))
	absolute := func(names ...string) (paths []string) {
		for _, name := range names {
			path, err := filepath.Abs(filepath.Join("..", "examples", name))
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		return paths
	}
	end := func() {
		t.Helper()
		do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#marginals:not([hidden]), #error:not([hidden])")))
		if text := value[string](t, ctx, `document.getElementById("error").textContent`); text != "" {
			t.Fatalf("the page says %q", text)
		}
		value[bool](t, ctx, `{stop(); const s = document.getElementById("step"); s.value = s.max; s.dispatchEvent(new Event("input"))}`)
	}

	shoot(t, ctx, "sort-empty")
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#images-file"), absolute("numbers/a.png", "numbers/b.png", "numbers/c.png", "numbers/d.png", "numbers/e.png")),
		chromedp.WaitVisible(chromedp.CSS("#thumbs li:nth-child(5)")))
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")))
	end()
	shoot(t, ctx, "sort")
	value[bool](t, ctx, `document.getElementById("rules-input").open = document.getElementById("about-model").open = true`)
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#rule-item"), "a.png"), chromedp.SendKeys(chromedp.CSS("#rule-other"), "0"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("#rules button")))
	shoot(t, ctx, "rules")
	value[bool](t, ctx, `document.getElementById("rules-input").open = document.getElementById("about-model").open = false, true`)

	choose(t, ctx, "puzzle")
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#picture-file"), absolute("seven.png")), chromedp.WaitVisible(chromedp.CSS("#stage img.whole")))
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")))
	end()
	shoot(t, ctx, "puzzle")

	choose(t, ctx, "tours")
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("svg.map")))
	for i := range 20 {
		x, y := float64(i*7%20)/21+0.04, float64(i*i*3%19)/20+0.05
		at := value[[]float64](t, ctx, fmt.Sprintf(`{const b = document.querySelector("svg.map").getBoundingClientRect(); [b.left + %g * b.width, b.top + %g * b.height]}`, x, y))
		do(t, ctx, chromedp.MouseClickXY(at[0], at[1]))
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")))
	end()
	shoot(t, ctx, "tour")

	choose(t, ctx, "rankings")
	table, err := os.ReadFile("../examples/season.csv")
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), string(table)), chromedp.Click(chromedp.CSS("#table-use")))
	end()
	shoot(t, ctx, "rankings")
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), strings.Replace(string(table), "4.852", "many", 1)), chromedp.Click(chromedp.CSS("#table-use")), chromedp.WaitVisible(chromedp.CSS("#error")))
	shoot(t, ctx, "rankings-error")
	for _, e := range errors() {
		t.Log(e)
	}
}
