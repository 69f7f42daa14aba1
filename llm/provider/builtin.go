package provider

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-faster/jx"
)

//go:embed providers.json
var builtin []byte

// newReader returns a reader of the built-in profiles, which are read one by one, as
// they are needed.
//
// They are not read by encoding/json: to prepare for a type as large as a profile
// takes it longer than all else that is done here before a request, as long as 0.2 ms.
// What it would read is the same, to which a test holds it.
func newReader() *reader {
	d := jx.DecodeBytes(builtin)
	members, err := d.ObjIter()
	if err != nil {
		panic("providers.json: " + err.Error()) // a test reads all of it
	}
	return &reader{d, members}
}

type reader struct {
	d       *jx.Decoder
	members jx.ObjIter
}

// next returns the next profile, nil behind the last.
func (r *reader) next() *Profile {
	if !r.members.Next() {
		return nil
	}
	p := &Profile{ID: string(r.members.Key()), Protocol: Chat}
	if err := p.read(r.d); err != nil {
		panic("providers.json: " + p.ID + ": " + err.Error()) // as above
	}
	return p
}

func (p *Profile) read(d *jx.Decoder) error {
	return d.Obj(func(d *jx.Decoder, member string) (err error) {
		switch member {
		case "aliases":
			return p.Aliases.read(d)
		case "name":
			p.Name, err = d.Str()
		case "protocol":
			return p.Protocol.read(d)
		case "baseUrl":
			p.BaseURL, err = d.Str()
		case "baseUrlVars":
			return p.BaseURLVars.read(d)
		case "basePath":
			p.BasePath, err = d.Str()
		case "keyVars":
			return p.KeyVars.read(d)
		case "tokenVars":
			return p.TokenVars.read(d)
		case "keyHeader":
			p.KeyHeader, err = d.Str()
		case "keyless":
			p.Keyless, err = d.Bool()
		case "onlyNamed":
			p.OnlyNamed, err = d.Bool()
		case "headers":
			p.Headers = map[string]string{}
			return d.Obj(func(d *jx.Decoder, name string) error {
				value, err := d.Str()
				p.Headers[name] = value
				return err
			})
		case "model":
			p.Model, err = d.Str()
		case "smallModel":
			p.SmallModel, err = d.Str()
		case "modelVars":
			return p.ModelVars.read(d)
		case "router":
			p.Router, err = d.Bool()
		case "imitated":
			p.Imitated, err = d.Bool()
		case "quirks":
			return raw(d, &p.Quirks)
		case "models":
			return d.Arr(func(d *jx.Decoder) error {
				p.Models = append(p.Models, Rule{})
				return p.Models[len(p.Models)-1].read(d)
			})
		case "local":
			p.Local = &Local{}
			return p.Local.read(d)
		default:
			return fmt.Errorf("unknown member %q", member)
		}
		return err
	})
}

func (r *Rule) read(d *jx.Decoder) error {
	return d.Obj(func(d *jx.Decoder, member string) error {
		switch member {
		case "match":
			return r.Match.read(d)
		case "protocol":
			return r.Protocol.read(d)
		case "quirks":
			return raw(d, &r.Quirks)
		}
		return fmt.Errorf("unknown member of a model's rule %q", member) // none of ours has another
	})
}

func (l *Local) read(d *jx.Decoder) error {
	return d.Obj(func(d *jx.Decoder, member string) (err error) {
		switch member {
		case "port":
			l.Port, err = d.Int()
		case "probe":
			l.Probe, err = d.Str()
		case "says":
			l.Says, err = d.Str()
		case "window":
			l.Window, err = d.Str()
		case "windowAt":
			l.WindowAt, err = d.Str()
		case "list":
			l.List, err = d.Str()
		default:
			return fmt.Errorf("unknown member of local %q", member)
		}
		return err
	})
}

func (w *Words) read(d *jx.Decoder) error {
	one := func(d *jx.Decoder) error {
		text, err := d.Str()
		*w = append(*w, text)
		return err
	}
	if d.Next() == jx.Array {
		return d.Arr(one)
	}
	return one(d)
}

func (p *Protocol) read(d *jx.Decoder) error {
	name, err := d.Str()
	if err != nil {
		return err
	}
	return p.UnmarshalText([]byte(name))
}

func raw(d *jx.Decoder, to *json.RawMessage) error {
	data, err := d.Raw()
	*to = slices.Clip(json.RawMessage(data)) // it is a part of the file
	return err
}
