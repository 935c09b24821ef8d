package dataset

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var pictureExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"}

// IsPicture tells by its name whether a file is a picture that [LoadImage] may read.
func IsPicture(name string) bool {
	return slices.Contains(pictureExtensions, strings.ToLower(filepath.Ext(name)))
}

// ReadFolder makes one set of the pictures of a folder, in the natural order of
// their names (img2 before img10), without an order. Files with other extensions,
// hidden files and folders inside it are left out. The items' ids are the
// files' names. The pictures are not opened yet.
func ReadFolder(dir string) (*Set, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{ID: filepath.Base(filepath.Clean(dir)), Kind: KindImage, Dir: dir}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || !IsPicture(name) {
			continue
		}
		s.Items = append(s.Items, Item{ID: name, Image: name})
	}
	if len(s.Items) == 0 {
		return nil, fmt.Errorf("%s: has no pictures, wanted files ending in %s", dir, strings.Join(pictureExtensions, ", "))
	}
	slices.SortFunc(s.Items, func(a, b Item) int { return CompareNatural(a.Image, b.Image) })
	return s, s.Validate()
}

// Pictures reads the pictures of a set of images as rows×cols with 1 or 3
// channels. One of another size is resized ([Picture.Resize]), and a warning
// that names its file is returned beside the pictures. Where ctx ends, so does the reading.
func (s *Set) Pictures(ctx context.Context, rows, cols, channels int) (pictures []*Picture, warnings []Warning, err error) {
	if channels != 1 && channels != 3 {
		return nil, nil, fmt.Errorf("pictures: channels is %d, wanted 1 or 3", channels)
	}
	if s.Kind != KindImage {
		return nil, nil, fmt.Errorf("pictures: set %q has %v items, wanted images", s.ID, s.Kind)
	}
	pictures = make([]*Picture, len(s.Items))
	for i := range s.Items {
		path, p := s.Items[i].Image, s.Items[i].Picture
		if p == nil {
			path = s.ImagePath(i)
			if p, err = LoadImage(ctx, path); err != nil {
				return nil, nil, fmt.Errorf("item %d: %w", i, err)
			}
		}
		if channels == 1 {
			p = p.Gray()
		} else {
			p = p.RGB()
		}
		p, warning, err := p.Resize(rows, cols)
		if err != nil {
			return nil, nil, fmt.Errorf("item %d: %s: %w", i, path, err)
		}
		if warning != "" {
			warnings = append(warnings, Warning{"resized", path + ": " + warning})
		}
		pictures[i] = p
	}
	return pictures, warnings, nil
}

// CompareNatural compares names as people number them: a run of digits counts
// by its value, all else letter by letter without regard to case. Names that
// differ in case or leading zeros alone are then compared byte by byte.
func CompareNatural(a, b string) int {
	x, y := strings.ToLower(a), strings.ToLower(b)
	for x != "" && y != "" {
		dx, dy := leadingDigits(x), leadingDigits(y)
		if dx == 0 || dy == 0 {
			if c := cmp.Compare(x[0], y[0]); c != 0 {
				return c
			}
			x, y = x[1:], y[1:]
			continue
		}
		vx, vy := strings.TrimLeft(x[:dx], "0"), strings.TrimLeft(y[:dy], "0")
		if c := cmp.Or(cmp.Compare(len(vx), len(vy)), cmp.Compare(vx, vy)); c != 0 {
			return c
		}
		x, y = x[dx:], y[dy:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// leadingDigits is how many digits s starts with.
func leadingDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
