package dataset

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestReadFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "digits")
	file := encoded(t, png.Encode, ramp())
	for _, name := range []string{"img10.png", "img2.PNG", "img1.png", "notes.txt", ".hidden.png", "sub.png/x.png"} {
		write(t, dir, name, file)
	}
	s, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, it := range s.Items {
		names = append(names, it.Image)
		if got, want := s.ImagePath(i), filepath.Join(dir, it.Image); got != want {
			t.Errorf("path %q, wanted %q", got, want)
		}
	}
	if want := []string{"img1.png", "img2.PNG", "img10.png"}; !slices.Equal(names, want) || s.ID != "digits" || s.OrderGiven != "" {
		t.Errorf("set %q of %v, wanted %v", s.ID, names, want)
	}
	_, err = ReadFolder(filepath.Join(dir, "none"))
	wantError(t, err, "none")
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = ReadFolder(empty)
	wantError(t, err, empty+": has no pictures, wanted files ending in .png")
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.png", encoded(t, png.Encode, ramp()))
	write(t, dir, "b.png", encoded(t, png.Encode, image.NewRGBA(image.Rect(0, 0, 4, 4))))
	s, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	pictures, warnings, err := s.Pictures(t.Context(), 2, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pictures {
		if p.Rows != 2 || p.Cols != 3 || p.Channels != 1 {
			t.Errorf("picture %d is %d×%d×%d", i, p.Rows, p.Cols, p.Channels)
		}
	}
	if want := []string{filepath.Join(dir, "b.png") + ": resized from 4×4 to 2×3 (rows×columns)"}; !slices.Equal(Texts(warnings), want) {
		t.Errorf("warnings %q, wanted %q", warnings, want)
	}
	if pictures, _, err := s.Pictures(t.Context(), 2, 3, 3); err != nil || pictures[0].Channels != 3 {
		t.Error(pictures, err)
	}
	_, _, err = s.Pictures(t.Context(), 2, 3, 2)
	wantError(t, err, "channels is 2, wanted 1 or 3")
	s.Items[1].Image = "c.png"
	_, _, err = s.Pictures(t.Context(), 2, 3, 1)
	wantError(t, err, "item 1", "c.png")
	_, _, err = (&Set{ID: "p", Kind: KindPoint}).Pictures(t.Context(), 2, 3, 1)
	wantError(t, err, `set "p" has point items, wanted images`)
}

func TestCompareNatural(t *testing.T) {
	sorted := []string{"", "1.png", "02.png", "2.png", "10.png", "100000000000000000000000.png", "a", "A1", "a2b3", "a2b10", "a10", "b"}
	shuffled := slices.Clone(sorted)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, CompareNatural)
	if !slices.Equal(shuffled, sorted) {
		t.Errorf("sorted to %q, wanted %q", shuffled, sorted)
	}
	name := rapid.StringMatching(`[aB01]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if CompareNatural(a, b) != -CompareNatural(b, a) || (CompareNatural(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: %d and %d", a, b, CompareNatural(a, b), CompareNatural(b, a))
		}
		if CompareNatural(a, b) <= 0 && CompareNatural(b, c) <= 0 && CompareNatural(a, c) > 0 {
			t.Fatal("not transitive")
		}
	})
}
