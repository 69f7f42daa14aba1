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

// Table lists members of an object, with the places for their values: a *string
// (see [SetString]), an *int (see [SetCount]), a *[]byte for the JSON until the decoder
// continues, a function that gets the string, a function that decodes the value, [Each],
// or a table for an object.
type Table []struct {
	Name string
	To   any
}

// Each decodes the elements of an array, or a value that is not an array.
type Each func(d *jx.Decoder) error

// Decode decodes an object. It skips members that are null or not in the table, and
// values that are not objects.
func (t Table) Decode(d *jx.Decoder) error { return Members(d, t.Member) }

// Member decodes the value of the member key, or skips it.
func (t Table) Member(d *jx.Decoder, key []byte) error {
	for i := range t {
		if t[i].Name == string(key) {
			return decodeTo(d, t[i].To)
		}
	}
	return d.Skip()
}

func decodeTo(d *jx.Decoder, to any) (err error) {
	switch to := to.(type) {
	case *string:
		return SetString(d, to)
	case *int:
		return SetCount(d, to)
	case *[]byte:
		*to, err = d.Raw()
	case func(string):
		var s string
		s, err = String(d)
		to(s)
	case func(*jx.Decoder) error:
		return to(d)
	case Each:
		return Elements(d, to)
	case Table:
		return to.Decode(d)
	default:
		return d.Skip()
	}
	return err
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
