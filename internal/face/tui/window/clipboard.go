package window

import (
	"encoding/base64"
	"errors"
)

// maxCopy is the largest sequence for the clipboard, in bytes and without the form for multiplexers, that terminals are
// known to take.
const maxCopy = 100_000

// Errors of [Terminal.Copy].
var (
	ErrTooLarge = errors.New("the text is too large for the clipboard of the terminal, which takes 74,994 bytes")
	ErrNoText   = errors.New("there is no text to copy")
)

// Copy returns the sequence that puts a text into the clipboard: OSC 52. Terminals do not confirm it, and some ignore
// it. The error is [ErrTooLarge] for a text of more than 74,994 bytes, and [ErrNoText] for none.
func (t Terminal) Copy(text string) (string, error) {
	if text == "" {
		return "", ErrNoText
	}
	const head = "52;c;"
	if len(esc+"]"+head+bel)+base64.StdEncoding.EncodedLen(len(text)) > maxCopy {
		return "", ErrTooLarge
	}
	return t.through(osc(head + base64.StdEncoding.EncodeToString([]byte(text)))), nil
}

// AskText is the sequence that asks for the text in the clipboard: OSC 52. Few terminals answer, with a paste.
const AskText = esc + "]52;c;?" + bel

// AskClipboard returns the sequence that asks for the content of the clipboard in kitty's protocol, OSC 5522, in the form
// of a MIME type; "." is the list of the types.
func AskClipboard(mime string) string {
	return esc + "]5522;type=read;" + base64.StdEncoding.EncodeToString([]byte(mime)) + st
}
