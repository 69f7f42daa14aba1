package httpwire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pollux/llm/llmtest"
)

// events returns the data of all events in r, and the error that ended them.
func events(r io.Reader) ([]string, error) {
	f := NewFrames(r)
	defer f.Release()
	var all []string
	for {
		data, err := f.Next()
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stream string
		want         []string
		end          error
	}{
		{"nothing", "", nil, io.EOF},
		{"blank lines", "\n\r\n\r\r\n", nil, io.EOF},
		{"\\n\\n", "data: a\n\ndata: b\n\n", []string{"a", "b"}, io.EOF},
		{"\\r\\n\\r\\n", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}, io.EOF},
		{"\\r\\r", "data: a\r\rdata: b\r\r", []string{"a", "b"}, io.EOF},
		{"all of them", "data: a\r\n\ndata: b\n\r\ndata: c\r\rdata: d\n\n", []string{"a", "b", "c", "d"}, io.EOF},
		{"no blank after the colon", "data:a\n\n", []string{"a"}, io.EOF},
		{"one blank is taken", "data:  a\n\n", []string{" a"}, io.EOF},
		{"several lines", "data: {\"a\":\ndata: 1,\ndata:\ndata: \"b\":2}\n\n", []string{`{"a":1,"b":2}`}, io.EOF},
		{"comments and fields", ": hi\n\nevent: x\nid: 7\ndata: a\nretry: 5\n: more\n\n:\n\n", []string{"a"}, io.EOF},
		{"fields that only look like data", "database: x\n\ndata\n\ndata: a\n\n", []string{"a"}, io.EOF},
		{"an error in place of data", "data: a\n\nerror: {}\n\nerrors: x\n\n", []string{"a", "{}"}, io.EOF},
		{"empty data", "data:\n\ndata: \n\ndata: a\n\n", []string{"a"}, io.EOF},
		{"end without blank line", "data: a\n\ndata: b\n", []string{"a"}, ErrIncomplete},
		{"end in a line", "data: a\n\ndata: {\"text\":\"b", []string{"a"}, ErrIncomplete},
		{"end in a carriage return", "data: a\r", nil, ErrIncomplete},
		{"end in blanks", "data: a\n\n \t", []string{"a"}, io.EOF},
		{"NUL and bad UTF-8", "data: \x00\xff\n\n", []string{"\x00\xff"}, io.EOF},
		{"JSON at once", "\n{\"error\": 1}", nil, ErrUnframed},
		{"JSON later", "data: a\n\n  [1]\n", []string{"a"}, ErrUnframed},
		{"foreign text", "data: a\n\n502 Bad Gateway\n\ndata: b\n\n", []string{"a"}, ErrBadLine},
		{"foreign text in a line", "data: a\n\n\x1f\x8bdata: b\n\ndata: c\n\n", []string{"a"}, ErrBadLine},
		{"a web page", "<!doctype html>\n<p>", nil, ErrUnframed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for how, r := range map[string]io.Reader{
				"whole":    strings.NewReader(c.stream),
				"by byte":  iotest.OneByteReader(strings.NewReader(c.stream)),
				"data+EOF": iotest.DataErrReader(strings.NewReader(c.stream)),
			} {
				got, err := events(r)
				if !slices.Equal(got, c.want) || err != c.end {
					t.Errorf("%s: %q, %v; want %q, %v", how, got, err, c.want, c.end)
				}
			}
		})
	}
}

func TestFrameErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	got, err := events(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if !slices.Equal(got, []string{"a"}) || err != broken {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLargeFrames(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]io.Reader{
		"one line":   io.MultiReader(strings.NewReader("data: "), endless("x")),
		"many lines": endless("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"),
	} {
		f := NewFrames(r)
		f.limit = 1 << 20
		if _, err := f.Next(); err != ErrTooLarge {
			t.Errorf("%s: %v", name, err)
		}
		if cap(f.buf) > 4<<20 || cap(f.data) > 4<<20 {
			t.Errorf("%s: buffers of %d and %d bytes for frames of 1 MB", name, cap(f.buf), cap(f.data))
		}
	}
	// A frame just below the limit is accepted, however it is split.
	big := strings.Repeat("x", 1<<20)
	f := NewFrames(iotest.HalfReader(strings.NewReader("data: " + big + "\n\n")))
	if data, err := f.Next(); string(data) != big || err != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// FuzzFrames checks that the result does not depend on how the network splits
// the stream, and that events are read as they were written.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		"data: {\"a\":1}\r\n\r\ndata: b\n\n: c\r\rdata: d\r\r", "data: a\ndata: b\n\nevent: x\n\n", "{\"error\":{}}", "data: x", "\r\n\r\ndata\n\n", "<html>",
	} {
		f.Add([]byte(s), []byte{3, 0, 1})
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		want, end := events(bytes.NewReader(stream))
		got, err := events(llmtest.Pieces(stream, cuts))
		if !slices.Equal(got, want) || err != end {
			t.Fatalf("cut: %q, %v; whole: %q, %v", got, err, want, end)
		}
		var again strings.Builder
		for i, e := range want {
			if strings.ContainsAny(e, "\r\n") {
				t.Fatalf("event %q holds a line end", e)
			}
			fmt.Fprintf(&again, "data: %s%s", e, []string{"\n\n", "\r\n\r\n", "\r\r"}[i%3])
		}
		got, err = events(strings.NewReader(again.String()))
		if !slices.Equal(got, want) || err != io.EOF {
			t.Fatalf("written and read: %q, %v; want %q", got, err, want)
		}
	})
}

// BenchmarkFrames measures splitting a stream of 1,000 events.
func BenchmarkFrames(b *testing.B) {
	stream := []byte(strings.Repeat("data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"and a few words more\"}]}}],\"responseId\": \"kf0aacHkKdOs\"}\r\n\r\n", 1000))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		f := NewFrames(bytes.NewReader(stream))
		for {
			if _, err := f.Next(); err != nil {
				break
			}
		}
		f.Release()
	}
}
