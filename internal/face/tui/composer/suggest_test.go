package composer

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/theme"
)

// words are the suggestions for all requests.
var words = []string{"@src/main.go", "@src/", "@sample.txt", "/stats", "/settings", "/memory", "status", "stash", "checkout"}

// found returns the suggestions for the last word of a request.
func found(r completion.Request) completion.Result {
	start := strings.LastIndexAny(r.Text[:r.Cursor], " \n") + 1
	word := r.Text[start:r.Cursor]
	result := completion.Result{Request: r, Range: buffer.Range{Start: start, End: r.Cursor}}
	for _, w := range words {
		if !strings.HasPrefix(w, word) || word == "" {
			continue
		}
		s := completion.Suggestion{Label: w, Insert: w + " ", Runs: strings.HasPrefix(w, "/s")}
		if strings.HasSuffix(w, "/") {
			s.Insert = w
		}
		result.Suggestions = append(result.Suggestions, s)
		result.IsComplete = result.IsComplete || w == word && strings.HasPrefix(w, "/")
	}
	return result
}

// answer passes results until no more are wanted.
func (p *typist) answer() {
	for range 5 {
		r, ok := p.Wanted()
		if !ok {
			return
		}
		p.Found(found(r))
	}
}

// pressEach types keys, and passes the suggestions after each.
func (p *typist) pressEach(names string) (o Outcome) {
	for name := range strings.FieldsSeq(names) {
		o = p.press(name)
		p.answer()
	}
	return o
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys, want, state string
		isOpen            bool
	}{
		{"@ s", "Changed", "@s|", true},
		{"@ s tab", "Changed", "@src/main.go |", false},
		{"@ s enter", "Changed", "@src/main.go |", false},
		{"@ s down tab", "Changed", "@src/|", true}, // and goes on
		{"@ s up enter", "Changed", "@sample.txt |", false},
		{"@ s ctrl+n ctrl+p tab", "Changed", "@src/main.go |", false},
		{"a _ @ s r tab x", "Changed", "a @src/main.go x|", false},
		{"a @ s", "Changed", "a@s|", false},
		{"@ s escape", "Changed", "@s|", false},
		{"@ s escape escape", "Canceled", "@s|", false},
		{"@ s escape enter", `Submitted "@s" false`, "|", false},
		{"@ s escape a", "Changed", "@sa|", true},
		{"@ s escape »r", "Changed", "@sr|", true},
		{"@ s escape left right", "Changed", "@s|", false},
		{"@ z", "Changed", "@z|", false},
		{"@ z enter", `Submitted "@z" false`, "|", false},
		{"@ s _", "Changed", "@s |", false},
		{"@ s left left", "Changed", "|@s", false},
		{"@ s alt+enter", "Changed", "@s\n|", false},
		{"/ s", "Changed", "/s|", true},
		{"/ s enter", `Submitted "/stats " false`, "|", false},
		{"/ s tab", "Changed", "/stats |", false},
		{"/ m enter", "Changed", "/memory |", false},
		{"/ m e m o r y enter", `Submitted "/memory" false`, "|", false}, // it is complete
		{"/ m e m o r y tab", "Changed", "/memory |", false},
		{"/ s down tab", "Changed", "/settings |", false},
		{"/ s ctrl+j / s", "Changed", "/s\n/s|", false},
		{"/ / s", "Changed", "//s|", false},
		{"/ s enter up", "Changed", "|/stats ", false}, // no suggestions for a past prompt
		{"/ s ctrl+r", "Changed", "/s|", false},
		{"/ s ctrl+r escape", "Changed", "/s|", false},
		{"@ s ctrl+u", "Changed", "|", false},
		{"@ s left", "Changed", "@|s", true},
		{"! s", "Changed", "!s|", false},
		{"! s tab", "Changed", "!s|", true},
		{"! s tab t", "Changed", "!st|", true}, // stays open
		{"! s tab t a t", "Changed", "!stat|", true},
		{"! s tab t a t enter", "Changed", "!status |", false},
		{"! s tab x", "Changed", "!sx|", false},
		{"! c tab", "Changed", "!checkout |", false}, // the only one
		{"! s tab down tab", "Changed", "!stash |", false},
		{"! s tab escape", "Changed", "!s|", false},
		{"! s tab escape escape", "Changed", "s|", false},
		{"! s tab escape tab", "Changed", "!s|", true},
		{"! @ s", "Changed", "!@s|", false},
		{"! z tab", "Changed", "!z|", false},
	} {
		p := newTypist(&Composer{})
		if c.keys == "a @ s" { // the source knows that an address is no path
			c.isOpen = p.HasSuggestions()
		}
		if o := p.pressEach(c.keys); told(o) != c.want || p.state() != c.state || p.HasSuggestions() != c.isOpen {
			t.Errorf("%s: %s, %q, %v", c.keys, told(o), p.state(), p.HasSuggestions())
		}
	}
}

func TestSuggestionsForPastPrompts(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{Prompts: history.Prompts(func() []string { return []string{"/stats", "/settings"} })})
	for _, key := range []string{"up", "down", "up", "up", "ctrl+n"} {
		if p.pressEach(key); p.HasSuggestions() {
			t.Errorf("%s: suggestions for %q", key, p.Shown())
		}
	}
	if p.pressEach("backspace"); !p.HasSuggestions() {
		t.Errorf("no suggestions for %q", p.Shown())
	}
	p.pressEach("ctrl+u @ s")
	if p.Restore("other"); p.HasSuggestions() || p.state() != "other\n\n@s|" {
		t.Errorf("%q", p.state())
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	p.press("a _ @ s")
	want := completion.Request{Text: "a @s", Cursor: 4}
	if r, ok := p.Wanted(); !ok || r != want {
		t.Errorf("%+v, %v", r, ok)
	}
	if r, ok := p.Wanted(); ok {
		t.Errorf("again: %+v", r)
	}
	p.Found(found(want))
	p.press("down")
	p.Found(found(want)) // a second time
	if s, _ := p.suggested.list.Selected(); s.Label != "@src/" {
		t.Errorf("%+v is selected", s)
	}
	for _, key := range []string{"up", "down", "ctrl+t"} {
		if p.press(key); !p.HasSuggestions() {
			t.Errorf("%s: closed", key)
		}
		if r, ok := p.Wanted(); ok {
			t.Errorf("%s: %+v", key, r)
		}
	}
	if p.press("left"); !p.HasSuggestions() {
		t.Error("closed before the next result")
	}
	if r, ok := p.Wanted(); !ok || r.Cursor != 3 {
		t.Errorf("%+v, %v", r, ok)
	}
	for text, isWanted := range map[string]bool{
		`@a\ b`: true, `@a\\ b`: false, "@a\tb": false, "@" + strings.Repeat("a", 5000): false, "@" + strings.Repeat("a", 4000): true,
		"@a\nb": false, "a\n@b": true, "/*a": false, "/": true, "//a": false, "/ ": true, "a/b": false, "世@": true,
	} {
		p := newTypist(&Composer{})
		p.Field().Insert(text[:len(text)-1])
		p.press("x backspace")
		p.Handle(keyOf(text[len(text)-1:]), p.bindings)
		if r, ok := p.Wanted(); ok != isWanted || ok && r.Text != text {
			t.Errorf("%.20q: %v", text, ok)
		}
	}
}

// TestLate checks results that come after the text has changed.
func TestLate(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	p.press("@ s")
	late, _ := p.Wanted()
	if p.press("r"); told(p.press("tab")) != "Ignored" { // no one has asked
		t.Error("Tab waits")
	}
	if p.Found(found(late)); p.HasSuggestions() {
		t.Error("shows a late result")
	}
	r, _ := p.Wanted()
	if o := p.press("tab"); told(o) != "Changed" || p.state() != "@sr|" {
		t.Errorf("%s, %q", told(o), p.state())
	}
	if p.Found(found(r)); p.state() != "@src/main.go |" || p.HasSuggestions() {
		t.Errorf("%q", p.state())
	}

	p = newTypist(&Composer{})
	p.pressEach("@ s")
	if o := p.press("a tab"); told(o) != "Changed" || p.state() != "@sa|" { // the list is that of @s
		t.Errorf("%s, %q", told(o), p.state())
	}
	if p.answer(); p.state() != "@sample.txt |" {
		t.Errorf("%q", p.state())
	}

	p = newTypist(&Composer{})
	p.pressEach("/ s")
	p.press("t tab left") // another key
	if p.answer(); p.state() != "/s|t" {
		t.Errorf("%q", p.state())
	}
	if o := p.press("a enter"); told(o) != `Submitted "/sat" false` {
		t.Errorf("%s", told(o))
	}
	p.press("@ s")
	r, _ = p.Wanted()
	p.SetText("other")
	if p.Found(found(r)); p.HasSuggestions() || p.state() != "other|" {
		t.Errorf("%q", p.state())
	}
}

// TestGoesOn checks that suggestions follow for a directory that was inserted without a key.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	p.press("@ d")
	r, _ := p.Wanted()
	p.press("tab")
	p.Found(completion.Result{Request: r, Range: buffer.Range{End: 2}, Suggestions: []completion.Suggestion{{Insert: "@dir/"}}})
	if r, ok := p.Wanted(); !ok || r.Text != "@dir/" || p.state() != "@dir/|" {
		t.Errorf("%+v, %v, %q", r, ok, p.state())
	}
}

func TestLoading(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	if p.ShowLoading(); p.HasSuggestions() {
		t.Error("no one waits")
	}
	p.press("@ s")
	if p.ShowLoading(); p.HasSuggestions() {
		t.Error("no one has asked")
	}
	r, _ := p.Wanted()
	p.ShowLoading()
	if lines := p.View(80, 24, theme.NoColor()).Lines; lines[len(lines)-1].String() != "Loading suggestions..." {
		t.Errorf("%q", lines)
	}
	p.Found(found(r))
	p.press("a")
	p.Wanted()
	if p.ShowLoading(); !slices.ContainsFunc(texts(p.View(80, 24, theme.NoColor()).Lines), func(s string) bool { return strings.Contains(s, "@sample.txt") }) {
		t.Error("the suggestions are hidden")
	}
}

// TestTabWaits checks that a Tab key that waits for suggestions queues the text if there are none, while the model works.
func TestTabWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		isBusy bool
		want   Outcome
	}{
		{"/nothing", true, Queued{}},
		{"/nothing", false, Ignored{}},
		{"/mem", true, Changed{}},
	} {
		p := newTypist(&Composer{IsBusy: c.isBusy})
		for _, r := range c.text {
			p.press(string(r))
		}
		r, ok := p.Wanted()
		if o := p.press("tab"); !ok || o != (Changed{}) {
			t.Fatalf("%s: %#v", c.text, o)
		}
		o := p.Found(found(r))
		switch o := o.(type) {
		case Queued:
			if _, ok := c.want.(Queued); !ok || o.Text != c.text || !p.IsEmpty() {
				t.Errorf("%s: %q is queued", c.text, o.Text)
			}
		default:
			if o != c.want || p.IsEmpty() {
				t.Errorf("%s: %#v", c.text, o)
			}
		}
	}
}
