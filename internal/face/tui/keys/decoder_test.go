package keys

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"
)

// start is the time of the first bytes in tests.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// decodeAll returns the events of input that arrives at once, and nothing after it.
func decodeAll(d *Decoder, in string) []Event {
	events := d.Feed([]byte(in), start)
	if end, ok := d.Deadline(); ok {
		events = append(events, d.Flush(end)...)
	}
	return events
}

// checkKeys checks that input gives exactly these chords, if it arrives at once and byte by byte.
func checkKeys(t *testing.T, d *Decoder, in string, want ...Chord) {
	t.Helper()
	var got []Chord
	for _, e := range decodeAll(d, in) {
		k, ok := e.(Key)
		if !ok {
			t.Errorf("%q gives %#v", in, e)
		}
		got = append(got, k.Chord)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q gives %v, want %v", in, got, want)
	}
}

// chords parses chords with spaces between them.
func chords(t *testing.T, s string) []Chord {
	t.Helper()
	var all []Chord
	for f := range strings.FieldsSeq(s) {
		c, err := ParseChord(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a":          "a",
		"A":          "shift+a",
		"?":          "?",
		" ":          "space",
		"é":          "é",
		"É":          "shift+é",
		"\x00":       "ctrl+space",
		"\x08":       "ctrl+h",
		"\n":         "ctrl+j",
		"\x1f":       "ctrl+_",
		"\x1c\x1d":   `ctrl+\ ctrl+]`,
		"\x1b":       "escape",
		"\x1b\x1b":   "escape escape",
		"\x1bb":      "alt+b",
		"\x1bB":      "alt+shift+b",
		"\x1bé":      "alt+é",
		"\x1b\x7f":   "alt+backspace",
		"\x1b\b":     "alt+backspace",
		"\x1b\r":     "alt+enter",
		"\x1b\x01":   "ctrl+alt+a",
		"\x1b[":      "alt+[",
		"\x1bO":      "alt+shift+o",
		"\x1b]":      "alt+]",
		"\x1bP":      "alt+shift+p",
		"\x1b_":      "alt+_",
		"\x1b]\r":    "alt+] enter",
		"\x1b[\r":    "alt+[ enter",
		"\x1bO\r":    "alt+shift+o enter",
		"\x1b\x1b[":  "escape alt+[",
		"\x1b\x1bO":  "escape alt+shift+o",
		"\x1b\x1ba":  "escape alt+a",
		"\x1b\x1b\r": "escape alt+enter",

		// Sequences of VT and xterm.
		"\x1b[A\x1bOA":       "up up",
		"\x1b\x1b[A":         "alt+up",
		"\x1b\x1bOD":         "alt+left",
		"\x1b[1;3A":          "alt+up",
		"\x1b[1;8A":          "ctrl+alt+shift+up",
		"\x1b[1;9A":          "cmd+up",
		"\x1bOP\x1b[11~":     "f1 f1",
		"\x1b[R\x1b[1;2R":    "f3 shift+f3",
		"\x1b[15;5~":         "ctrl+f5",
		"\x1b[34~":           "f20",
		"\x1b[1~\x1b[4~":     "home end",
		"\x1b[7~\x1b[8~":     "home end",
		"\x1b[2~\x1b[3~":     "insert delete",
		"\x1b[E":             "clear",
		"\x1b[Z\x1bOZ":       "shift+tab shift+tab",
		"\x9bA\x8fB":         "up down",
		"\x1b[[A\x1b[[E":     "f1 f5",
		"\x1b[200\x18\x1b[A": "up",

		// rxvt
		"\x1b[3$\x1b[7$":  "shift+delete shift+home",
		"\x1b[3^\x1b[8^":  "ctrl+delete ctrl+end",
		"\x1b[3@":         "ctrl+shift+delete",
		"\x1b[a\x1b[d":    "shift+up shift+left",
		"\x1bOa\x1bOd":    "ctrl+up ctrl+left",
		"\x1b[23$\x1b[A":  "shift+f11 up",
		"\x1b\x1b[3$":     "alt+shift+delete",
		"\x1b\x1b[3~":     "alt+delete",
		"\x1b[11^\x1b[A":  "ctrl+f1 up",
		"\x1b[5$\x1b[6$a": "shift+pageup shift+pagedown a",

		// Keypad application mode.
		"\x1bOM\x1bOj\x1bOk\x1bOl":          "enter numpad_multiply numpad_add numpad_separator",
		"\x1bOm\x1bOn\x1bOo\x1bOp\x1bOy":    "numpad_subtract numpad_decimal numpad_divide numpad0 numpad9",
		"\x1bOX\x1bO \x1bOI":                "= space tab",
		"\x1bO5P":                           "ctrl+f1",
		"\x1b[57399u\x1b[57408;5u":          "numpad0 ctrl+numpad9",
		"\x1b[57414u\x1b[57415u\x1b[57416u": "enter = numpad_separator",
		"\x1b[57417u\x1b[57420u\x1b[57421u": "left down pageup",
		"\x1b[57409u\x1b[57413u\x1b[57426u": "numpad_decimal numpad_add delete",

		// modifyOtherKeys
		"\x1b[27;5;105~":     "ctrl+i",
		"\x1b[27;6;90~":      "ctrl+shift+z",
		"\x1b[27;2;13~":      "shift+enter",
		"\x1b[27;5;9~":       "ctrl+tab",
		"\x1b[27;5;8~":       "ctrl+backspace",
		"\x1b[27;6;95~":      "ctrl+_",
		"\x1b[27;2;33~":      "!",
		"\x1b[27;5;27~":      "ctrl+escape",
		"\x1b[27;5;1114113~": "",
		"\x1b[27;5~a":        "a",

		// CSI u
		"\x1b[27u":                  "escape",
		"\x1b[91;5u":                "ctrl+[",
		"\x1b[97;5u\x1b[97;6u":      "ctrl+a ctrl+shift+a",
		"\x1b[122;9u\x1b[122;10u":   "cmd+z cmd+shift+z",
		"\x1b[97;69u\x1b[97;133u":   "ctrl+a ctrl+a", // lock keys
		"\x1b[47;6u":                "ctrl+?",
		"\x1b[55:47;6u":             "ctrl+/",
		"\x1b[1089::99;5u":          "ctrl+c",
		"\x1b[1089:1057:99;6u":      "ctrl+shift+c",
		"\x1b[1089;5u":              "ctrl+с",
		"\x1b[57376u\x1b[57398;2u":  "f13 shift+f35",
		"\x1b[57364u\x1b[57375u":    "f1 f12",
		"\x1b[57358u\x1b[57359u":    "capslock scrolllock",
		"\x1b[57360u\x1b[57361u":    "numlock printscreen",
		"\x1b[57362u\x1b[57350;5u":  "pausebreak ctrl+left",
		"\x1b[127;3u":               "alt+backspace",
		"\x1b[13;5:2u":              "ctrl+enter",
		"\x1b[13;5:3u\x1b[1;1:3A":   "", // releases
		"\x1b[97;17u":               "", // Hyper
		"\x1b[57441;2u\x1b[57428u":  "", // Shift alone, a media key
		"\x1b[57363u":               "", // Menu
		"\x1b[99999999999999999;5u": "",

		"\x1b[1102::46;6u": "ctrl+>",

		// Unknown input.
		"\x1b\x1b[\r":               "escape alt+[ enter",
		"\x1b[M \x1b[A":             "up",
		"\x1bP>|x\x07b":             "b",
		"\x1b]0;\xe2\x82\x9cx\x07b": "b", // a byte of a character that ends 8-bit strings
		"\x1bP>|" + strings.Repeat("x", maxReply) + "\x1b\\b": "b",
		"\x1bP>|x\x18b":            "b",
		"\x1b[?1;2Sb":              "b",
		"\x1b[1;2;3;4Xb":           "b",
		"\x1bOzb":                  "b",
		"\x1b[12;40Rb":             "b",
		"\x1b[65;30;65;1;0;9999_b": "b",
		"\x1b[8;24tb":              "b",
		"\x1b]0;title\x07b":        "b",
		"\x1b]0;title\x1b\\b":      "b",
		"\x1b]52;c;!!\x07b":        "b",
		"\x1b]11;nonsense\x07b":    "b",
		"\x1bP1$r0m\x1b\\b":        "b",
		"\x1bPq\x07b":              "b",
		"\x1b_Gi=1;OK\x1b\\b":      "b",
		"\x1b^secret\x1b\\b":       "b",
		"\x1bXsecret\x1b\\b":       "b",
		"\x9d11;x\x9cb\x90q\x9cb":  "b b",
		"\x1b]0;title\x18b":        "b",
		"\x1b]0;title\rb":          "enter b",
		"\x1b]0;title\x1b[Ab":      "up b",
		"\x1b]0;title":             "",
		"\x1b[1;5":                 "",
		"\x1b\x1b[1;5":             "",
		"\x1b[1;5\rb":              "enter b",
		"\xff\xc3(\xe2\x82b":       "( b",
		"\xe2\x82":                 "",
		"\x1b\xffb":                "b",
		"\x1b\xe2\x82":             "",
		"\xc2\x9b\x85b":            "b",
		"\x1b[201~b":               "b",
		"\x1b[[\x1b[A":             "up",
		"\x1b[35;10;10Mb":          "b",
		"\x1b[" + strings.Repeat("1;", 500) + "Ab": "b",
		"\x1b[" + strings.Repeat("1", 500) + "\rb": "enter b",
	} {
		checkKeys(t, &Decoder{}, in, chords(t, want)...)
		var split []Event
		d := &Decoder{}
		for i := range len(in) {
			split = append(split, d.Feed([]byte(in[i:i+1]), start)...)
		}
		split = append(split, decodeAll(d, "")...)
		if whole := decodeAll(&Decoder{}, in); !reflect.DeepEqual(split, whole) {
			t.Errorf("%q gives %v if split, %v if whole", in, split, whole)
		}
	}
}

func TestOptionKeys(t *testing.T) {
	t.Parallel()
	const in = "∫ƒµ¸∂Ω"
	checkKeys(t, &Decoder{IsMac: true}, in, chords(t, "alt+b alt+f alt+m alt+shift+z alt+d alt+z")...)
	checkKeys(t, &Decoder{IsMac: true, IsGreek: true}, in, chords(t, "alt+b alt+f alt+m alt+shift+z alt+d shift+ω")...)
	checkKeys(t, &Decoder{}, in, chords(t, "∫ ƒ µ ¸ ∂ Ω")...)
	checkKeys(t, &Decoder{IsMac: true}, "\x1b∫", chords(t, "alt+∫")...)
	for _, e := range decodeAll(&Decoder{IsMac: true, IsGreek: true}, "∫Ω") {
		if k := e.(Key); (k.Text == "") != (k.Chord.Mods == Alt) {
			t.Errorf("%+v", k)
		}
	}
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"aA? é":                          "aA? é",
		"👨‍👩‍👧e\u0301":                   "👨‍👩‍👧e\u0301",
		"\t\r\x1b[A\x1ba\x01\x7f":        "",
		"\x1b[27;2;65~\x1b[27;2;33~":     "A!",
		"\x1b[27;5;65~\x1b[27;1;7~":      "",
		"\x1b[97;2u\x1b[49;2u\x1b[97u":   "A!a",
		"\x1b[97;2;65u\x1b[97;5u":        "A",
		"\x1b[97;;229u\x1b[97;;7u":       "åa",
		"\x1b[57399u\x1bOp\x1bOk\x1bOX":  "00+=",
		"\x1bOj\x1bOl\x1bOm\x1bOn\x1bOo": "*,-./",
		"\x1b\x1bOp\x1b[57399;5u":        "",
		"\x1b[32;2u\x1b[32;129u":         "  ",
	} {
		var got strings.Builder
		for _, e := range decodeAll(&Decoder{}, in) {
			got.WriteString(e.(Key).Text)
		}
		if got.String() != want {
			t.Errorf("%q types %q, want %q", in, got.String(), want)
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	clip := base64.StdEncoding.EncodeToString([]byte("é\r\nb"))
	for in, want := range map[string]Event{
		"\x1b[I":                         Focus{true, start},
		"\x1b[O":                         Focus{false, start},
		"\x1b]11;rgb:1e1e/2020/ffff\x07": BackgroundColor{0x1e, 0x20, 0xff, start},
		"\x1b]11;#010203\x1b\\":          BackgroundColor{1, 2, 3, start},
		"\x1b[?1u":                       KittyFlags{1, start},
		"\x1b[?u":                        KittyFlags{0, start},
		"\x1b[?0u":                       KittyFlags{0, start},
		"\x1b[>4;2m":                     ModifyOtherKeys{2, start},
		"\x1b[?62;22c":                   DeviceAttributes{[]int{62, 22}, start},
		"\x1bP>|tmux 3.5a\x1b\\":         TerminalName{"tmux 3.5a", start},
		"\x1b[?997;1n":                   ColorScheme{true, start},
		"\x1b[?997;2n":                   ColorScheme{false, start},
		"\x1b[?2026;1$y":                 ModeReport{2026, true, true, start},
		"\x1b[?2026;2$y":                 ModeReport{2026, true, false, start},
		"\x1b[?2026;0$y":                 ModeReport{2026, false, false, start},
		"\x1b[?2004;3$y":                 ModeReport{2004, true, true, start},
		"\x1b[?2031;4$y":                 ModeReport{2031, false, false, start},
		"\x1b[8;24;80t":                  Size{80, 24, start},
		"\x1b]52;c;" + clip + "\x07":     Paste{Text: "é\nb", At: start, IsClipboard: true},
		"\x1b]52;c;\x1b\\":               Paste{At: start, IsClipboard: true},
		"\x9d52;c;" + clip + "\x9c":      Paste{Text: "é\nb", At: start, IsClipboard: true},
		"\x1b[<0;5;7M":                   Mouse{MousePress, ButtonLeft, 0, 4, 6, start},
		"\x1b[<2;5;7m":                   Mouse{MouseRelease, ButtonRight, 0, 4, 6, start},
		"\x1b[<65;1;1M":                  Mouse{MouseWheel, WheelDown, 0, 0, 0, start},
		"\x1b[<36;1;0M":                  Mouse{MouseMotion, ButtonLeft, Shift, 0, 0, start},
		"\x1b[<35;1;1M":                  Mouse{MouseMotion, ButtonNone, 0, 0, 0, start},
		"\x1b[M !_":                      Mouse{MousePress, ButtonLeft, 0, 0, 62, start},
		"\x1b[M#\xff!":                   Mouse{MouseRelease, ButtonNone, 0, 222, 0, start},
	} {
		if got := decodeAll(&Decoder{}, in); !reflect.DeepEqual(got, []Event{want}) {
			t.Errorf("%q gives %#v, want %#v", in, got, want)
		}
		if got := decodeAll(&Decoder{}, "\x1b"+in); len(got) != 2 || got[0] != (Key{Chord{0, Escape}, "", start, false}) {
			t.Errorf("Esc and %q give %#v", in, got)
		}
	}
	if got := decodeAll(&Decoder{}, "\x1bP>|a\u0085b\xffc\x1b\\"); !reflect.DeepEqual(got, []Event{TerminalName{"abc", start}}) {
		t.Error(got)
	}
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	got := decodeAll(&Decoder{}, "\x1b[97;5:2u\x1b[1;1:2A\x1b[A")
	for i, want := range []bool{true, true, false} {
		if got[i].(Key).IsRepeat != want {
			t.Errorf("%d: %+v", i, got[i])
		}
	}
}

// TestWaits checks how long incomplete input is held back, and its end.
func TestWaits(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		in      string
		isKitty bool
		wait    time.Duration
		want    string
	}{
		{"a", false, -1, ""},
		{"\x1b", false, 50 * ms, "escape"},
		{"\x1b", true, 25 * ms, "escape"},
		{"\x1b[27u", true, -1, ""},
		{"\x1b\x1b", false, 50 * ms, "escape escape"},
		{"\x1b[", false, 50 * ms, "alt+["},
		{"\x1bX", false, 50 * ms, "alt+shift+x"},
		{"\x1b\x1bO", false, 50 * ms, "escape alt+shift+o"},
		{"\x1b\xc3", false, time.Second, ""},
		{"\xc3", false, time.Second, ""},
		{"\x1b[1", false, time.Second, ""},
		{"\x1b]11;", false, time.Second, ""},
		{"\x1b[M", false, time.Second, ""},
		{"\x1b[" + strings.Repeat("1", maxCSI), false, time.Second, ""},
		{"\x1b[200~a", false, 30 * time.Second, ""},
	} {
		d := &Decoder{IsKitty: tt.isKitty}
		d.Feed([]byte(tt.in), start)
		wait, ok := d.Pending()
		if ok != (tt.wait >= 0) || ok && wait != tt.wait {
			t.Errorf("%q: wait %v, %v", tt.in, wait, ok)
		}
		if !ok || wait > time.Second {
			continue
		}
		if early := d.Flush(start.Add(wait - 1)); early != nil {
			t.Errorf("%q: too early %v", tt.in, early)
		}
		late := start.Add(wait)
		var got []Chord
		for _, e := range d.Feed([]byte("x"), late) { // flushes first
			got = append(got, e.(Key).Chord)
			if at := e.(Key).At; at != start && e.(Key).Text == "" {
				t.Errorf("%q: %v arrived at %v", tt.in, e, at)
			}
		}
		if want := chords(t, tt.want+" x"); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", tt.in, got, want)
		}
		if _, ok := d.Pending(); ok {
			t.Errorf("%q: still pending", tt.in)
		}
	}
}

// TestWaitForRest checks that each byte of a sequence extends the wait, but not without end for a string.
func TestWaitForRest(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	at := start
	for _, c := range "\x1b[1;5" {
		d.Feed([]byte(string(c)), at)
		at = at.Add(40 * time.Millisecond)
	}
	if got := d.Feed([]byte("A"), at); !reflect.DeepEqual(got, []Event{Key{Chord{Ctrl, Up}, "", at, false}}) {
		t.Error(got)
	}
	for intro, limit := range map[string]time.Duration{"\x1b]11;": replyLimit, "\x1b]52;": pasteLimit, "\x1b_G": replyLimit} {
		d, at := &Decoder{}, start
		d.Feed([]byte(intro), at)
		for len(d.Feed([]byte("a"), at)) == 0 {
			at = at.Add(500 * time.Millisecond)
		}
		if got := at.Sub(start); got != limit {
			t.Errorf("%q ends after %v, want %v", intro, got, limit)
		}
	}
}

// TestBounds checks that input without an end takes no more than a bounded amount of memory, and types nothing.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, intro := range []string{"\x1b]", "\x1b]11;", "\x1bP", "\x1b_G", "\x1bX", "\x1b^", "\x90", "\x1b["} {
		d := &Decoder{}
		d.Feed([]byte(intro), start)
		for range 100 {
			if got := d.Feed(bytes.Repeat([]byte("0"), 1000), start); len(got) > 0 {
				t.Fatalf("%q types %v", intro, got)
			}
			if n := len(d.held) + len(d.body.data); n > maxReply {
				t.Fatalf("%q holds %d bytes", intro, n)
			}
		}
		end := "\x1b\\"
		if intro == "\x1b[" {
			end = "A"
		}
		if got := d.Feed([]byte(end+"x"), start); !reflect.DeepEqual(got, []Event{Key{Chord{0, 'x'}, "x", start, false}}) {
			t.Errorf("%q ends with %v", intro, got)
		}
	}
}
