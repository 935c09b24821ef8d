package server

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// open opens the page of a server in Debian's chromium. errors are the console's, exceptions
// and requests to anywhere else.
func open(t *testing.T, url string) (ctx context.Context, errors func() []string) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here (apt-get install chromium): the page is not tested")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true))
	var cancel context.CancelFunc
	ctx, cancel = chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	var mu sync.Mutex
	var faults []string
	fault := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, fmt.Sprintf(format, args...))
	}
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				fault("console: %s", e.Args[0].Value)
			}
		case *runtime.EventExceptionThrown:
			fault("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				fault("log: %s %s", e.Entry.Text, e.Entry.URL)
			}
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, url) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
				fault("the page asks for %s", u)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	do(t, ctx, chromedp.EmulateViewport(1200, 900), chromedp.Navigate(url))
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(faults)
	}
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// value is what an expression gives in the page.
func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// choose picks a model as its card does.
func choose(t *testing.T, ctx context.Context, model string) {
	t.Helper()
	do(t, ctx, chromedp.Click(chromedp.CSS(fmt.Sprintf(`#models a[href="#%s"]`, model))), chromedp.WaitVisible(chromedp.CSS(fmt.Sprintf(`#models a[href="#%s"][aria-current]`, model))))
}

// answered waits for an answer and puts the slider at its end by the keyboard. It checks that what
// is shown are steps, alternatives by falling probability, and a heat map whose rows sum to one.
func answered(t *testing.T, ctx context.Context, items, steps int) {
	t.Helper()
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#player")))
	if noise := value[string](t, ctx, `document.getElementById("caption").textContent`); !strings.HasPrefix(noise, "Step ") {
		t.Errorf("caption %q", noise)
	}
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#step"), kb.End))
	if at, last := value[string](t, ctx, `document.getElementById("step").value`), value[string](t, ctx, `document.getElementById("step").max`); at != last || last != strconv.Itoa(steps) {
		t.Errorf("slider at %s of %s, wanted the end, %d", at, last, steps) // the schedule 0, 2, 5 has two steps
	}
	if end := value[string](t, ctx, `document.getElementById("caption").textContent`); !strings.HasPrefix(end, fmt.Sprintf("Step %d of %[1]d (t = 0)", steps)) {
		t.Errorf("caption %q at the end", end)
	}
	if n := value[int](t, ctx, `document.querySelectorAll("#orders tr").length`); n < 2 || n > 8 {
		t.Errorf("%d alternatives", n)
	}
	if head := value[string](t, ctx, `document.querySelector("#alternatives th:nth-child(2)").textContent`); head != "Kept ways" {
		t.Errorf("what ranks the orders is called %q", head) // it is no log p
	}
	p := value[[]float64](t, ctx, `[...document.querySelectorAll("#orders .bar")].map((b) => Number(b.style.getPropertyValue("--p")))`)
	for _, x := range p {
		if x < 0 || x > 1 {
			t.Errorf("shares of the draws %v", p)
		}
	}
	rows := value[[]float64](t, ctx, `[...document.querySelectorAll("#heat tbody tr")].map((r) => [...r.querySelectorAll("td")].reduce((s, c) => s + Number(c.style.getPropertyValue("--p")), 0))`)
	if len(rows) != items {
		t.Errorf("heat map of %d rows, wanted %d", len(rows), items)
	}
	for _, sum := range rows {
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("a row of the heat map sums to %v", sum)
		}
	}
	// Another alternative is shown, and named.
	do(t, ctx, chromedp.Click(chromedp.CSS(`#orders tr:nth-child(2) input`)))
	if c := value[string](t, ctx, `document.getElementById("caption").textContent`); !strings.HasPrefix(c, "Alternative 2") {
		t.Errorf("caption %q of the second alternative", c)
	}
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#step"), kb.End))
}

// The page, in a browser: each flow, and no console error.
func TestPage(t *testing.T) {
	_, web := start(t, nil, "delta", "tsp", "jigsaw", "sorter")
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")))

	// A picture, by its file and by the example.
	choose(t, ctx, "jigsaw")
	file := filepath.Join(t.TempDir(), "scene.png")
	if err := os.WriteFile(file, scene(90, 121), 0o666); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#picture-file"), []string{file}), chromedp.WaitVisible(chromedp.CSS("#stage img.whole")), chromedp.Click(chromedp.CSS("#go")))
	answered(t, ctx, 4, 2)
	do(t, ctx, chromedp.Click(chromedp.CSS("#picture-example")), chromedp.WaitNotVisible(chromedp.CSS("#player")), chromedp.Click(chromedp.CSS("#go")))
	answered(t, ctx, 4, 2)
	if n := value[int](t, ctx, `document.querySelectorAll("#stage .tile").length`); n != 4 {
		t.Errorf("%d tiles on the stage, wanted 4", n)
	}
	legible(t, ctx, "puzzle")

	// Cities, clicked and placed with the keyboard.
	choose(t, ctx, "tsp")
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("svg.map")))
	for _, p := range [][2]float64{{0.2, 0.2}, {0.8, 0.25}, {0.7, 0.8}} {
		at := value[[]float64](t, ctx, fmt.Sprintf(`{const b = document.querySelector("svg.map").getBoundingClientRect(); [b.left + %g * b.width, b.top + %g * b.height]}`, p[0], p[1]))
		do(t, ctx, chromedp.MouseClickXY(at[0], at[1]))
	}
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("svg.map"), kb.ArrowLeft+kb.ArrowLeft+kb.ArrowUp+kb.Enter),
		chromedp.SendKeys(chromedp.CSS("svg.map"), kb.ArrowDown+kb.Enter))
	if n := value[int](t, ctx, `document.querySelectorAll("svg.map circle").length`); n != 5 {
		t.Errorf("%d cities, wanted 5", n)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")))
	answered(t, ctx, 5, 2)
	if d := value[string](t, ctx, `document.querySelector("svg.map .tour").getAttribute("d")`); strings.Count(d, "L") != 4 || !strings.HasSuffix(d, "Z") {
		t.Errorf("tour %q is not through 5 cities", d)
	}
	legible(t, ctx, "tour")
	// The shortest tour, which needs no model, is told beside the model's, and drawn when asked.
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#shortest")), chromedp.Click(chromedp.CSS("#shortest-show")))
	if c := value[string](t, ctx, `document.getElementById("caption").textContent`); !strings.Contains(c, "the shortest") {
		t.Errorf("caption %q says nothing of the shortest tour", c)
	}
	if d := value[string](t, ctx, `document.querySelector("svg.map .shortest").getAttribute("d")`); strings.Count(d, "L") != 4 {
		t.Errorf("shortest tour %q is not through 5 cities", d)
	}
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("svg.map"), kb.Backspace))
	if n := value[int](t, ctx, `document.querySelectorAll("svg.map circle").length`); n != 4 {
		t.Errorf("%d cities after one was taken away, wanted 4", n)
	}

	// A table of cities.
	value[bool](t, ctx, `document.getElementById("table-input").open = true`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), "set,item,x,y\na,Rome,12.5,41.9\na,Milan,9.2,45.5\na,Naples,14.3,40.9\na,Turin,7.7,45.1\na,Bari,16.9,41.1\nb,P,0,0\nb,Q,1,1\nb,R,0,1\n"), chromedp.Click(chromedp.CSS("#table-use")))
	answered(t, ctx, 5, 2)
	if n := value[int](t, ctx, `document.querySelectorAll("#set option").length`); n != 2 {
		t.Errorf("%d sets of the table to choose from, wanted 2", n)
	}

	// Images to sort.
	choose(t, ctx, "sorter")
	do(t, ctx, chromedp.Click(chromedp.CSS("#images-example")), chromedp.WaitVisible(chromedp.CSS("#thumbs img")), chromedp.Click(chromedp.CSS("#go")))
	answered(t, ctx, 3, 2)
	legible(t, ctx, "sort")
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#images-file"), []string{file}), chromedp.WaitVisible(chromedp.CSS("#thumbs li:nth-child(4)")))
	// One more, dropped; what is no picture is left out.
	value[bool](t, ctx, `document.createElement("canvas").toBlob((blob) => {
		const data = new DataTransfer();
		data.items.add(new File([blob], "dropped.png", { type: "image/png" }));
		data.items.add(new File(["no picture"], "notes.txt", { type: "text/plain" }));
		document.getElementById("images-drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	}) || true`)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#thumbs li:nth-child(5)")))
	if n := value[int](t, ctx, `document.querySelectorAll("#thumbs li").length`); n != 5 {
		t.Errorf("%d images after a drop of one, wanted 5", n)
	}

	// A table of bare items.
	choose(t, ctx, "delta")
	value[bool](t, ctx, `document.getElementById("table-input").open = true`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), "set,item\nq,a\nq,b\nq,c\nq,d\nq,e\n"), chromedp.Click(chromedp.CSS("#table-use")))
	answered(t, ctx, 5, 2)
	legible(t, ctx, "table")
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), "set,item\nq\n"), chromedp.Click(chromedp.CSS("#table-use")), chromedp.WaitVisible(chromedp.CSS("#error")))
	if n := value[int](t, ctx, `document.querySelectorAll("#stage .card").length`); n != 0 {
		t.Errorf("a refused table leaves %d cards of the answer before on the stage", n)
	}
	legible(t, ctx, "refused table")
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")), chromedp.WaitVisible(chromedp.CSS("#player")))
	// Names for everything that can be operated, and headings in order.
	if bad := value[[]string](t, ctx, `[...document.querySelectorAll("button, input, select, textarea, [role=img], [role=region]")]
		.filter((e) => !(e.labels?.length || e.getAttribute("aria-label") || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent || e.textContent.trim())).map((e) => e.outerHTML)`); len(bad) > 0 {
		t.Errorf("without a name: %q", bad)
	}
	if wide := value[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page is wider than the window")
	}
	// On a phone, what is wide scrolls by itself.
	do(t, ctx, chromedp.EmulateViewport(360, 700))
	choose(t, ctx, "tsp")
	table := "set,item,x,y\n"
	for i := range 20 {
		table += fmt.Sprintf("a,a place with a long name %d,%d,%d\n", i, i*i%7, i%5)
	}
	value[bool](t, ctx, `document.getElementById("table-input").open = true`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), table), chromedp.Click(chromedp.CSS("#table-use")))
	answered(t, ctx, 20, 2)
	if wide := value[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page is wider than a phone")
	}
	for _, e := range errors() {
		if !strings.Contains(e, "422") || !strings.HasSuffix(e, "/v1/sets") { // the browser notes the table that was refused
			t.Error(e)
		}
	}
}

// What the server refuses is said on the page; a token is asked for, and used.
func TestPageFaults(t *testing.T) {
	s, _ := start(t, func(o *Options) { o.Token, o.Limits.Work = "0123456789abcdef", 20 }, "delta")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" { // nothing can be clicked before the models are there
			time.Sleep(time.Second)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#token-form")), chromedp.SendKeys(chromedp.CSS("#token"), "0123456789abcdef"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("#main")))
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")), chromedp.WaitVisible(chromedp.CSS("#error")))
	if text := value[string](t, ctx, `document.getElementById("error").textContent`); !strings.Contains(text, "too much in one request") {
		t.Errorf("the page says %q", text)
	}
	legible(t, ctx, "refused")
	if disabled := value[bool](t, ctx, `document.getElementById("go").disabled`); disabled {
		t.Error("after a refusal nothing can be asked")
	}
	for _, e := range errors() { // the browser notes every refusal, 401 and 413; and nothing else
		if !strings.Contains(e, "Failed to load resource") {
			t.Error(e)
		}
	}
}

// A model of features has an example, by the names and in the range of its training.
func TestPageExamples(t *testing.T) {
	_, web := start(t, func(o *Options) { o.Runs = []string{"../models/rankings"} })
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")), chromedp.Click(chromedp.CSS("#table-example")), chromedp.Click(chromedp.CSS("#table-use")), chromedp.WaitVisible(chromedp.CSS("#downloads")))
	if n := value[int](t, ctx, `state.answer.sets.length`); n != 3 {
		t.Errorf("%d sets are answered, wanted the example's 3", n)
	}
	if w := value[[]string](t, ctx, `state.answer.sets.flatMap((s) => s.warnings || [])`); slices.ContainsFunc(w, func(s string) bool { return strings.Contains(s, "column") }) {
		t.Errorf("warnings of the example: %q", w)
	}
	legible(t, ctx, "table of named features")
	for _, e := range errors() {
		t.Error(e)
	}
}

// Rules are obeyed and can be taken back, and the orders can be saved and read again. A table of
// more sets than a request may have is asked about in parts.
func TestPageRulesAndTables(t *testing.T) {
	_, web := start(t, func(o *Options) { o.Limits.Sets = 4 }, "delta")
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")))
	value[bool](t, ctx, `document.getElementById("rules-input").open = true`)
	rule := func(kind, item, other string) {
		t.Helper()
		value[bool](t, ctx, fmt.Sprintf(`{const k = document.getElementById("rule-kind"); k.value = %q; k.dispatchEvent(new Event("change"))}`, kind))
		do(t, ctx, chromedp.SendKeys(chromedp.CSS("#rule-item"), item), chromedp.SendKeys(chromedp.CSS("#rule-other"), other+kb.Enter))
	}
	orders := func() [][]int {
		t.Helper()
		do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#downloads")))
		return value[[][]int](t, ctx, `state.answer.sets.flatMap((s) => [...s.orders.map((o) => o.order), ...s.samples])`)
	}
	for item := range 5 { // whatever the model prefers, one of these is against it
		rule("pin", fmt.Sprint(item), "2")
		do(t, ctx, chromedp.Click(chromedp.CSS("#go")))
		for _, o := range orders() {
			if o[2] != item {
				t.Fatalf("order %v has not item %d at position 2", o, item)
			}
		}
		if item < 4 { // a press takes the rule away
			do(t, ctx, chromedp.Click(chromedp.CSS("#rules button")))
		}
	}
	unknown := func() bool { // whether the page says that the answer knows nothing of a change of the rules
		t.Helper()
		return !value[bool](t, ctx, `document.getElementById("rules-new").hidden`)
	}
	if unknown() {
		t.Error("an answer that obeys the rules is said not to know of them")
	}
	rule("before", "4", "0")
	legible(t, ctx, "rules")
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#rules li:nth-child(2)")))
	if !unknown() {
		t.Error("an answer from before a rule stands beside it without a word")
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#go")))
	for _, o := range orders() {
		if o[2] != 4 || slices.Index(o, 0) < 2 {
			t.Errorf("order %v: wanted item 4 at position 2 and item 0 after it", o)
		}
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#rules button")), chromedp.Click(chromedp.CSS("#rules button")))

	table := "set,item\n"
	for s := range 9 {
		for _, item := range []string{"a", `"b, c"`, "d", "e", "f"} {
			table += fmt.Sprintf("set %d,%s\n", s, item)
		}
	}
	value[bool](t, ctx, `document.getElementById("table-input").open = true`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), table), chromedp.Click(chromedp.CSS("#table-use")), chromedp.WaitVisible(chromedp.CSS("#which-set")))
	if n := value[int](t, ctx, `document.querySelectorAll("#set option").length`); n != 9 {
		t.Errorf("%d sets are answered, wanted 9", n)
	}
	file, err := dataset.ParseTable(strings.NewReader(value[string](t, ctx, `ordersCSV()`)), "orders.csv", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := value[[]string](t, ctx, `state.answer.sets[8].orders[0].order.map((k) => state.answer.sets[8].names[k])`)
	saved := file.Sets
	if len(saved) != 9 || saved[8].ID != "set 8" {
		t.Fatalf("%d sets were saved, the last is %q", len(saved), saved[len(saved)-1].ID)
	}
	if got := perm.Act(saved[8].Order, saved[8].ItemNames()); !slices.Equal(got, first) {
		t.Errorf("saved as %q, wanted %q", got, first)
	}
	for _, e := range errors() {
		t.Error(e)
	}
}

// A table that is too much work for a request is asked about in smaller parts. A heat map has the items in the
// order of the answer.
func TestPageWorkInParts(t *testing.T) {
	_, web := start(t, func(o *Options) {
		o.Runs = []string{"../models/rankings"}
		o.Limits.Work = 10_000
	})
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")), chromedp.Click(chromedp.CSS("#table-example")))
	table := value[string](t, ctx, `{
		const lines = document.getElementById("table").value.trim().split("\n");
		[lines[0], ...[..."abcdefgh"].flatMap((s) => lines.slice(1).map((l) => s + l))].join("\n")}`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#table"), table), chromedp.Click(chromedp.CSS("#table-use")), chromedp.WaitVisible(chromedp.CSS("#downloads, #error:not([hidden])")))
	if text := value[string](t, ctx, `document.getElementById("error").textContent`); text != "" {
		t.Fatalf("the page says %q", text)
	}
	if n := value[int](t, ctx, `state.answer.sets.length`); n != 24 {
		t.Errorf("%d sets are answered, wanted 24", n)
	}
	names := value[[]string](t, ctx, `[...document.querySelectorAll("#heat tbody th")].map((th) => th.textContent)`)
	want := value[[]string](t, ctx, `state.answer.sets[0].orders[0].order.map((k) => state.answer.sets[0].names[k])`)
	if !slices.Equal(names, want) {
		t.Errorf("rows of the heat map are %q, wanted %q", names, want)
	}
	parts := 0
	for _, e := range errors() {
		if !strings.Contains(e, "413") { // the browser notes the parts that were too large
			t.Error(e)
		} else {
			parts++
		}
	}
	if parts == 0 {
		t.Error("no part was too large: the case is too tame")
	}
}

// The page sends pictures as they are given: dark ink on paper is for the model to turn, which
// would otherwise be done twice. A person reads 58, 31, 94, 12 and 67 in them.
func TestPagePaper(t *testing.T) {
	_, web := start(t, func(o *Options) { o.Runs = []string{filepath.Join("..", "models", "sort")} })
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")))
	var files []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		path, err := filepath.Abs(filepath.Join("..", "examples", "paper", name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#images-file"), files), chromedp.WaitVisible(chromedp.CSS("#thumbs li:nth-child(5)")), chromedp.Click(chromedp.CSS("#go")))
	answered(t, ctx, 5, 1)
	do(t, ctx, chromedp.Click(chromedp.CSS(`#orders tr:nth-child(1) input`)), chromedp.SendKeys(chromedp.CSS("#step"), kb.End))
	if caption := value[string](t, ctx, `document.getElementById("caption").textContent`); !strings.HasSuffix(caption, ": d.png b.png a.png e.png c.png") {
		t.Errorf("caption %q", caption)
	}
	if warnings := value[string](t, ctx, `document.getElementById("warnings").textContent`); !strings.Contains(warnings, "5 of 5 pictures are dark on light") {
		t.Errorf("warnings %q", warnings)
	}
	for _, e := range errors() {
		t.Error(e)
	}
}

// Pictures are shown and sent as EXIF says, whichever of its eight orientations they have.
func TestPageOrientation(t *testing.T) {
	_, web := start(t, nil, "sorter")
	ctx, errors := open(t, web.URL)
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("#main")))
	// Six blocks of grey, 0 40 80 above 120 160 200, as they are stored; and as each orientation shows them.
	stored := image.NewGray(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			stored.SetGray(x, y, color.Gray{Y: uint8(40 * (x/8 + 3*(y/8)))})
		}
	}
	shown := [][]int{
		{0, 40, 80, 120, 160, 200},
		{80, 40, 0, 200, 160, 120},
		{200, 160, 120, 80, 40, 0},
		{120, 160, 200, 0, 40, 80},
		{0, 120, 40, 160, 80, 200},
		{120, 0, 160, 40, 200, 80},
		{200, 80, 160, 40, 120, 0},
		{80, 200, 40, 160, 0, 120},
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, stored, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for k := range shown {
		exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(rune(k+1)) + "\x00\x00\x00\x00\x00\x00"
		path := filepath.Join(dir, fmt.Sprintf("%d.jpg", k+1))
		if err := os.WriteFile(path, slices.Concat(file.Bytes()[:2], []byte(exif), file.Bytes()[2:]), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#images-file"), files), chromedp.WaitVisible(chromedp.CSS("#thumbs li:nth-child(8)")))
	blocks := value[[][]int](t, ctx, `state.images.map(({ canvas: c }) => {
		const seen = [];
		for (let y = 4; y < c.height; y += 8) for (let x = 4; x < c.width; x += 8) seen.push(c.getContext("2d").getImageData(x, y, 1, 1).data[0]);
		return [c.width / 8, ...seen];
	})`)
	for k, want := range shown {
		columns := 3
		if k >= 4 {
			columns = 2
		}
		if got := blocks[k]; len(got) != 7 || got[0] != columns || slices.ContainsFunc([]int{0, 1, 2, 3, 4, 5}, func(i int) bool { return max(got[i+1]-want[i], want[i]-got[i+1]) > 4 }) {
			t.Errorf("orientation %d is sent as %v, wanted %d columns of %v", k+1, got, columns, want)
		}
	}
	for _, e := range errors() {
		t.Error(e)
	}
}
