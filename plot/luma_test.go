package plot

import "image/color"

// luma is the grey value of c, 0 to 255 (Rec. 601).
func luma(c color.Color) uint8 { return color.GrayModel.Convert(c).(color.Gray).Y }
