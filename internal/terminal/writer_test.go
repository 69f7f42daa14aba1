package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2J\x1b]52;c;aGk=\ab\rc\x7f\u009b\u202e\U000e0041é👩\u200d🚀"
	for _, tt := range []struct{ name, want string }{
		{"text", "ab\ncé👩\u200d🚀|"},
		{"note", "ab\nc\\u202e\\U000e0041é👩\u200d🚀|"},
		{"styled", "ab\ncé👩\u200d🚀|\x1b[31mred\x1b[0mab\ncé👩\u200d🚀|"},
		{"raw", evil + "|"},
	} {
		var b bytes.Buffer
		w := NewWriter(&b)
		if tt.name == "note" {
			w = NewNoteWriter(&b)
		}
		var to io.Writer = w
		text := evil + "|"
		switch tt.name {
		case "styled":
			to, text = w.Styled(), text+Style(Red, "red")+text
		case "raw":
			to = w.Unsanitized()
		}
		if n, err := io.WriteString(to, text); n != len(text) || err != nil {
			t.Errorf("%s: %d, %v", tt.name, n, err)
		}
		if b.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, b.String(), tt.want)
		}
		if tt.name == "raw" {
			continue
		}
		b.Reset()
		for _, c := range []byte("é👩\u200d🚀\xff|") {
			_, _ = to.Write([]byte{c})
		}
		if got := strings.ReplaceAll(strings.ReplaceAll(b.String(), "\\u200d", ""), "\u200d", ""); got != "é👩🚀\ufffd|" {
			t.Errorf("%s, byte by byte: %q", tt.name, b.String())
		}
	}
	var whole bytes.Buffer
	w := NewWriter(&whole).JSON()
	for _, c := range []byte("{\"a\":\"é\u202e\x7f\"}") {
		_, _ = w.Write([]byte{c})
	}
	if got := whole.String(); got != `{"a":"é\u202e\u007f"}` {
		t.Errorf("JSON byte by byte: %q", got)
	}
}

// A style that is not one of Style's hides text, or is not from Pollux.
func TestStyledKeepsOnlyStyles(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	_, _ = io.WriteString(NewWriter(&b).Styled(), "\x1b[8mhidden\x1b[0m \x1b[41mx\x1b[31;8my\x1b[2J"+Style("", "plain")+Style(Bold, ""))
	if got := b.String(); got != "hidden\x1b[0m xyplain" {
		t.Errorf("got %q", got)
	}
}

func TestWriterFails(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	failure := errors.New("closed")
	_ = r.CloseWithError(failure)
	if n, err := NewWriter(w).Write([]byte("x")); n != 0 || !errors.Is(err, failure) {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestWriterTogether(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := NewWriter(&b)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				fmt.Fprintln(w, "é\u202e line")
			}
		})
	}
	wg.Wait()
	if got := b.String(); got != strings.Repeat("é line\n", 800) {
		t.Errorf("%d bytes", len(got))
	}
}
