package secret

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"pollux/llm"
)

// Redacted is the text that replaces a secret.
const Redacted = "[REDACTED]"

// Masker replaces secrets in texts: known values, and forms of secrets (see [EraseForms]). It passes over a
// text once, however many values it knows, and again only where something was replaced. It may be used from
// several goroutines at once. A nil *Masker replaces nothing.
type Masker struct {
	heads  headSet
	values map[head][]string // known values by their heads, the longest first
}

// NewMasker returns a masker that knows these values, also as they are inside JSON strings and URLs. It leaves
// values that could be parts of normal words: see [Significant].
func NewMasker(values []string) *Masker {
	m := &Masker{heads: formTable().heads, values: map[head][]string{}}
	known := map[string]bool{}
	for _, v := range values {
		if len(v) < shortest || strings.Contains(Redacted, v) {
			continue
		}
		quoted := string(appendQuoted(nil, v))
		for _, text := range [...]string{v, quoted, string(appendQuoted(nil, quoted)), url.QueryEscape(v), url.PathEscape(v)} {
			if !known[text] {
				known[text] = true
				h := headOf(text)
				m.values[h] = append(m.values[h], text)
				m.heads.add(h)
			}
		}
	}
	for _, list := range m.values {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	}
	return m
}

// NewEraser returns [Masker.Text] of a masker that knows these values.
func NewEraser(values []string) func(string) string { return NewMasker(values).Text }

// EraseForms replaces the forms of secrets in a text: keys of known providers, private keys, tokens,
// passwords in URLs, headers for authentication, and values behind names of secrets.
func EraseForms(text string) string { return formMasker().Text(text) }

var formMasker = sync.OnceValue(func() *Masker { return NewMasker(nil) })

// head is the first three bytes of a known value.
type head uint32

func headOf(s string) head { return head(s[0])<<16 | head(s[1])<<8 | head(s[2]) }

// headSet is a set of heads that may report more than were added.
type headSet [1 << 16 / 64]uint64

func (h head) hash() uint32 { return uint32(h) * 0x9E3779B1 >> 16 }

func (s *headSet) add(h head) { s[h.hash()/64] |= 1 << (h.hash() % 64) }

func (s *headSet) mayHave(h head) bool { return s[h.hash()/64]&(1<<(h.hash()%64)) != 0 }

// table has the forms by their heads, and those that begin at a single character.
type table struct {
	heads headSet
	forms []form // sorted by their heads
	marks [256]*form
}

var formTable = sync.OnceValue(func() *table {
	all := forms()
	t := &table{forms: make([]form, 0, len(all))}
	for i, f := range all {
		if len(f.begin) == 1 {
			t.marks[f.begin[0]] = &all[i]
			continue
		}
		t.forms = append(t.forms, f)
		t.heads.add(headOf(f.begin))
	}
	slices.SortStableFunc(t.forms, func(a, b form) int { return cmp.Compare(headOf(a.begin), headOf(b.begin)) })
	return t
})

// of returns the forms with a head.
func (t *table) of(h head) []form {
	byHead := func(f form, h head) int { return cmp.Compare(headOf(f.begin), h) }
	from, _ := slices.BinarySearchFunc(t.forms, h, byHead)
	to, _ := slices.BinarySearchFunc(t.forms[from:], h+1, byHead)
	return t.forms[from : from+to]
}

// Text returns a text without secrets: the text itself if it has none.
func (m *Masker) Text(s string) string {
	if m == nil {
		return s
	}
	const most = 10 // passes, of which the last changes nothing: a replacement may be next to something that is now a secret
	for range most {
		masked := m.pass(s)
		if masked == s {
			break
		}
		s = masked
	}
	return s
}

func (m *Masker) pass(s string) string {
	t := formTable()
	var b strings.Builder
	done := 0 // up to here s is in b
	h := head(0)
	for i := 0; i < len(s); i++ {
		mark := t.marks[s[i]]
		if i+2 < len(s) {
			h = headOf(s[i:])
		} else {
			h = 0
		}
		if mark == nil && (h == 0 || !m.heads.mayHave(h)) {
			continue
		}
		start, end := m.find(t, mark, h, s, done, i)
		if end <= start {
			continue
		}
		b.WriteString(s[done:start])
		b.WriteString(Redacted)
		done, i = end, end-1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// find returns the longest secret that is found at an index; end is 0 for none.
func (m *Masker) find(t *table, mark *form, h head, s string, done, at int) (start, end int) {
	for _, v := range m.values[h] {
		if strings.HasPrefix(s[at:], v) || isCut(s[at:], v) {
			start, end = at, min(len(s), at+len(v))
			break
		}
	}
	try := func(f *form) {
		from, to := f.find(s, done, at)
		if to > from && to > end && from >= done && s[from:to] != Redacted {
			start, end = from, to
		}
	}
	if mark != nil {
		try(mark)
	}
	list := t.of(h)
	for i := range list {
		if strings.HasPrefix(s[at:], list[i].begin) {
			try(&list[i])
		}
	}
	return start, end
}

// isCut reports whether the end of a text is most of a value, because the text was cut.
func isCut(rest, v string) bool {
	const least = 8
	if len(rest) >= len(v)+3 || len(rest) < least {
		return false
	}
	rest = strings.TrimSuffix(rest, "...")
	return len(rest) >= least && len(rest) >= len(v)/2 && strings.HasPrefix(v, rest)
}

// JSON returns lines of JSON without secrets in their strings, and without the values of members whose names
// leave no doubt that they are secrets. The lines stay valid JSON with the same members. Names of letters alone
// do not change, nor does invalid JSON outside of strings.
func (m *Masker) JSON(lines []byte) []byte {
	if m == nil {
		return lines
	}
	s := string(lines)
	var b []byte
	done, name := 0, ""
	for i := strings.IndexByte(s, '"'); i >= 0; {
		end := endOfString(s, i+1)
		if end < 0 {
			break
		}
		raw := s[i+1 : end]
		isName := isBeforeColon(s[end+1:])
		switch {
		case isName && isLetters(raw):
		case !isName && name == "thoughtSignature": // which proves to a provider that the thoughts are its own
		default:
			if masked, ok := m.jsonString(raw, name, isName); ok {
				b = append(append(b, s[done:i]...), masked...)
				done = end + 1
			}
		}
		if name = ""; isName {
			name = raw
		}
		next := strings.IndexByte(s[end+1:], '"')
		if next < 0 {
			break
		}
		if strings.ContainsAny(s[end+1:end+1+next], "{[") {
			name = ""
		}
		i = end + 1 + next
	}
	if done == 0 {
		return lines
	}
	return append(b, s[done:]...)
}

// jsonString returns a JSON string without secrets, if it has some. name is that of its member.
func (m *Masker) jsonString(raw, name string, isName bool) (masked []byte, ok bool) {
	text := raw
	if strings.IndexByte(raw, '\\') >= 0 {
		text = unquote(raw)
	}
	clean := text
	if name != "" && !isName && len(text) >= shortest && !isReference(text) && !strings.ContainsAny(text, " \n") && isPlainlySecret(name) {
		clean = Redacted
	} else {
		clean = m.Text(text)
	}
	if clean == text {
		return nil, false
	}
	return llm.AppendString(nil, clean), true
}

// endOfString returns the index of the quotation mark that ends the JSON string that begins at an index, -1 if
// there is none.
func endOfString(s string, at int) int {
	for i := at; ; {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for i-slashes > at && s[i-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
		i++
	}
}

func isBeforeColon(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 20)], " \t\r\n")
	return rest != "" && rest[0] == ':'
}

func isLetters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) && r != '$' && r != '_' || isDigit(byte(r)) })
}

// appendQuoted appends s in the form that it has inside a JSON string.
func appendQuoted(b []byte, s string) []byte {
	quoted := llm.AppendString(nil, s)
	return append(b, quoted[1:len(quoted)-1]...)
}

func unquote(raw string) string {
	b := make([]byte, 0, len(raw))
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 || i+1 == len(raw) {
			return string(append(b, raw...))
		}
		b = append(b, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			n := hexEnd(raw)
			var text string // also of two escapes that are one character
			_ = json.Unmarshal([]byte(`"\u`+raw[:n]+`"`), &text)
			b, raw = append(b, text...), raw[n:]
			continue
		}
		b = append(b, c)
	}
}

// hexEnd returns the length of the digits at the beginning of raw, with those of the other half of a
// character.
func hexEnd(raw string) int {
	n := min(len(raw), 4)
	if n == 4 && (raw[0] == 'd' || raw[0] == 'D') && strings.HasPrefix(raw[4:], `\u`) {
		return min(len(raw), 10)
	}
	return n
}
