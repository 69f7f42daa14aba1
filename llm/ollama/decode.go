package ollama

import (
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// fields calls member for each member of an object that is not null. Anything
// but an object is passed over.
func fields(d *jx.Decoder, member func(d *jx.Decoder, key []byte) error) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		if d.Next() == jx.Null {
			return d.Skip()
		}
		return member(d, key)
	})
}

// elements calls element for each element of an array, or for a value that
// stands where one is due.
func elements(d *jx.Decoder, element func(d *jx.Decoder) error) error {
	if d.Next() != jx.Array {
		return element(d)
	}
	return d.Arr(element)
}

// words decodes a string; anything else is passed over.
func words(d *jx.Decoder) (string, error) {
	if d.Next() != jx.String {
		return "", d.Skip()
	}
	s, err := d.Str()
	return strings.ToValidUTF8(s, "\ufffd"), err
}

// same decodes a string into to, which mostly is that already.
func same(d *jx.Decoder, to *string) error {
	if d.Next() != jx.String {
		return d.Skip()
	}
	b, err := d.StrBytes()
	if err == nil && string(b) != *to {
		*to = strings.ToValidUTF8(string(b), "\ufffd")
	}
	return err
}

// number decodes a count.
func number(d *jx.Decoder, to *int) error {
	if d.Next() != jx.Number {
		return d.Skip()
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == f {
		*to = int(min(max(f, 0), 1<<53))
	}
	return nil
}
