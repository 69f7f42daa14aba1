package httpwire

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// Services agree on the names of members more than on their types. The
// functions below therefore skip null and values of other types, so that a
// member that is not needed never makes a response fail.

// Decode calls decode with a decoder of data, which must be one JSON value. It
// returns the error of decode, or an error if text follows the value.
func Decode(data []byte, decode func(d *jx.Decoder) error) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	if err := decode(d); err != nil {
		return err
	}
	if err := d.Skip(); err != io.EOF {
		return errors.New("text after the end of the JSON value")
	}
	return nil
}

// Members calls member for each member of an object whose value is not null. It
// skips values that are not objects.
func Members(d *jx.Decoder, member func(d *jx.Decoder, key []byte) error) error {
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

// Elements calls element for each element of an array, or once for a value that
// is not an array.
func Elements(d *jx.Decoder, element func(d *jx.Decoder) error) error {
	if d.Next() != jx.Array {
		return element(d)
	}
	return d.Arr(element)
}

// String decodes a string. It returns "" for other values.
func String(d *jx.Decoder) (string, error) {
	if d.Next() != jx.String {
		return "", d.Skip()
	}
	s, err := d.Str()
	return strings.ToValidUTF8(s, "\ufffd"), err
}

// SetString decodes a string into to and skips other values. It does not
// allocate if to already has that value.
func SetString(d *jx.Decoder, to *string) error {
	if d.Next() != jx.String {
		return d.Skip()
	}
	b, err := d.StrBytes()
	if err == nil && string(b) != *to {
		*to = strings.ToValidUTF8(string(b), "\ufffd")
	}
	return err
}

// SetCount decodes a count in any of the forms that services use: 12, 12.0 or
// "12". It skips other values.
func SetCount(d *jx.Decoder, to *int) error {
	if k := d.Next(); k != jx.Number && k != jx.String {
		return d.Skip()
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	if f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64); err == nil && f == f {
		*to = int(min(max(f, 0), 1<<53))
	}
	return nil
}
