package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// document is the text of a settings file with a tree that knows where its
// parts stand. A change is made to the text alone: whatever is not changed keeps
// its bytes, comments included.
type document struct {
	text []byte // without a byte order mark
	root hujson.Value
}

// openDocument reads a settings file's text.
func openDocument(text []byte) (*document, error) {
	if _, err := parse(text); err != nil {
		return nil, err
	}
	if depth(text) > maxDepth {
		return nil, errTooDeep
	}
	value, err := parseCommented(text)
	if err != nil {
		return nil, err
	}
	return &document{text, value}, nil
}

// member returns the member of a name. Of several the last one counts, as it
// does for all who read JSON.
func member(object *hujson.Object, name string) (at int, value *hujson.Value) {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if literal, ok := object.Members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			return i, &object.Members[i].Value
		}
	}
	return -1, nil
}

// line returns the line, from 1, on which the key of a path stands, 0 if it is
// not there.
func (d *document) line(path []string) int {
	at, in := 0, &d.root
	for _, name := range path {
		object, ok := in.Value.(*hujson.Object)
		if !ok {
			return 0
		}
		i, value := member(object, name)
		if i < 0 {
			return 0
		}
		at, in = object.Members[i].Name.StartOffset, value
	}
	return 1 + bytes.Count(d.text[:at], []byte("\n"))
}

// set returns the text with a value at a path.
func (d *document) set(path []string, v any) ([]byte, error) {
	in := &d.root
	for i, name := range path {
		object, ok := in.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%q is not an object there", strings.Join(path[:i], "."))
		}
		_, value := member(object, name)
		if value == nil {
			return d.insert(in, object, name, nestAt(path[i+1:], v)), nil
		}
		in = value
	}
	return splice(d.text, in.StartOffset, in.EndOffset, d.encode(v, d.indentOf(in.StartOffset))), nil
}

// nestAt returns v inside the objects of these names.
func nestAt(path []string, v any) any {
	for i := len(path) - 1; i >= 0; i-- {
		v = map[string]any{path[i]: v}
	}
	return v
}

// insert puts a member at the end of an object.
func (d *document) insert(in *hujson.Value, object *hujson.Object, name string, v any) []byte {
	key := append(d.encode(name, ""), ": "...)
	if len(object.Members) == 0 {
		return d.fill(in, object, key, v)
	}
	last := &object.Members[len(object.Members)-1]
	end := last.Value.EndOffset
	comma := end // or where the comma ends that is there already
	if last.Value.AfterExtra != nil {
		comma = end + len(last.Value.AfterExtra) + 1
	}
	var text []byte
	place := comma
	if bytes.Contains(d.text[in.StartOffset:end], []byte("\n")) {
		indent := d.indentOf(last.Name.StartOffset)
		text = slices.Concat([]byte(d.newline()+indent), key, d.encode(v, indent))
		place = d.endOfLine(comma)
	} else {
		text = slices.Concat([]byte(" "), key, encodeJSON(v, "", ""))
	}
	if comma != end {
		return splice(d.text, place, place, append(text, ','))
	}
	return splice(splice(d.text, place, place, text), end, end, []byte(","))
}

// fill puts the first member into an object, after the comments in it.
func (d *document) fill(in *hujson.Value, object *hujson.Object, key []byte, v any) []byte {
	outer := d.indentOf(in.StartOffset)
	indent := outer + d.unit()
	inside := bytes.TrimRight(object.AfterExtra, " \t\r\n")
	end := in.EndOffset - 1
	text := slices.Concat([]byte(d.newline()+indent), key, d.encode(v, indent), []byte(d.newline()+outer))
	return splice(d.text, end-len(object.AfterExtra)+len(inside), end, text)
}

// unset returns the text without what is at a path, and whether there was
// anything. Objects that have nothing else in them, comments included, go too.
func (d *document) unset(path []string) ([]byte, bool) {
	in := &d.root
	var from *hujson.Object
	var index int
	for _, name := range path {
		object, ok := in.Value.(*hujson.Object)
		if !ok {
			return d.text, false
		}
		i, value := member(object, name)
		if value == nil {
			return d.text, false
		}
		if from == nil || !bare(object) || twice(from, index) {
			from, index = object, i
		}
		in = value
	}
	return d.remove(from, index), true
}

// bare reports whether an object has one member and no comments around it.
func bare(object *hujson.Object) bool {
	if len(object.Members) != 1 {
		return false
	}
	m := &object.Members[0]
	extra := bytes.Join([][]byte{m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra, object.AfterExtra}, nil)
	return len(bytes.TrimSpace(extra)) == 0
}

// twice reports whether an object has an earlier member of the same name.
func twice(object *hujson.Object, i int) bool {
	name := object.Members[i].Name.Value.(hujson.Literal).String()
	earlier := hujson.Object{Members: object.Members[:i]}
	_, value := member(&earlier, name)
	return value != nil
}

// remove takes a member out, with the comma that it no longer needs. Comments
// stay where they are.
func (d *document) remove(object *hujson.Object, i int) []byte {
	m := &object.Members[i]
	start, end := m.Name.StartOffset, m.Value.EndOffset
	inside := bytes.Join([][]byte{m.Name.AfterExtra, m.Value.BeforeExtra}, nil)
	rest := []byte(nil) // what stays of the member: comments inside it
	if inside = bytes.TrimSpace(inside); len(inside) > 0 {
		rest = append(bytes.Clone(inside), d.newline()...)
	}
	after := end
	if last := i == len(object.Members)-1; !last || m.Value.AfterExtra != nil {
		after = end + len(m.Value.AfterExtra) + 1
		if len(bytes.TrimSpace(m.Value.AfterExtra)) > 0 {
			rest = append(rest, m.Value.AfterExtra...)
		}
	}
	text := d.text
	// The line goes if nothing else is on it.
	left := bytes.TrimRight(text[:start], " \t")
	right := after
	for right < len(text) && (text[right] == ' ' || text[right] == '\t' || text[right] == '\r') {
		right++
	}
	switch ownStart, ownEnd := bytes.HasSuffix(left, []byte("\n")), right < len(text) && text[right] == '\n'; {
	case len(rest) > 0:
		left, right = text[:start], after
	case ownStart && ownEnd:
		right++
	case ownStart:
		left = text[:start]
	case ownEnd && i == len(object.Members)-1:
		right = after
	case i < len(object.Members)-1:
		left = text[:start]
	default:
		right = after
	}
	text = splice(text, len(left), right, rest)
	if i > 0 && i == len(object.Members)-1 && m.Value.AfterExtra == nil {
		// The one before is the last now.
		before := &object.Members[i-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		text = splice(text, comma, comma+1, nil)
	}
	return text
}

// splice returns text with other bytes in place of text[start:end].
func splice(text []byte, start, end int, with []byte) []byte {
	spliced := make([]byte, 0, len(text)+len(with))
	spliced = append(spliced, text[:start]...)
	spliced = append(spliced, with...)
	return append(spliced, text[end:]...)
}

// endOfLine returns where the line ends that goes on at an offset, or where the
// object ends, whichever comes first. Comments on the line belong to what is
// before them.
func (d *document) endOfLine(at int) int {
	end := at
	for at < len(d.text) {
		switch c := d.text[at]; {
		case c == ' ' || c == '\t' || c == '\r':
			at++
		case c == '/':
			n := comment(d.text[at:])
			if n == 0 {
				return end
			}
			block := d.text[at : at+n]
			if bytes.HasPrefix(block, []byte("//")) {
				return at + len(bytes.TrimRight(block, "\r\n"))
			}
			at += n
			end = at
		default:
			return end
		}
	}
	return end
}

// indentOf returns the white space that the line of an offset begins with.
func (d *document) indentOf(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns one step of indentation: a tab where the file has those.
func (d *document) unit() string {
	if bytes.Contains(d.text, []byte("\n\t")) {
		return "\t"
	}
	return "  "
}

func (d *document) newline() string {
	if bytes.Contains(d.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// encode returns v as JSON, indented for a line that begins with indent.
func (d *document) encode(v any, indent string) []byte {
	return bytes.ReplaceAll(encodeJSON(v, indent, d.unit()), []byte("\n"), []byte(d.newline()))
}

// encodeJSON returns v, which is in the shapes of [encoding/json], as JSON.
func encodeJSON(v any, prefix, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if indent != "" {
		e.SetIndent(prefix, indent)
	}
	_ = e.Encode(v) // these shapes always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
