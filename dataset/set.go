package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
)

// Kind says what the items of a set are.
type Kind uint8

// The kinds of items. Bare items have no content: they are known by their
// place, 0 to n−1, and a model learns one embedding for each.
const (
	KindBare Kind = iota
	KindFeatures
	KindImage
	KindPoint
)

// String returns the JSONL field that holds such an item, "bare" for none.
func (k Kind) String() string {
	switch k {
	case KindBare:
		return "bare"
	case KindFeatures:
		return "features"
	case KindImage:
		return "image"
	case KindPoint:
		return "point"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Items is what a person calls items of the kind.
func (k Kind) Items() string {
	switch k {
	case KindBare:
		return "bare"
	case KindImage:
		return "images"
	case KindPoint:
		return "points"
	}
	return k.String()
}

// Item is one object of a set; the set's Kind says which field holds it.
type Item struct {
	ID       string
	Features []float64
	Image    string     // as written in the file; see [Set.ImagePath]
	Picture  *Picture   // the image itself, where it is in no file; Image is then its name
	Point    [2]float64 // x, y in the file's units
}

// Set is objects to order, with their order where it is known.
type Set struct {
	ID    string
	Kind  Kind
	Items []Item
	// Columns are what the features are called, nil where they have no names.
	Columns *Columns

	// Order[i] is the item at position i; nil where none was given.
	Order perm.Order
	// OrderGiven is the reading the file used: "order", "rank" (converted to
	// Order here), or "" where it gave neither.
	OrderGiven string

	// Levels are what is known of the order, also where it is not complete. They are nil where the
	// file's format has no such thing.
	Levels BucketOrder
	// Relevance is how relevant the items are, where the file grades them ([ParseSVMLight]). Below
	// 0 is unjudged.
	Relevance []float64
	// Count is how many gave this order (voters, for example), 0 where the file does not say.
	Count int

	// Constraints are what an order that is asked for must obey. They call items by
	// [Set.ItemNames].
	Constraints constraint.Text

	Dir  string // folder that relative Image paths start from
	Line int    // 1-based line in the file, 0 where there is none
}

// ImagePath returns the path of item i's picture, resolved relative to the file
// the set came from.
func (s *Set) ImagePath(i int) string {
	p := filepath.FromSlash(s.Items[i].Image)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(s.Dir, p)
}

// ItemNames returns what the items are called: by id, else by the name of the image's file,
// else by number, from 0.
func (s *Set) ItemNames() []string {
	out := make([]string, len(s.Items))
	for i := range out {
		out[i] = s.itemName(i)
	}
	return out
}

func (s *Set) itemName(i int) string {
	switch it := &s.Items[i]; {
	case it.ID != "":
		return it.ID
	case it.Image != "":
		return filepath.Base(it.Image)
	}
	return strconv.Itoa(i)
}

// Validate reports the first fault of a set. Faults of items are another kind than the set's, features of different
// lengths, and NaN or infinite numbers. So is an id used twice or with white space around it. Faults of the set are
// constraints that [constraint.Text] does not read, and an order that is not a permutation of the items. A set of
// no items is valid.
func (s *Set) Validate() error { return s.validate(false) }

// validate is [Set.Validate]; empty is whether features may be empty, which are NaN.
func (s *Set) validate(empty bool) error {
	if err := checkID(s.ID); err != nil {
		return err
	}
	ids := make(map[string]int)
	for i := range s.Items {
		it := &s.Items[i]
		if it.ID != "" {
			if err := checkID(it.ID); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
			if j, used := ids[it.ID]; used {
				return fmt.Errorf("item %d: id: %s is item %d's already", i, quoted(it.ID), j)
			}
			ids[it.ID] = i
		}
		if err := s.validateItem(i, empty); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	if s.Count < 0 {
		return fmt.Errorf("count: is %d, wanted 0 or more", s.Count)
	}
	if !s.Constraints.IsZero() {
		if _, err := s.Constraints.Parse(s.ItemNames()); err != nil {
			return fmt.Errorf("constraints: %w", err)
		}
	}
	if err := s.Levels.Validate(len(s.Items)); err != nil {
		return err
	}
	return s.validateOrder()
}

// checkID checks the id of a set or an item, which may be empty.
func checkID(id string) error {
	switch {
	case !utf8.ValidString(id):
		return fmt.Errorf("id: %s is not UTF-8", quoted(id))
	case id != strings.TrimSpace(id): // readers leave it out: "a " and "a" are one item
		return fmt.Errorf("id: %s has white space around it", quoted(id))
	}
	return nil
}

// Known returns what is known of the set's order: its Levels or, where there are none, its Order.
// It is nil where that is not known either.
func (s *Set) Known() BucketOrder {
	if s.Levels == nil && s.Order != nil {
		return Strict(s.Order)
	}
	return s.Levels
}

// setLevels sets what is known, and the order where that is one.
func (s *Set) setLevels(l BucketOrder) {
	s.Levels = l
	if s.Order = l.Order(len(s.Items)); s.Order != nil {
		s.OrderGiven = "order"
	}
}

func (s *Set) validateItem(i int, empty bool) error {
	it := &s.Items[i]
	switch s.Kind {
	case KindBare:
	case KindFeatures:
		if len(it.Features) == 0 {
			return fmt.Errorf("features: has no numbers, wanted 1 or more")
		}
		if s.Columns != nil && !s.Columns.Sparse && len(it.Features) != len(s.Columns.Names) {
			return fmt.Errorf("features: has %d numbers, wanted %d, one a column", len(it.Features), len(s.Columns.Names))
		}
		if want := len(s.Items[0].Features); len(it.Features) != want {
			return fmt.Errorf("features: has %d numbers, wanted %d as item 0 has", len(it.Features), want)
		}
		for j, v := range it.Features {
			if math.IsNaN(v) && !empty || math.IsInf(v, 0) {
				return fmt.Errorf("features[%d]: is %v, wanted a finite number", j, v)
			}
		}
	case KindImage:
		if it.Image == "" || !utf8.ValidString(it.Image) {
			return fmt.Errorf("image: path is %s, wanted the name of a file", quoted(it.Image))
		}
	case KindPoint:
		for j, v := range it.Point {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("point[%d]: is %v, wanted a finite number", j, v)
			}
		}
	default:
		return fmt.Errorf("set has unknown %v", s.Kind)
	}
	// Values and presence both count: what the kind does not name must be empty.
	if s.Kind != KindFeatures && it.Features != nil {
		return fmt.Errorf("has features in a set of %v items", s.Kind)
	}
	if s.Kind != KindImage && (it.Image != "" || it.Picture != nil) {
		return fmt.Errorf("has an image in a set of %v items", s.Kind)
	}
	if s.Kind != KindPoint && it.Point != [2]float64{} {
		return fmt.Errorf("has a point in a set of %v items", s.Kind)
	}
	return nil
}

func (s *Set) validateOrder() error {
	switch s.OrderGiven {
	case "":
		if s.Order != nil {
			return fmt.Errorf("order: is there, but OrderGiven is empty, wanted \"order\" or \"rank\"")
		}
		return nil
	case "order", "rank":
	default:
		return fmt.Errorf("order: OrderGiven is %q, wanted \"order\", \"rank\" or \"\"", s.OrderGiven)
	}
	if len(s.Order) != len(s.Items) {
		return fmt.Errorf("%s: has %d entries, wanted %d, one an item", s.OrderGiven, len(s.Order), len(s.Items))
	}
	if err := s.Order.Validate(); err != nil {
		return err
	}
	if s.Levels != nil && !slices.Equal(s.Levels.Order(len(s.Items)), s.Order) {
		return fmt.Errorf("%s: is not what levels say, wanted one of the two", s.OrderGiven)
	}
	return nil
}
