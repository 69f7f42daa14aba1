package search

import (
	"bufio"
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// FuzzFind checks that the fast searches (literals, many lines at once) find the same lines as
// matching the expression line by line.
func FuzzFind(f *testing.F) {
	f.Add("needle_[0-9]+_found", "a\nNEEDLE_42_found\nneedle__found", false)
	f.Add("foo|ba[rz]|(qux){2,}", "xfoo\nbar\nquxqux\n", true)
	f.Add(`^$|\s+x`, "\n\n \nx\n\t x", false)
	f.Add(`k\b|[^a]\z`, "K\n\u212a\nſ\na", false)
	f.Add("", "\r\n\xff\n", true)
	f.Fuzz(func(t *testing.T, expr, text string, caseSensitive bool) {
		if len(expr) > 200 || len(text) > 2000 {
			return
		}
		p, err := compile(expr, false, caseSensitive)
		if err != nil || p.backtracking != nil {
			return
		}
		var want, got []int
		re := regexp.MustCompile(p.re.String())
		at := 0
		for line := range bytes.Lines([]byte(text)) {
			if re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
				want = append(want, at)
			}
			at += len(line)
		}
		for at := 0; ; {
			start, end, err := p.find([]byte(text), at)
			if err != nil {
				t.Fatal(err)
			}
			if start < 0 {
				break
			}
			got = append(got, start)
			at = end + 1
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in %q: got lines at %v, want %v", expr, text, got, want)
		}
	})
}

// FuzzMessage checks that a message read in small pieces decodes to the same as one read
// whole, and that invalid messages do no harm.
func FuzzMessage(f *testing.F) {
	f.Add("a.txt", "the \"line\"\n", 7, "")
	f.Add("\u00e9/\x00", "tab\t\\ \u2028", 1<<30, "{\"type\":")
	f.Add("x", "\xff\xfe", -1, "{}\n[]")
	f.Fuzz(func(t *testing.T, path, line string, number int, garbage string) {
		parseMessage([]byte(garbage))
		raw, err := json.Marshal(map[string]any{
			"data": map[string]any{"path": map[string]any{"text": path}, "lines": map[string]any{"text": line}, "line_number": number, "binary_offset": nil},
			"type": "match",
		})
		if err != nil || len(raw) > maxString {
			return
		}
		short, err := readMessage(bufio.NewReaderSize(bytes.NewReader(append(raw, '\n')), 16))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.TrimSpace(short), raw) {
			t.Errorf("%q became %q", raw, short)
		}
		m := parseMessage(raw)
		if m.kind != "match" || m.line != number || m.path != strings.ToValidUTF8(path, "\ufffd") && json.Valid([]byte(path)) {
			t.Errorf("%q was read as %+v", raw, m)
		}
	})
}

// TestHugeMessage reads ripgrep's message for a line of 10 MB.
func TestHugeMessage(t *testing.T) {
	t.Parallel()
	long := strings.NewReader(strings.Repeat(`\u0041\"x`, 1<<20))
	r := bufio.NewReader(&sequence{[]*strings.Reader{
		strings.NewReader(`{"type":"match","data":{"path":{"text":"./a"},"lines":{"text":"`), long,
		strings.NewReader(`"},"line_number":12,"absolute_offset":3,"submatches":[` + strings.Repeat(`{"start":1,"end":2},`, 1<<17) + "\n" + `{"type":"end"}` + "\n"),
	}})
	raw, err := readMessage(r)
	if err != nil {
		t.Fatal(err)
	}
	m := parseMessage(raw)
	if len(raw) > maxMessage || m.kind != "match" || m.path != "./a" || m.line != 12 || len(m.text) < keptLine || !bytes.HasPrefix(m.text, []byte(`A"xA"x`)) {
		t.Errorf("%d bytes, read as %s %s %d with %d bytes of text", len(raw), m.kind, m.path, m.line, len(m.text))
	}
	if raw, err = readMessage(r); err != nil || parseMessage(raw).kind != "end" {
		t.Errorf("the next message is %q, %v", raw, err)
	}
}

// sequence reads from each reader in turn.
type sequence struct{ of []*strings.Reader }

func (s *sequence) Read(p []byte) (int, error) {
	for len(s.of) > 1 && s.of[0].Len() == 0 {
		s.of = s.of[1:]
	}
	return s.of[0].Read(p)
}
