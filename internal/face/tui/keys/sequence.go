package keys

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// readRune decodes a key that types one character.
func (d *Decoder) readRune(b []byte, mods Mods, events []Event) []Event {
	r, _ := utf8.DecodeRune(b)
	if unicode.IsControl(r) { // of 8 bits
		return events
	}
	k := Key{Chord: Chord{Mods: mods, Code: r}.canonical(), At: d.last}
	if letter, ok := d.optionKey(r); ok && mods == 0 {
		k.Chord = letter
	} else if mods == 0 {
		k.Text = string(b)
	}
	return append(events, k)
}

// optionKey returns the chord with Alt that types a character on a Mac, for characters that stand for default chords.
func (d *Decoder) optionKey(r rune) (Chord, bool) {
	if !d.IsMac || r < 0x80 {
		return Chord{}, false
	}
	switch r {
	case '∫':
		return Chord{Alt, 'b'}, true
	case 'ƒ':
		return Chord{Alt, 'f'}, true
	case 'µ':
		return Chord{Alt, 'm'}, true
	case 'Ω':
		return Chord{Alt, 'z'}, !d.IsGreek
	case '¸':
		return Chord{Alt | Shift, 'z'}, true
	case '∂':
		return Chord{Alt, 'd'}, true
	}
	return Chord{}, false
}

// readSequence decodes a control character or a complete escape sequence.
func (d *Decoder) readSequence(b []byte, events []Event) []Event {
	if k, ok := d.extraKey(b); ok {
		return append(events, k)
	}
	if !isDecodable(b) {
		return events
	}
	_, ev := d.sequences.Decode(bytes.Clone(b))
	return d.translate(ev, events)
}

// readAltSequence decodes ESC and a sequence: the key of the sequence with Alt, or the Esc key and a report.
func (d *Decoder) readAltSequence(b []byte, events []Event) []Event {
	before := len(events)
	events = d.readSequence(b[1:], events)
	if len(events) == before+1 {
		if k, ok := events[before].(Key); ok {
			k.Chord.Mods |= Alt
			k.Text = ""
			events[before] = k
			return events
		}
	}
	after := append([]Event(nil), events[before:]...)
	return append(append(events[:before], d.escape()), after...)
}

// extraKey decodes keys that ultraviolet does not know.
func (d *Decoder) extraKey(b []byte) (Key, bool) {
	k := Key{At: d.last}
	switch s := string(b); s {
	case "\x1bOZ":
		k.Chord = Chord{Shift, Tab}
	case "\x1bOI": // keypad application mode
		k.Chord.Code = Tab
	case "\x1bO ":
		k.Chord.Code, k.Text = Space, " "
	case "\x1b\b": // Alt+Backspace, where Backspace sends BS
		k.Chord = Chord{Alt, Backspace}
	case "\x1b[[A", "\x1b[[B", "\x1b[[C", "\x1b[[D", "\x1b[[E": // Linux console
		k.Chord.Code = F1 + rune(s[3]-'A')
	default:
		return Key{}, false
	}
	return k, true
}

// isDecodable reports whether ultraviolet decodes a sequence correctly: its numbers are small, and those of
// modifyOtherKeys are characters. A report of win32-input-mode, which Pollux does not turn on, can stand for 65,535
// keys.
func isDecodable(b []byte) bool {
	const maxDigits = 7
	digits := 0
	for _, c := range b {
		if digits++; c < '0' || c > '9' {
			digits = 0
		}
		if digits > maxDigits {
			return false
		}
	}
	params := bytes.TrimPrefix(bytes.TrimPrefix(b, []byte("\x1b[")), []byte{0x9B})
	if len(params) == len(b) || bytes.HasPrefix(params, []byte("M")) { // not CSI, or the old mouse report
		return true
	}
	switch b[len(b)-1] {
	case '_':
		return false
	case '~':
		if fields := bytes.Split(params[:len(params)-1], []byte(";")); len(fields) == 3 && string(fields[0]) == "27" {
			code, err := strconv.Atoi(string(fields[2]))
			return err == nil && code <= unicode.MaxRune
		}
	}
	return true
}

// translate appends the events of one that ultraviolet decoded.
func (d *Decoder) translate(ev uv.Event, events []Event) []Event {
	switch ev := ev.(type) {
	case uv.MultiEvent: // F3, or a report of the cursor, which Pollux does not ask for
		for _, e := range ev {
			events = d.translate(e, events)
		}
	case uv.KeyPressEvent:
		if k, ok := keyOf(uv.Key(ev)); ok {
			k.At = d.last
			events = append(events, k)
		}
	case uv.PasteStartEvent:
		d.beginPaste()
	case uv.MouseEvent:
		if m := d.mouse(ev); m != nil {
			events = append(events, m)
		}
	default:
		if r := d.reply(ev); r != nil {
			events = append(events, r)
		}
	}
	return events
}
