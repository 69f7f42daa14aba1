package console

import (
	"strconv"
	"strings"

	"pollux/internal/face/tui/keys"
)

// sequenceOf returns the sequence of a key that types no character: CSI and the letter, or CSI, the number and "~". Both are 0 for another key.
func sequenceOf(code rune) (letter byte, number int) {
	switch code {
	case keys.Up:
		return 'A', 0
	case keys.Down:
		return 'B', 0
	case keys.Right:
		return 'C', 0
	case keys.Left:
		return 'D', 0
	case keys.End:
		return 'F', 0
	case keys.Home:
		return 'H', 0
	case keys.Insert:
		return 0, 2
	case keys.Delete:
		return 0, 3
	case keys.PageUp:
		return 0, 5
	case keys.PageDown:
		return 0, 6
	}
	if n := int(code - keys.F1); n >= 0 && n < 4 {
		return byte('P' + n), 0
	} else if numbers := [...]int{15, 17, 18, 19, 20, 21, 23, 24}; n >= 4 && n < 12 {
		return 0, numbers[n-4]
	}
	return 0, 0
}

// encode returns the bytes with which xterm sends a key, none for a key that it does not send.
func encode(k keys.Key, hasAppArrows bool) []byte {
	mods, code := k.Chord.Mods, k.Chord.Code
	if letter, number := sequenceOf(code); letter != 0 || number != 0 {
		return encodeSequence(letter, number, mods, hasAppArrows)
	}
	text := k.Text
	switch {
	case code == keys.Tab && mods&keys.Shift != 0:
		text = "\x1b[Z"
	case code == keys.Tab:
		text = "\t"
	case code == keys.Enter:
		text = "\r"
	case code == keys.Escape:
		text = "\x1b"
	case code == keys.Backspace && mods&keys.Ctrl != 0:
		text = "\b"
	case code == keys.Backspace:
		text = "\x7f"
	case mods&keys.Ctrl != 0:
		text = control(code)
	case text == "" && mods&keys.Cmd == 0 && code < keys.Up:
		text = string(code)
		if mods&keys.Shift != 0 {
			text = strings.ToUpper(text)
		}
	}
	if text != "" && mods&keys.Alt != 0 {
		text = "\x1b" + text
	}
	return []byte(text)
}

// control returns the control character that Ctrl and a character type.
func control(code rune) string {
	switch {
	case code >= 'a' && code <= 'z':
		return string(code - 'a' + 1)
	case code >= '[' && code <= '_':
		return string(code - '@')
	case code == keys.Space, code == '@':
		return "\x00"
	case code == '/':
		return "\x1f"
	case code == '?':
		return "\x7f"
	}
	return ""
}

func encodeSequence(letter byte, number int, mods keys.Mods, hasAppArrows bool) []byte {
	modifier := 1 // as xterm counts
	for i, m := range [...]keys.Mods{keys.Shift, keys.Alt, keys.Ctrl} {
		if mods&m != 0 {
			modifier += 1 << i
		}
	}
	suffix := ""
	if modifier > 1 {
		suffix = ";" + strconv.Itoa(modifier)
	}
	switch {
	case number > 0:
		return []byte("\x1b[" + strconv.Itoa(number) + suffix + "~")
	case suffix != "":
		return []byte("\x1b[1" + suffix + string(letter))
	case hasAppArrows || letter >= 'P':
		return []byte("\x1bO" + string(letter))
	}
	return []byte("\x1b[" + string(letter))
}

// encodePaste returns a text as a terminal pastes it. The text cannot end the paste by itself.
func encodePaste(text string, isMarked bool) []byte {
	text = strings.ReplaceAll(text, "\n", "\r")
	if !isMarked {
		return []byte(text)
	}
	return []byte("\x1b[200~" + strings.ReplaceAll(text, "\x1b[201~", "") + "\x1b[201~")
}
