package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
)

// sequence returns the control sequences that show an image at the cursor.
func (s Screen) sequence(m *image.NRGBA, a area) string {
	if s.Protocol == Sixel {
		return sixels(m)
	}
	var file bytes.Buffer
	_ = png.Encode(&file, m) // a buffer does not fail, and neither does an image with pixels
	data := base64.StdEncoding.EncodeToString(file.Bytes())
	if s.Protocol == ITerm {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1:%s\a", file.Len(), a.columns, a.rows, data)
	}
	return kitty(data, a)
}

// maxChunk is the number of bytes of base64 that kitty takes at once.
const maxChunk = 4096

// kitty returns a file in base64 in kitty's protocol: shown without an answer of the terminal, and with the cursor where it
// is.
func kitty(data string, a area) string {
	var b strings.Builder
	head := fmt.Sprintf("a=T,f=100,q=2,C=1,c=%d,r=%d,", a.columns, a.rows)
	for {
		chunk := data[:min(len(data), maxChunk)]
		data = data[len(chunk):]
		more := 1
		if data == "" {
			more = 0
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", head, more, chunk)
		if head = ""; more == 0 {
			return b.String()
		}
	}
}
