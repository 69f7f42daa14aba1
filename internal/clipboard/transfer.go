package clipboard

import (
	"errors"
	"slices"
	"strings"
)

// Transfer reads the clipboard of a terminal with kitty's protocol, OSC 5522: first the list of its types, then the image or
// the text. The zero value waits for the list.
type Transfer struct {
	kind string // that was asked for, "" for the list
	data []byte
}

// ListType is the type that stands for the list of types.
const ListType = "."

// Take takes a part of a reply: its status, and data of a type. It returns the type to ask for next, or isDone with the
// content or an error.
func (t *Transfer) Take(status, kind string, data []byte) (ask string, isDone bool, c Content, err error) {
	most := maxContent
	if t.kind == "" {
		most = maxTypes
	}
	switch status {
	case "OK":
		return "", false, c, nil
	case "DATA":
		if kind != t.kind && (t.kind != "" || kind != ListType) {
			return "", false, c, nil // of an older request
		}
		if len(t.data)+len(data) > most {
			return "", true, c, ErrTooLarge
		}
		t.data = append(t.data, data...)
		return "", false, c, nil
	case "DONE":
		return t.end()
	}
	return "", true, c, refusal(status)
}

// end ends the list or the content.
func (t *Transfer) end() (ask string, isDone bool, c Content, err error) {
	data := t.data
	t.data = nil
	if t.kind != "" {
		c, err = NewContent(data, strings.HasPrefix(t.kind, "image/"))
		return "", true, c, err
	}
	types := strings.Fields(string(data))
	if t.kind = ImageType(types); t.kind == "" {
		isText := func(kind string) bool { return strings.HasPrefix(kind, "text/plain") }
		if i := slices.IndexFunc(types, isText); i >= 0 {
			t.kind = types[i]
		}
	}
	if t.kind == "" {
		return "", true, c, ErrEmpty
	}
	return t.kind, false, c, nil
}

// refusal returns the error for a status of the terminal.
func refusal(status string) error {
	switch status {
	case "EPERM":
		return errors.New("the terminal does not let Pollux read the clipboard")
	case "EBUSY":
		return errors.New("the clipboard is in use; try again")
	}
	return errors.New("the terminal cannot read the clipboard")
}
