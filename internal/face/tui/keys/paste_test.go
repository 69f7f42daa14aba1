package keys

import (
	"bytes"
	"cmp"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestPaste(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                               "",
		"a\r\nb\rc\nd\r\r\n":             "a\nb\nc\nd\n\n",
		"a\x1b[200~b\x1b[201b\x1b[A\x1b": "a\x1b[200~b\x1b[201b\x1b[A\x1b",
		"\x1b\x1b[20":                    "\x1b\x1b[20",
		"é\xff\t∫":                       "é\uFFFD\t∫",
		"\x1b[201":                       "\x1b[201",
	} {
		whole := "x\x1b[200~" + in + "\x1b[201~y"
		wanted := []Event{Key{Chord{0, 'x'}, "x", start, false}, Paste{Text: want, At: start}, Key{Chord{0, 'y'}, "y", start, false}}
		if got := decodeAll(&Decoder{IsMac: true}, whole); !reflect.DeepEqual(got, wanted) {
			t.Errorf("%q gives %+v", in, got)
		}
		d := &Decoder{}
		var got []Event
		for i := range len(whole) {
			got = append(got, d.Feed([]byte{whole[i]}, start)...)
		}
		got = append(got, decodeAll(d, "")...)
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%q, byte by byte, gives %+v", in, got)
		}
	}
}

func TestLargePaste(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	d.Feed([]byte("\x1b[200~a"), start)
	chunk := []byte(strings.Repeat("é", 1<<19)) // one byte before the limit, a character does not fit
	for range 20 {
		if got := d.Feed(chunk, start); got != nil {
			t.Fatal(len(got))
		}
		if n := len(d.body.data); n > maxPaste {
			t.Fatal(n)
		}
	}
	got := d.Feed([]byte("\x1b[201~"), start)
	p, ok := got[0].(Paste)
	if !ok || !p.IsCut || len(p.Text) != maxPaste-1 || strings.Contains(p.Text, "\uFFFD") {
		t.Errorf("%d bytes, cut: %v", len(p.Text), p.IsCut)
	}
	if d.body.data != nil {
		t.Error("the decoder keeps the paste")
	}
	exact := append(append([]byte("\x1b[200~"), bytes.Repeat([]byte("a"), maxPaste)...), pasteEnd...)
	if p := d.Feed(exact, start)[0].(Paste); p.IsCut || len(p.Text) != maxPaste {
		t.Errorf("%d bytes, cut: %v", len(p.Text), p.IsCut)
	}
}

// TestPasteWithEndMark checks that an end mark in the text of a paste makes no keys of the rest.
func TestPasteWithEndMark(t *testing.T) {
	t.Parallel()
	type part struct {
		after time.Duration
		in    string
	}
	for _, c := range []struct {
		name string
		in   []part
		want string
	}{
		{"enter behind the mark", []part{{0, "\x1b[200~evil \x1b[201~\rrm -rf x\r\x1b[201~"}}, "[evil ] [\nrm -rf x\n]"},
		{"in two reads", []part{{0, "\x1b[200~evil \x1b[201~\rrm "}, {5 * time.Millisecond, "-rf x\r\x1b[20"}, {0, "1~"}, {time.Second, "a"}}, "[evil ] [\nrm -rf x\n] a"},
		{"several", []part{{0, "\x1b[200~a\x1b[201~\x1b[201~\r\x1b[201~b\r\x1b[201~"}}, "[a] [\n] [b\n]"},
		{"enter of a script", []part{{0, "\x1b[200~a\x1b[201~\r"}}, "[a] \r"},
		{"enter and a paste of a script", []part{{0, "\x1b[200~a\x1b[201~\r"}, {0, "\x1b[200~b\x1b[201~\r"}}, "[a] \r [b] \r"},
		{"two pastes", []part{{0, "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~x"}}, "[a] [b] x"},
		{"more than keys", []part{{0, "\x1b[200~a\x1b[201~\r"}, {0, strings.Repeat("b", maxTail)}, {time.Second, "c\r\x1b[201~"}}, "[a] [\n" + strings.Repeat("b", maxTail) + "c\n]"},
	} {
		d, at := &Decoder{}, start
		var got []Event
		for _, p := range c.in {
			at = at.Add(p.after)
			got = append(got, d.Feed([]byte(p.in), at)...)
		}
		got = append(got, decodeAll(d, "")...)
		var words []string
		for _, e := range got {
			switch e := e.(type) {
			case Paste:
				words = append(words, "["+e.Text+"]")
			case Key:
				words = append(words, cmp.Or(e.Text, "\r"))
			}
		}
		if text := strings.Join(words, " "); text != c.want {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// TestTailOfPaste checks that the keys behind a paste wait for a moment only, however many follow.
func TestTailOfPaste(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	d.Feed([]byte("\x1b[200~a\x1b[201~"), start)
	count := 0
	at := start
	for range 200 {
		at = at.Add(10 * time.Millisecond)
		count += len(d.Feed([]byte("k"), at))
	}
	if count < 100 {
		t.Error(count)
	}
}

// TestLargeClipboard checks that a reply about the clipboard may be larger than others, and is bounded.
func TestLargeClipboard(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("YWFh", 1<<20)
	got := decodeAll(&Decoder{}, "\x1b]52;c;"+large+"\x07")
	if len(got) != 1 || len(got[0].(Paste).Text) != 3<<20 {
		t.Error(len(got))
	}
	d := &Decoder{}
	if got := d.Feed([]byte("\x1b]52;c;"+strings.Repeat(large, 5)), start); got != nil || len(d.body.data) > maxPaste {
		t.Error(len(got), len(d.body.data))
	}
	if got := decodeAll(d, "\x07"); got != nil {
		t.Error(len(got))
	}
	if d.body.data != nil {
		t.Error("the decoder keeps the reply")
	}
}

// TestPasteWithoutEnd checks that a paste ends after a time, and that the rest of it types nothing.
func TestPasteWithoutEnd(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	d.Feed([]byte("\x1b[200~one\r\xc3"), start)
	d.Feed([]byte("\xa9two\xe2\x82"), start.Add(20*time.Second))
	if wait, _ := d.Pending(); wait != 10*time.Second {
		t.Error(wait)
	}
	end := start.Add(pasteLimit)
	if got := d.Flush(end.Add(-1)); got != nil {
		t.Error(got)
	}
	want := []Event{Paste{Text: "one\nétwo", At: end, IsCut: true}}
	if got := d.Flush(end); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	late := end.Add(sequenceWait / 2)
	if got := d.Feed([]byte("three\rfour"), late); got != nil {
		t.Error(got)
	}
	ended, quiet := *d, *d
	if got := ended.Feed([]byte("five\x1b[201~x"), late); !reflect.DeepEqual(got, []Event{Key{Chord{0, 'x'}, "x", late, false}}) {
		t.Error(got)
	}
	if wait, ok := quiet.Pending(); !ok || wait != sequenceWait {
		t.Error(wait, ok)
	}
	late = late.Add(sequenceWait)
	if got := quiet.Feed([]byte("x"), late); !reflect.DeepEqual(got, []Event{Key{Chord{0, 'x'}, "x", late, false}}) {
		t.Error(got)
	}
}
