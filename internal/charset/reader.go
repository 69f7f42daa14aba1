package charset

import (
	"errors"
	"io"
	"unicode/utf8"
)

// ErrNotUTF8 is the error of a reader of [NewUTF8Reader].
var ErrNotUTF8 = errors.New("the text is not valid UTF-8")

// UTF8Mark is the byte order mark of UTF-8.
const UTF8Mark = "\xef\xbb\xbf"

// BeginsUTF8 reports whether head, the beginning of a text or, if isWhole is set, all of it, is valid
// UTF-8. A character at the end of a beginning may have been cut off.
func BeginsUTF8(head []byte, isWhole bool) bool { return utf8.Valid(trimPartial(head, isWhole)) }

// NewUTF8Reader returns a reader that reads from r, and fails with ErrNotUTF8 instead of returning
// invalid UTF-8.
func NewUTF8Reader(r io.Reader) io.Reader { return &utf8Reader{r: r} }

type utf8Reader struct {
	r       io.Reader
	partial []byte // the beginning of a character that was returned
}

func (u *utf8Reader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	check := p[:n]
	if len(u.partial) > 0 && n > 0 {
		joined := append(u.partial, check[:min(n, utf8.UTFMax-len(u.partial))]...)
		r, size := utf8.DecodeRune(joined)
		switch {
		case !utf8.FullRune(joined):
			u.partial = joined
			check = nil
		case r == utf8.RuneError && size == 1:
			return 0, ErrNotUTF8
		default:
			check = check[size-len(u.partial):]
			u.partial = u.partial[:0]
		}
	}
	if len(check) > 0 {
		tail := partialLen(check)
		if !utf8.Valid(check[:len(check)-tail]) {
			return 0, ErrNotUTF8
		}
		u.partial = append(u.partial[:0], check[len(check)-tail:]...)
	}
	if errors.Is(err, io.EOF) && len(u.partial) > 0 {
		return 0, ErrNotUTF8
	}
	return n, err
}
