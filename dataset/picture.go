package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // registers the format, as the three below
	_ "image/jpeg"
	_ "image/png"
	"io"
	"strings"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// MaxPixels is the largest picture that is read, rows times columns (2^25, 5,792
// squared). It is held against the picture's header before its pixels are read.
const MaxPixels = 1 << 25

// Picture is one picture, grey or in colour.
type Picture struct {
	Rows, Cols int
	Channels   int     // 1 grey, 3 red, green, blue
	Pix        []uint8 // [Rows, Cols, Channels], row-major, 0 to 255
}

// LoadImage reads a PNG, JPEG, GIF (its first frame), BMP or WebP picture. A format without colour
// gives one channel, any other three. What is transparent is laid over white. 16-bit channels keep
// their high byte. It is turned as EXIF says (JPEG, PNG, WebP). A JPEG of more than [MaxScans]
// scans is refused. Where ctx ends, so does the reading.
func LoadImage(ctx context.Context, path string) (*Picture, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := DecodePicture(ctx, f, MaxPixels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// DecodePicture is [LoadImage] for a picture that is in no file. One of more than most
// pixels, rows times columns, is refused by its header, before memory is taken for it.
func DecodePicture(ctx context.Context, r io.ReadSeeker, most int) (*Picture, error) {
	rows, columns, format, err := PictureSize(contextReader{ctx, r})
	if ctx.Err() != nil { // of which the decoders say other things
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if rows < 1 || columns < 1 || columns > most/rows {
		return nil, fmt.Errorf("%s of %d×%d (rows×columns), wanted 1 to %d pixels", format, rows, columns, most)
	}
	again := func() (io.Reader, error) {
		_, err := r.Seek(0, io.SeekStart)
		return contextReader{ctx, r}, err
	}
	if format == "jpeg" {
		whole, err := again()
		if err == nil {
			err = checkScans(bufio.NewReader(whole), MaxScans)
		}
		if err != nil {
			return nil, err
		}
	}
	whole, err := again()
	if err != nil {
		return nil, err
	}
	o := readOrientation(whole, format)
	if whole, err = again(); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bufio.NewReader(whole))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s ends before its last pixel", format)
	}
	if err != nil {
		return nil, errDamaged(format, err)
	}
	return NewPicture(img).turn(o), nil
}

// PictureSize reads the header of a picture. It returns how many rows and columns of pixels that
// promises, as they are stored: EXIF may turn them. It also returns the format, such as "png" or
// "jpeg".
func PictureSize(r io.Reader) (rows, columns int, format string, err error) {
	head, format, err := image.DecodeConfig(bufio.NewReader(r))
	if errors.Is(err, image.ErrFormat) {
		return 0, 0, "", errors.New("is no picture that can be read, wanted PNG, JPEG, GIF, BMP or WebP")
	}
	if err != nil {
		return 0, 0, "", errDamaged("picture", err)
	}
	return head.Height, head.Width, format, nil
}

// errDamaged is what a decoder says of a file, without the name of its package.
func errDamaged(format string, err error) error {
	why := err.Error()
	for _, word := range []string{"png: ", "jpeg: ", "gif: ", "bmp: ", "webp: ", "vp8: ", "vp8l: ", "riff: ", "invalid format: ", "invalid JPEG format: "} {
		why = strings.TrimPrefix(why, word)
	}
	return fmt.Errorf("is a damaged %s: %s", format, why)
}

// NewPicture copies an image: one channel from [image.Gray] and [image.Gray16],
// else three, laid over white.
func NewPicture(img image.Image) *Picture {
	b := img.Bounds()
	switch img.(type) {
	case *image.Gray, *image.Gray16:
		g := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(g, g.Bounds(), img, b.Min, draw.Src)
		return fromGray(g)
	}
	c := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(c, c.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(c, c.Bounds(), img, b.Min, draw.Over)
	return fromRGBA(c)
}

func fromGray(g *image.Gray) *Picture {
	return &Picture{Rows: g.Rect.Dy(), Cols: g.Rect.Dx(), Channels: 1, Pix: g.Pix}
}

func fromRGBA(c *image.RGBA) *Picture {
	p := &Picture{Rows: c.Rect.Dy(), Cols: c.Rect.Dx(), Channels: 3}
	p.Pix = make([]uint8, 0, p.Rows*p.Cols*3)
	for i := 0; i < len(c.Pix); i += 4 {
		p.Pix = append(p.Pix, c.Pix[i:i+3]...)
	}
	return p
}

// Image returns the picture as an [image.Gray] or [image.RGBA].
func (p *Picture) Image() image.Image {
	if p.Channels == 1 {
		return &image.Gray{Pix: p.Pix, Stride: p.Cols, Rect: image.Rect(0, 0, p.Cols, p.Rows)}
	}
	c := image.NewRGBA(image.Rect(0, 0, p.Cols, p.Rows))
	for i, j := 0, 0; i < len(c.Pix); i, j = i+4, j+3 {
		copy(c.Pix[i:], p.Pix[j:j+3])
		c.Pix[i+3] = 0xff
	}
	return c
}

// Gray returns the picture in one channel: p itself, or its luma
// 0.299 R + 0.587 G + 0.114 B ([color.GrayModel]).
func (p *Picture) Gray() *Picture {
	if p.Channels == 1 {
		return p
	}
	g := &Picture{Rows: p.Rows, Cols: p.Cols, Channels: 1, Pix: make([]uint8, p.Rows*p.Cols)}
	for i := range g.Pix {
		c := color.RGBA{p.Pix[3*i], p.Pix[3*i+1], p.Pix[3*i+2], 0xff}
		g.Pix[i] = color.GrayModel.Convert(c).(color.Gray).Y
	}
	return g
}

// RGB returns the picture in three channels: p itself, or grey three times.
func (p *Picture) RGB() *Picture {
	if p.Channels == 3 {
		return p
	}
	c := &Picture{Rows: p.Rows, Cols: p.Cols, Channels: 3, Pix: make([]uint8, 0, 3*len(p.Pix))}
	for _, v := range p.Pix {
		c.Pix = append(c.Pix, v, v, v)
	}
	return c
}

// Floats returns the pixels [Rows, Cols, Channels] from 0 to 1.
func (p *Picture) Floats() []float32 {
	out := make([]float32, len(p.Pix))
	for i, v := range p.Pix {
		out[i] = float32(v) / 255
	}
	return out
}

// Resize returns the picture in exactly rows×cols: p itself where it has that size, else a copy and
// a warning that says so. The copy is by x/image/draw's BiLinear kernel, a tent. When shrinking,
// the tent widens to the source pixels that one target pixel covers, so nothing is skipped. The
// sides are scaled apart: the picture is neither cropped nor padded.
func (p *Picture) Resize(rows, cols int) (out *Picture, warning string, err error) {
	if rows < 1 || cols < 1 || rows > MaxPixels/cols {
		return nil, "", fmt.Errorf("resize to %d×%d, wanted 1 to %d pixels", rows, cols, MaxPixels)
	}
	if rows == p.Rows && cols == p.Cols {
		return p, "", nil
	}
	src, to := p.Image(), image.Rect(0, 0, cols, rows)
	if p.Channels == 1 {
		g := image.NewGray(to)
		draw.BiLinear.Scale(g, to, src, src.Bounds(), draw.Src, nil)
		out = fromGray(g)
	} else {
		c := image.NewRGBA(to)
		draw.BiLinear.Scale(c, to, src, src.Bounds(), draw.Src, nil)
		out = fromRGBA(c)
	}
	return out, fmt.Sprintf("resized from %d×%d to %d×%d (rows×columns)", p.Rows, p.Cols, rows, cols), nil
}

// FirstEqual gives each key the number of the first that is equal to it. Objects of one number may
// change places.
func FirstEqual(keys []string) []int {
	first, class := map[string]int{}, make([]int, len(keys))
	for i, key := range keys {
		if _, known := first[key]; !known {
			first[key] = i
		}
		class[i] = first[key]
	}
	return class
}

// EqualPictures is [FirstEqual] of the pixels of pictures of one size.
func EqualPictures(pictures []*Picture) []int {
	keys := make([]string, len(pictures))
	for i, p := range pictures {
		keys[i] = string(p.Pix)
	}
	return FirstEqual(keys)
}
