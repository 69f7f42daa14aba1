package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// document is the text of a settings file with a syntax tree that has offsets. Edits change
// only the text: the parts that are not edited are preserved, including comments.
type document struct {
	text []byte // without a byte order mark
	root hujson.Value
}

// openDocument parses the text of a settings file.
func openDocument(text []byte) (*document, error) {
	if _, err := ParseObject(text); err != nil {
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

// member returns the member called name. If there are several, the last one counts, as in JSON
// parsers.
func member(object *hujson.Object, name string) (at int, value *hujson.Value) {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if literal, ok := object.Members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			return i, &object.Members[i].Value
		}
	}
	return -1, nil
}

// line returns the number of the line with the key of a path, starting at 1; 0 if there is
// none.
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

// set returns the text with v at a path.
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

// nestAt returns v inside nested objects with these names.
func nestAt(path []string, v any) any {
	for i := len(path) - 1; i >= 0; i-- {
		v = map[string]any{path[i]: v}
	}
	return v
}

// insert appends a member to an object.
func (d *document) insert(in *hujson.Value, object *hujson.Object, name string, v any) []byte {
	key := append(d.encode(name, ""), ": "...)
	if len(object.Members) == 0 {
		return d.fill(in, object, key, v)
	}
	last := &object.Members[len(object.Members)-1]
	end := last.Value.EndOffset
	comma := end // or the end of an existing comma
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

// fill inserts the first member of an object, after its comments.
func (d *document) fill(in *hujson.Value, object *hujson.Object, key []byte, v any) []byte {
	outer := d.indentOf(in.StartOffset)
	indent := outer + d.unit()
	inside := bytes.TrimRight(object.AfterExtra, " \t\r\n")
	end := in.EndOffset - 1
	text := slices.Concat([]byte(d.newline()+indent), key, d.encode(v, indent), []byte(d.newline()+outer))
	return splice(d.text, end-len(object.AfterExtra)+len(inside), end, text)
}

// unset returns the text without the value at a path, and whether there was one. It also
// removes objects that contain nothing else, not even comments.
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
		if from == nil || !isBare(object) || isDuplicate(from, index) {
			from, index = object, i
		}
		in = value
	}
	return d.remove(from, index), true
}

// isBare reports whether an object has one member and no comments around it.
func isBare(object *hujson.Object) bool {
	if len(object.Members) != 1 {
		return false
	}
	m := &object.Members[0]
	extra := bytes.Join([][]byte{m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra, object.AfterExtra}, nil)
	return len(bytes.TrimSpace(extra)) == 0
}

// isDuplicate reports whether an object has an earlier member with the same name.
func isDuplicate(object *hujson.Object, i int) bool {
	name := object.Members[i].Name.Value.(hujson.Literal).String()
	earlier := hujson.Object{Members: object.Members[:i]}
	_, value := member(&earlier, name)
	return value != nil
}

// remove removes a member and the comma that is no longer needed. It preserves comments.
func (d *document) remove(object *hujson.Object, i int) []byte {
	m := &object.Members[i]
	start, end := m.Name.StartOffset, m.Value.EndOffset
	inside := bytes.Join([][]byte{m.Name.AfterExtra, m.Value.BeforeExtra}, nil)
	rest := []byte(nil) // the part of the member that stays: comments inside it
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
	// Remove the line if nothing else is on it.
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
		// The previous member is now the last one.
		before := &object.Members[i-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		text = splice(text, comma, comma+1, nil)
	}
	return text
}

// splice replaces text[start:end] with other bytes.
func splice(text []byte, start, end int, with []byte) []byte {
	return slices.Concat(text[:start], with, text[end:])
}

// endOfLine returns the end of the line that continues at an offset, or the end of the object
// if that comes first. Comments on the line belong to the text before them.
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

// indentOf returns the white space at the start of the line with an offset.
func (d *document) indentOf(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns one level of indentation: a tab if the file uses tabs.
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

// encodeJSON returns v, a value as decoded by [encoding/json], as JSON.
func encodeJSON(v any, prefix, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if indent != "" {
		e.SetIndent(prefix, indent)
	}
	_ = e.Encode(v) // never fails for such values
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
