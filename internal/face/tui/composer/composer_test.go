package composer

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// typist types into a composer, a key each second.
type typist struct {
	*Composer
	bindings *keys.Bindings
	now      time.Time
	wait     time.Duration // between keys
}

func newTypist(c *Composer) *typist {
	return &typist{Composer: c, bindings: keys.Default("linux"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), wait: time.Second}
}

// press types keys by their names; others are text, "_" a space, "»" the start of a paste. It returns the effect of the
// last one.
func (p *typist) press(names string) (o Outcome) {
	for name := range strings.FieldsSeq(names) {
		p.now = p.now.Add(p.wait)
		if text, isPaste := strings.CutPrefix(name, "»"); isPaste {
			o = p.Handle(keys.Paste{Text: strings.ReplaceAll(text, "_", " "), At: p.now}, p.bindings)
			continue
		}
		chord, err := keys.ParseChord(name)
		k := keys.Key{Chord: chord, At: p.now}
		if err != nil || len([]rune(name)) == 1 {
			k.Text = strings.ReplaceAll(name, "_", " ")
		}
		o = p.Handle(k, p.bindings)
	}
	return o
}

// state returns the text with "|" at the cursor, behind "!" in shell mode.
func (p *typist) state() (s string) {
	if p.IsShell() {
		s = "!"
	}
	at := p.field.Cursor()
	return s + p.Shown()[:at] + "|" + p.Shown()[at:]
}

// told returns an outcome in one line.
func told(o Outcome) string {
	switch o := o.(type) {
	case Submitted:
		return fmt.Sprintf("Submitted %q %v", o.Text, o.IsShell)
	case Queued:
		return fmt.Sprintf("Queued %q %v", o.Text, o.IsShell)
	case EditorWanted:
		return fmt.Sprintf("EditorWanted %q", o.Text)
	}
	return reflect.TypeOf(o).Name()
}

func someHelp(int, theme.Theme) []styled.Line { return []styled.Line{styled.Plain("help")} }

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys  string
		want  string
		state string
	}{
		{"h i", "Changed", "hi|"},
		{"h i enter", `Submitted "hi" false`, "|"},
		{"h i enter alt+z", "Changed", "hi|"},
		{"enter", "Confirmed", "|"},
		{"_ _ enter", "Confirmed", "  |"},
		{"h i ctrl+j x enter", `Submitted "hi\nx" false`, "|"},
		{`h \ enter x`, "Changed", "h\nx|"},
		{`a b left \ enter`, "Changed", "a\n|b"},
		{`h \ enter alt+z`, "Changed", `h\|`},
		{"escape", "Canceled", "|"},
		{"h i escape", "Canceled", "hi|"},
		{"h i ctrl+c", "Ignored", "hi|"},
		{"ctrl+d", "Ignored", "|"},
		{"h i home ctrl+d", "Changed", "|i"},
		{"h i tab", "Ignored", "hi|"},
		{"h i ctrl+t", "Ignored", "hi|"},
		{"h i shift+tab", "Ignored", "hi|"},
		{"down", "Ignored", "|"},
		{"up", "Changed", "|"},
		{"ctrl+n", "Changed", "|"},
		{"»one_two", "Changed", "one two|"},
		{"h i ctrl+g", `EditorWanted "hi"`, "hi|"},
		{"h i ctrl+x ctrl+e", `EditorWanted "hi"`, "hi|"},
		{"h i ctrl+x x", `EditorWanted "hix"`, "hix|"},
		{"h i ctrl+x enter", `Submitted "hi" false`, "|"},
		{"h i ctrl+x escape", "Changed", "hi|"},
		{"h i ctrl+x escape escape", "Canceled", "hi|"},
		{"h i ctrl+o", "Ignored", "hi|"},

		{"!", "Changed", "!|"},
		{"! l s enter", `Submitted "ls" true`, "!|"},
		{"! !", "Changed", "|"},
		{"! l s !", "Changed", "!ls!|"},
		{"! l s escape", "Changed", "ls|"},
		{"! l s escape escape", "Canceled", "ls|"},
		{"h ! i", "Changed", "h!i|"},
		{"»!ls enter", `Submitted "!ls" false`, "|"},
		{`! l s \ enter x enter`, `Submitted "ls\\\nx" true`, "!|"},
		{"! tab", "Ignored", "!|"},
		{"! ?", "Changed", "!?|"},

		{"a enter b enter up", "Changed", "|b"},
		{"a enter b enter up up", "Changed", "|a"},
		{"a enter b enter up up up", "Changed", "|a"},
		{"a enter b enter up up down", "Changed", "a|"},
		{"a enter b enter up up down down", "Changed", "b|"},
		{"a enter b enter x y left up up up up down down down", "Changed", "|xy"},
		{"a enter x y left ctrl+p ctrl+n", "Changed", "x|y"},
		{"a enter b enter ctrl+p ctrl+p enter", `Submitted "a" false`, "|"},
		{"a enter b enter ctrl+p ctrl+p x enter up up", "Changed", "|b"},
		{"a enter ! b enter up", "Changed", "!|b"},
		{"a enter ! b enter up up", "Changed", "!|b"},
		{"a enter ! b enter ! up", "Changed", "|a"},
		{"a enter ! b enter escape up", "Changed", "|a"},
		{"a ctrl+j b up up", "Changed", "|a\nb"},
		{"a ctrl+j b up down", "Changed", "a\nb|"},
	} {
		p := newTypist(&Composer{})
		if o := p.press(c.keys); told(o) != c.want || p.state() != c.state {
			t.Errorf("%s: %s, %q", c.keys, told(o), p.state())
		}
	}
}
