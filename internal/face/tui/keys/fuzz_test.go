package keys

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// FuzzDecoder checks that the events do not depend on how the bytes are divided, that keys type only text, and that
// the decoder holds back little.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{
		"aé\x1b[A\x1bOZ\x1b\x1b[3$", "\x1b[200~a\r\nb\x1b[201~c", "\x1b[200~a\x1b[201~\rb\x1b[201~\x1b[200~d\x1b[201~\x1b", "\x1b]11;rgb:1/2/3\x1b\\", "\x1b]52;c;YQ==\x07x",
		"\x1bP>|tmux\x1b\\", "\x1b[27;6;90~\x1b[97;5:2u\x1b[57399u", "\x1b[M !_\x1b[<0;1;1M", "\x9d11;\x9c\x8fA\x9b[A",
		"\x1b]11;\x1b[A", "\x1b[?2026;2$y\x1b[?997;1n\x1b[I", "\xc3\x1b\xe2\x82\xac\x1b[[A\x1b[1;2;3", "\x1b[8;24;80t", "\x1b]5522;type=read:status=DATA:mime=Lg==;YQ==\x1b\\",
		"\x1b[" + strings.Repeat("1;", 70) + "A", "\x1b[200~\x1b[201\x1b[20", "\x1b_Ga;b\x1b\\\x1b^\x1bX\x18",
	} {
		f.Add([]byte(s), 3, true)
		f.Add([]byte(s), 1, false)
	}
	f.Fuzz(func(t *testing.T, in []byte, at int, isMac bool) {
		given := bytes.Clone(in)
		whole := decodeAll(&Decoder{IsMac: isMac}, string(in))
		d := &Decoder{IsMac: isMac}
		at = min(max(at, 0), len(in))
		split := d.Feed(in[:at], start)
		split = append(split, decodeAll(d, string(in[at:]))...)
		if !reflect.DeepEqual(whole, split) {
			t.Errorf("%q gives %+v, split at %d %+v", in, whole, at, split)
		}
		if !bytes.Equal(given, in) {
			t.Error("the input changed")
		}
		d = &Decoder{IsMac: isMac}
		var single []Event
		for i := range in {
			single = append(single, d.Feed(in[i:i+1], start)...)
			if len(d.held) > maxCSI {
				t.Fatalf("%d bytes held back", len(d.held))
			}
		}
		single = append(single, decodeAll(d, "")...)
		if !reflect.DeepEqual(whole, single) {
			t.Errorf("%q gives %+v, byte by byte %+v", in, whole, single)
		}
		for _, e := range whole {
			checkEvent(t, e, len(in))
		}
	})
}

// checkEvent checks the text of an event.
func checkEvent(t *testing.T, e Event, limit int) {
	t.Helper()
	switch e := e.(type) {
	case Key:
		if printable(e.Text) != e.Text || e.Chord.Code == 0 || e.Chord != e.Chord.canonical() {
			t.Errorf("%+v", e)
		}
		if e.Text != "" && e.Chord.Mods&^Shift != 0 {
			t.Errorf("%v types %q", e.Chord, e.Text)
		}
	case Paste:
		if strings.Contains(e.Text, "\r") || len(e.Text) > 3*limit {
			t.Errorf("%+v", e)
		}
	case TerminalName:
		if printable(e.Name) != e.Name {
			t.Errorf("%+v", e)
		}
	}
}

func BenchmarkFeedKey(b *testing.B) {
	d := &Decoder{}
	in := []byte("a")
	for b.Loop() {
		d.Feed(in, start)
	}
}

func BenchmarkFeedArrow(b *testing.B) {
	d := &Decoder{}
	in := []byte("\x1b[1;5A")
	for b.Loop() {
		d.Feed(in, start)
	}
}

func BenchmarkFeedPaste(b *testing.B) {
	in := []byte("\x1b[200~" + strings.Repeat("some text\r\n", 100_000) + "\x1b[201~")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		d := &Decoder{}
		for rest := in; len(rest) > 0; rest = rest[min(4096, len(rest)):] {
			d.Feed(rest[:min(4096, len(rest))], start)
		}
	}
}
