package httpwire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pollux/llm"
	"pollux/llm/llmtest"
)

// lines returns the lines of a stream and the error that ended them.
func lines(body io.Reader) (all []string, end error) {
	r := &Response{Host: "host", Body: body}
	for line, err := range r.Lines() {
		if end = err; err == nil {
			all = append(all, string(line))
		}
	}
	return all, end
}

func TestLines(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, c := range []struct {
		name, stream string
		want         []string
		kind         llm.ErrorKind
		message      string
	}{
		{"lines", "{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, 0, ""},
		{"no line end", "{\"a\":1}\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}, 0, ""},
		{"blank lines", "\n \r\n\t{} \r\n\r\n{}\n \n", []string{`{}`, `{}`}, 0, ""},
		{"nothing", "", nil, 0, ""},
		{"cut in a line", "{}\n{\"a\":", []string{`{}`}, llm.KindIncomplete, "Incomplete JSON segment"},
		{"cut in the first line", "{\"a\":", nil, llm.KindIncomplete, "Incomplete JSON segment"},
		{"not JSON is the caller's business", "{}\n{x}\n", []string{`{}`, `{x}`}, 0, ""},
		{"a web page", "<!doctype html>\n<p>", nil, llm.KindOther, "HTML page"},
		{"text", "404 page not found", nil, llm.KindServer, "a content type instead of a model's response"},
	} {
		for how, r := range map[string]io.Reader{
			"whole":    strings.NewReader(c.stream),
			"by byte":  iotest.OneByteReader(strings.NewReader(c.stream)),
			"data+EOF": iotest.DataErrReader(strings.NewReader(c.stream)),
		} {
			got, err := lines(r)
			var e *llm.Error
			if !slices.Equal(got, c.want) || (err != nil) != (c.message != "") ||
				err != nil && (!errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.message)) {
				t.Errorf("%s, %s: %q, %v", c.name, how, got, err)
			}
		}
	}
	got, err := lines(io.MultiReader(strings.NewReader("{}\n{"), iotest.ErrReader(broken)))
	if !slices.Equal(got, []string{"{}"}) || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
	big := `"` + strings.Repeat("x", 1<<20) + `"`
	if got, err := lines(strings.NewReader("{}\n" + big + "\n{}\n")); len(got) != 3 || got[1] != big || err != nil {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

// TestLinesCancelled checks that Lines yields nothing after the request's
// context has ended.
func TestLinesCancelled(t *testing.T) {
	t.Parallel()
	escape := errors.New("escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r := &Response{Body: strings.NewReader("{}\n{}\n"), ctx: ctx}
	n := 0
	for _, err := range r.Lines() {
		if n++; n == 2 && err != escape {
			t.Errorf("error %v", err)
		}
		cancel(escape)
	}
	if n != 2 {
		t.Errorf("%d lines", n)
	}
}

// FuzzLines checks that the result does not depend on how the network splits
// the stream, and that lines contain no line ends and are not blank.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"{\"a\":1}\r\n\r\n{\"b\":2}\n", "{}\r{}", "<html>", "{\"a\":", "[1]\n x \n"} {
		f.Add([]byte(s), []byte{3, 0, 1})
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		want, end := lines(bytes.NewReader(stream))
		got, err := lines(llmtest.Pieces(stream, cuts))
		if !slices.Equal(got, want) || (err == nil) != (end == nil) || err != nil && err.Error() != end.Error() {
			t.Fatalf("cut: %q, %v; whole: %q, %v", got, err, want, end)
		}
		for _, line := range want {
			if strings.ContainsAny(line, "\r\n") || strings.TrimSpace(line) != line || line == "" {
				t.Fatalf("line %q", line)
			}
		}
	})
}
