package argmap

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("no JSON object")

// members returns the members of an object in their order, as encoding/json reads them: the policy
// must see the same value under a name as the tool gets. Values are parts of object.
func members(object json.RawMessage) ([]member, error) {
	if !json.Valid(object) {
		return nil, errNoObject
	}
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(object)
	if d.Next() != jx.Object {
		return nil, errNoObject
	}
	out := make([]member, 0, 4)
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		value, err := d.Raw()
		name := string(key)
		if !utf8.ValidString(name) {
			name = string([]rune(name)) // with U+FFFD for each wrong byte
		}
		out = append(out, member{name, json.RawMessage(value)})
		return err
	})
	return out, err
}
