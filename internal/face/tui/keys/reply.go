package keys

import (
	"bytes"
	"image/color"
	"strings"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// maxReply is the maximum size of a string that a terminal sends, except for the clipboard. Longer ones are dropped.
const maxReply = 4096

// Beginnings of the OSC strings about the clipboard.
const (
	clipboardIntro = "52;"
	dataIntro      = "5522;" // of kitty's protocol
)

// maxDataString is the maximum size of a string of kitty's protocol, whose terminals send at most 4096 bytes at once, in
// base64.
const maxDataString = 32 << 10

// beginString begins a string with its introducer of one or two bytes.
func (d *Decoder) beginString(intro []byte) {
	d.mode, d.start, d.body = inString, d.last, body{}
	d.is8Bit = len(intro) == 1
	d.intro = intro[len(intro)-1]
	if d.is8Bit {
		d.intro -= 0x40
	}
}

// isClipboard reports whether the string is the reply about the clipboard, as far as it arrived.
func (d *Decoder) isClipboard() bool {
	return d.intro == ']' && bytes.HasPrefix(d.body.data, []byte(clipboardIntro))
}

// readString takes the first part of b into the string. A control character that cannot be part of a string aborts it.
func (d *Decoder) readString(b []byte, events []Event) (n int, isComplete bool, _ []Event) {
	n = bytes.IndexFunc(b, func(r rune) bool { return r < ' ' })
	if end := bytes.IndexByte(b, 0x9C); d.is8Bit && end >= 0 && (n < 0 || end < n) {
		n = end
	}
	if n < 0 {
		d.collect(b)
		return len(b), false, events
	}
	d.collect(b[:n])
	c := b[n]
	switch {
	case c == esc && n+1 == len(b):
		return n, false, events
	case c == esc && b[n+1] == '\\':
		events = d.readReply(events)
		n += 2
	case c == 0x9C, c == bell && d.intro == ']':
		events = d.readReply(events)
		n++
	case c == cancel, c == substitute, c == bell:
		n++
	}
	d.mode, d.body = inKeys, body{}
	return n, true, events
}

// collect takes bytes into the string, up to its limit.
func (d *Decoder) collect(b []byte) {
	head := min(len(b), max(len(dataIntro)-len(d.body.data), 0))
	d.body.add(b[:head], maxReply)
	limit := maxReply
	switch {
	case d.isClipboard():
		limit = maxPaste
	case d.intro == ']' && bytes.HasPrefix(d.body.data, []byte(dataIntro)):
		limit = maxDataString
	}
	d.body.add(b[head:], limit)
}

// readReply decodes the string that was collected.
func (d *Decoder) readReply(events []Event) []Event {
	if d.body.isCut || d.intro != ']' && d.intro != 'P' {
		return events
	}
	if data, ok := bytes.CutPrefix(d.body.data, []byte(dataIntro)); ok && d.intro == ']' {
		if c, ok := clipboardData(data); ok {
			c.At = d.last
			events = append(events, c)
		}
		return events
	}
	whole := append([]byte{esc, d.intro}, d.body.data...)
	_, ev := d.sequences.Decode(append(whole, esc, '\\'))
	return d.translate(ev, events)
}

// reply returns the event of a reply or notification that ultraviolet decoded; nil for one that Pollux does not need.
func (d *Decoder) reply(ev uv.Event) Event {
	at := d.last
	switch ev := ev.(type) {
	case uv.FocusEvent:
		return Focus{IsFocused: true, At: at}
	case uv.BlurEvent:
		return Focus{At: at}
	case uv.BackgroundColorEvent:
		if ev.Color == nil {
			return nil
		}
		c, _ := color.RGBAModel.Convert(ev.Color).(color.RGBA)
		return BackgroundColor{R: c.R, G: c.G, B: c.B, At: at}
	case uv.KeyboardEnhancementsEvent:
		return KittyFlags{Flags: max(ev.Flags, 0), At: at}
	case uv.ModifyOtherKeysEvent:
		return ModifyOtherKeys{Level: ev.Mode, At: at}
	case uv.PrimaryDeviceAttributesEvent:
		return DeviceAttributes{Attributes: ev, At: at}
	case uv.TerminalVersionEvent:
		return TerminalName{Name: printable(ev.Name), At: at}
	case uv.DarkColorSchemeEvent:
		return ColorScheme{IsDark: true, At: at}
	case uv.LightColorSchemeEvent:
		return ColorScheme{At: at}
	case uv.ModeReportEvent:
		if mode, ok := ev.Mode.(ansi.DECMode); ok {
			v := ev.Value
			return ModeReport{int(mode), v >= 1 && v <= 3, v == ansi.ModeSet || v == ansi.ModePermanentlySet, at}
		}
	case uv.WindowSizeEvent:
		return Size{Width: ev.Width, Height: ev.Height, At: at}
	case uv.ClipboardEvent:
		if ev.Selection != 0 { // zero if the reply is malformed
			return Paste{Text: pastedText([]byte(ev.Content)), At: at, IsClipboard: true}
		}
	}
	return nil
}

// printable returns s without control characters and invalid UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
}
