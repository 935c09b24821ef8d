package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// finite parses a decimal number, neither NaN nor infinite. It takes no hexadecimal digits and no
// underscores, which Go knows and tables do not.
func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || !isDecimal(text) {
		return 0, fmt.Errorf("wanted a finite number (got %s)", quoted(text))
	}
	return v, nil
}

// isDecimal reports whether a text that Go takes for a number is a decimal one.
func isDecimal(text string) bool {
	return strings.Trim(text, "0123456789.eE+-") == ""
}

// decimals parses the numbers of a table, which has decimal points or decimal commas.
type decimals struct {
	separator rune
	point     int // line of the first number with a point, 0 where there is none
	comma     int // and with a comma
	first     string
}

const commaHint = "decimal commas are read where semicolons or tabs separate values"

// parse parses a number in a line.
func (d *decimals) parse(text string, line int) (float64, error) {
	before, after, comma := strings.Cut(text, ",")
	if !comma {
		v, err := finite(text)
		if d.point == 0 && err == nil && strings.Contains(text, ".") {
			d.point = line
		}
		if err == nil && d.point == line && d.comma > 0 {
			return 0, fmt.Errorf("has a decimal point (got %q), line %d has a decimal comma", text, d.comma)
		}
		return v, err
	}
	v, err := finite(before + "." + after)
	switch {
	case err != nil || before == "" || after == "" || strings.ContainsAny(text, "."):
		return 0, fmt.Errorf("wanted a finite number (got %s)", quoted(text))
	case d.separator == ',':
		return 0, hint.Errorf(commaHint, "wanted a finite number (got %s)", quoted(text))
	case d.point > 0:
		return 0, fmt.Errorf("has a decimal comma (got %q), line %d has a decimal point", text, d.point)
	}
	if d.comma == 0 {
		d.comma, d.first = line, text
	}
	return v, nil
}

// warnings says how numbers were read where they can be read in two ways.
func (d *decimals) warnings() []string {
	if d.comma == 0 {
		return nil
	}
	return []string{fmt.Sprintf("numbers have decimal commas: %q is read as %s", d.first, strings.Replace(d.first, ",", ".", 1))}
}
