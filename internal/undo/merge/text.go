package merge

import (
	"errors"
	"strings"

	"pollux/internal/charset"
)

// Decode returns contents of one file as texts in UTF-8, and the encoding of the first that has another one. It is not ok if one is no text.
func Decode(contents ...string) (texts []string, e charset.Encoding, ok bool) {
	found := make([]charset.Encoding, len(contents))
	for i, c := range contents {
		if found[i] = charset.Detect([]byte(c)); !found[i].IsText() {
			return nil, e, false
		}
		if e.IsUTF8() {
			e = found[i]
		}
	}
	for i, c := range contents {
		data := []byte(c)
		switch {
		case found[i].IsUTF8():
			texts = append(texts, c)
		case e.IsExact(data): // the guess from few characters may differ
			texts = append(texts, e.Decode(data))
		case found[i].IsExact(data):
			texts = append(texts, found[i].Decode(data))
		default:
			return nil, e, false
		}
	}
	return texts, e, true
}

// IsWide reports whether a content has zero bytes, as one in UTF-16 does and lines of other texts do not.
func IsWide(content string) bool { return strings.IndexByte(content, 0) >= 0 }

// ErrNoText is returned for contents that are no texts.
var ErrNoText = errors.New("it is no text")

// Contents is [Lines] for contents of a file in any encoding. The result has that of ours.
func Contents(base, ours, theirs string) (text string, conflicts []Range, err error) {
	if !IsWide(base) && !IsWide(ours) && !IsWide(theirs) { // lines end alike in all other encodings
		text, conflicts = Lines(base, ours, theirs)
		return text, conflicts, nil
	}
	texts, e, ok := Decode(ours, base, theirs)
	if !ok {
		return "", nil, ErrNoText
	}
	if text, conflicts = Lines(texts[1], texts[0], texts[2]); len(conflicts) > 0 {
		return "", conflicts, nil
	}
	if own := charset.Detect([]byte(ours)); ours != "" {
		e = own
	}
	data, err := e.Encode(text)
	return string(data), nil, err
}
