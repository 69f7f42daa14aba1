package policy

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// section is a TOML table with its position in the file, so that problems are reported with a
// line, and answers are saved without changing the rest.
type section struct {
	from    int // offset of its header in bytes
	line    int
	closed  bool // in braces or defined by dotted keys: headers must not add to it
	named   bool // its header was read
	members map[string]member
}

// member is a key with its value and position. The value is a string, int64, float64, bool,
// []any, *section or, for an array of tables, []*section.
type member struct {
	value          any
	from, to, line int
}

// put sets a member. The error is not nil if there is no room for it.
func (s *section) put(key string, m member) error {
	const most = 1000
	if s.members == nil {
		s.members = map[string]member{}
	}
	s.members[key] = m
	if len(s.members) > most {
		return fmt.Errorf("a table with more than %d keys", most)
	}
	return nil
}

// tomlError is a syntax error with its position.
type tomlError struct {
	line, column int
	message      string
}

func (e *tomlError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.line, e.column, e.message)
}

// maxNames is the maximum nesting depth of tables.
const maxNames = 50

// parseTOML parses a file. It does not use the library's decoder, which reports no lines for
// valid syntax with invalid content, and takes quadratic time in the size of a table.
func parseTOML(data []byte) (*section, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &tomlReader{data: data, top: &section{line: 1}, line: 1}
	r.here = r.top
	if i := invalidUTF8(data); i >= 0 {
		return nil, r.wrong(i, "a byte that is not UTF-8")
	}
	r.parser.Reset(data)
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return nil, err
		}
	}
	if err := r.parser.Error(); err != nil {
		at := len(data)
		var syntax *unstable.ParserError
		if errors.As(err, &syntax) {
			at = int(r.parser.Range(syntax.Highlight).Offset)
		}
		return nil, r.wrong(at, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return r.top, nil
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

type tomlReader struct {
	parser unstable.Parser
	data   []byte
	top    *section
	here   *section // the table that keys are added to
	// line is the line of the byte at counted, so that lines are counted only once.
	counted, line int
}

func (r *tomlReader) wrong(offset int, message string) error {
	before := r.data[:offset]
	return &tomlError{
		line: 1 + bytes.Count(before, []byte("\n")), column: len(before) - bytes.LastIndexByte(before, '\n'),
		message: message,
	}
}

// lineOf returns the line of an offset, which must not be before the last one.
func (r *tomlReader) lineOf(offset int) int {
	r.line += bytes.Count(r.data[r.counted:offset], []byte("\n"))
	r.counted = offset
	return r.line
}

func (r *tomlReader) expression(n *unstable.Node) error {
	keys, offset, err := r.keys(n)
	if err != nil {
		return err
	}
	line := r.lineOf(offset)
	switch n.Kind {
	case unstable.Table:
		return r.header(keys, offset, line)
	case unstable.ArrayTable:
		return r.item(keys, offset, line)
	}
	into, err := r.descend(r.here, keys[:len(keys)-1], offset, line, true)
	if err != nil {
		return err
	}
	v, err := r.value(n.Value(), line, 0)
	if err != nil {
		return r.wrong(offset, err.Error())
	}
	if err := into.add(keys[len(keys)-1], member{v, int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length), line}); err != nil {
		return r.wrong(offset, err.Error())
	}
	return nil
}

// add adds a member. The error is not nil if the key exists.
func (s *section) add(key string, m member) error {
	if _, taken := s.members[key]; taken {
		return fmt.Errorf("duplicate key %q", key)
	}
	return s.put(key, m)
}

// keys returns the names of a dotted key, and their offset.
func (r *tomlReader) keys(n *unstable.Node) (names []string, offset int, err error) {
	for it := n.Key(); it.Next(); {
		if len(names) == 0 {
			offset = int(it.Node().Raw.Offset)
		}
		if len(names) == maxNames {
			return nil, offset, r.wrong(offset, "tables nest too deeply")
		}
		names = append(names, string(it.Node().Data))
	}
	return names, offset, nil
}

// descend returns the table with these names (for an array, its last element), and creates
// missing ones.
func (r *tomlReader) descend(s *section, names []string, offset, line int, dotted bool) (*section, error) {
	for _, name := range names {
		switch v := s.members[name].value.(type) {
		case nil:
			below := &section{from: offset, line: line, closed: dotted}
			if err := s.put(name, member{below, offset, offset, line}); err != nil {
				return nil, r.wrong(offset, err.Error())
			}
			s = below
		case *section:
			if v.closed != dotted {
				return nil, r.wrong(offset, fmt.Sprintf("the table %q is already defined", name))
			}
			s = v
		case []*section:
			s = v[len(v)-1]
		default:
			return nil, r.wrong(offset, fmt.Sprintf("%q is a value, not a table", name))
		}
	}
	return s, nil
}

// header handles a [table] header.
func (r *tomlReader) header(names []string, offset, line int) error {
	s, err := r.descend(r.top, names, offset, line, false)
	switch {
	case err != nil:
		return err
	case s.named:
		return r.wrong(offset, fmt.Sprintf("duplicate table %q", strings.Join(names, ".")))
	}
	s.named = true
	r.here = s
	return nil
}

// item handles an [[array]] header.
func (r *tomlReader) item(names []string, offset, line int) error {
	last := names[len(names)-1]
	s, err := r.descend(r.top, names[:len(names)-1], offset, line, false)
	if err != nil {
		return err
	}
	r.here = &section{from: offset, line: line, named: true}
	m := s.members[last]
	list, ok := m.value.([]*section)
	if m.value != nil && !ok {
		return r.wrong(offset, fmt.Sprintf("%q is not an array of tables", last))
	}
	if err := s.put(last, member{append(list, r.here), offset, offset, line}); err != nil {
		return r.wrong(offset, err.Error())
	}
	return nil
}

// value returns the value of a node. Errors do not contain the position.
func (r *tomlReader) value(n *unstable.Node, line, depth int) (any, error) {
	if depth > maxNames {
		return nil, errors.New("values nest too deeply")
	}
	text := string(n.Data)
	switch n.Kind {
	case unstable.String:
		return text, nil
	case unstable.Bool:
		return text == "true", nil
	case unstable.Integer:
		i, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
		return i, tooLarge(text, err)
	case unstable.Float:
		f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		return f, tooLarge(text, err)
	case unstable.Array:
		list := []any{}
		for it := n.Children(); it.Next(); {
			v, err := r.value(it.Node(), line, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case unstable.InlineTable:
		return r.inline(n, line, depth)
	}
	return text, nil // dates and times are not used in policies
}

func tooLarge(number string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the number %.40s is too large", number)
}

func (r *tomlReader) inline(n *unstable.Node, line, depth int) (any, error) {
	s := &section{line: line}
	for it := n.Children(); it.Next(); {
		names, offset, err := r.keys(it.Node())
		if err != nil {
			return nil, errors.New("tables nest too deeply")
		}
		into, err := r.descend(s, names[:len(names)-1], offset, line, true)
		if err != nil {
			return nil, errors.New("an inline table contains conflicting keys")
		}
		v, err := r.value(it.Node().Value(), line, depth+1)
		if err != nil {
			return nil, err
		}
		if err := into.add(names[len(names)-1], member{value: v, line: line}); err != nil {
			return nil, err
		}
	}
	s.closed = true
	return s, nil
}
