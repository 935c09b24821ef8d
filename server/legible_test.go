package server

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// faults are what people could not read, see or reach on a page as it is. They are text of a contrast below 4.5:1
// (WCAG 2.2, 1.4.3), edges of what is operated below 3:1 (1.4.11), and text cut off or over the edge of its
// section. They are also targets too small for a finger, no outline at the focus (2.4.7), and a page wider than its
// window.
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
