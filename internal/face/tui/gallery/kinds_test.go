package gallery

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/kit/kittest"
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// unshown has the events without a scene, with the reason.
var unshown = map[string]string{
	"kit.Opened":      "the header is drawn by the root, from the session",
	"kit.Beside":      "the rows above the composer are drawn by the root",
	"agent.Cancelled": "the driver reports it as kit.Cancelled",
}

// plays returns all scenes after they were drawn.
func plays() (list []*stage) {
	for _, s := range Scenes() {
		list = append(list, s.play(80, theme.NoColor()))
	}
	return list
}

func kindOf(v any) string { return strings.TrimPrefix(reflect.TypeOf(v).String(), "*") }

// TestEveryEvent checks that each kind of event of the driver and of a run is in a scene.
func TestEveryEvent(t *testing.T) {
	t.Parallel()
	seen, displays := map[string]bool{}, map[string]bool{}
	for _, s := range plays() {
		for _, e := range s.events {
			seen[kindOf(e)] = true
			if r, ok := e.(kit.Ran); ok {
				seen[kindOf(r.Event)] = true
				if f, isEnd := r.Event.(agent.ToolFinished); isEnd && f.Result.Display != nil {
					displays[kindOf(f.Result.Display)] = true
				}
				if u, isUpdate := r.Event.(agent.ToolUpdated); isUpdate && u.Output != nil {
					displays[kindOf(u.Output)] = true
				}
			}
		}
	}
	var wanted []any
	for _, e := range kit.Events() {
		wanted = append(wanted, e)
	}
	for _, e := range agent.Events() {
		wanted = append(wanted, e)
	}
	for _, e := range wanted {
		name := kindOf(e)
		if seen[name] == (unshown[name] != "") {
			t.Errorf("%s is in a scene: %v, and the reason is %q: add a scene, or list it here", name, seen[name], unshown[name])
		}
	}
	for _, d := range tool.Displays() {
		if !displays[kindOf(d)] {
			t.Errorf("no scene has a %T", d)
		}
	}
}

// TestEveryBlock checks that each kind of block, of warning and of field is in a question.
func TestEveryBlock(t *testing.T) {
	t.Parallel()
	blocks, kinds := map[string]bool{}, map[tool.QuestionKind]bool{}
	var warnings []string
	for _, s := range plays() {
		for _, q := range s.questions {
			for _, b := range q.Blocks {
				blocks[kindOf(b)] = true
			}
			for _, f := range q.Form {
				kinds[f.Kind] = true
			}
			warnings = append(warnings, q.Warnings...)
		}
	}
	for _, b := range kit.Blocks() {
		if !blocks[kindOf(b)] {
			t.Errorf("no scene has a %T", b)
		}
	}
	for _, k := range []tool.QuestionKind{tool.ChoiceQuestion, tool.TextQuestion, tool.YesNoQuestion, tool.SecretQuestion} {
		if !kinds[k] {
			t.Errorf("no form has a question of kind %s", k)
		}
	}
	for _, c := range kittest.Approvals() {
		for _, w := range kit.NewQuestion(c, true, nil).Warnings {
			if word := sortOf(w); !slices.ContainsFunc(warnings, func(have string) bool { return strings.HasPrefix(have, word) }) {
				t.Errorf("no scene has a warning that begins with %q", word)
			}
		}
	}
}

// sortOf returns the words with which all warnings of a sort begin.
func sortOf(warning string) string {
	if strings.HasPrefix(warning, " ") || strings.HasPrefix(warning, "http") { // a text or an address of others
		return ""
	}
	if label, _, isList := strings.Cut(warning, ": "); isList {
		return strings.TrimRight(label, "0123456789")
	}
	words := strings.Fields(warning)
	return strings.Join(words[:min(len(words), 2)], " ")
}

// TestNames checks that the names of scenes are unique, and that each shows something of its own.
func TestNames(t *testing.T) {
	t.Parallel()
	valid := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	shown := map[string]string{}
	names := map[string]bool{}
	for _, s := range Scenes() {
		text := goldenOf(t, s)
		if !valid.MatchString(s.Name) || names[s.Name] {
			t.Errorf("the name %q is taken or invalid", s.Name)
		}
		if other := shown[text]; other != "" {
			t.Errorf("%s looks like %s", s.Name, other)
		}
		if len(s.Lines(80, theme.NoColor())) == 0 {
			t.Errorf("%s is empty", s.Name)
		}
		names[s.Name], shown[text] = true, s.Name
	}
}

// TestWidths checks that each scene can be drawn in any width, and is clean.
func TestWidths(t *testing.T) {
	t.Parallel()
	for _, s := range Scenes() {
		for width := -1; width < 24; width++ {
			for _, l := range s.Lines(width, theme.NoColor()) {
				if text := l.String(); text != styled.Text(text) {
					t.Errorf("%s: %q is not clean", s.Name, text)
				}
			}
		}
	}
}

// TestTitles checks that the tools of the scenes have titles.
func TestTitles(t *testing.T) {
	t.Parallel()
	for _, s := range plays() {
		for _, e := range s.events {
			if r, ok := e.(kit.Ran); ok {
				if f, isEnd := r.Event.(agent.ToolFinished); isEnd && (names{}).ToolTitle(f.Call.Name) == "" {
					t.Errorf("%s has no title", f.Call.Name)
				}
			}
		}
	}
}

// TestFooterItems checks that the widest footer has all items.
func TestFooterItems(t *testing.T) {
	t.Parallel()
	got := footer.Lines(used(), footer.Options{Items: footer.IDs()}, 400, theme.NoColor())[0].String()
	if n := strings.Count(got, " · ") + 1; n != len(footer.IDs()) {
		t.Errorf("%d of %d items: %s", n, len(footer.IDs()), got)
	}
}

func TestMarkCursor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   styled.Line
		column int
		want   string
	}{
		{styled.Plain("abc"), 0, "[a]bc"},
		{styled.Plain("abc"), 2, "ab[c]"},
		{styled.Plain("abc"), 3, "abc[ ]"},
		{styled.Plain("a"), 3, "a  [ ]"},
		{nil, 0, "[ ]"},
		{styled.Plain("a潮b"), 1, "a[潮]b"},
		{styled.Line{{Text: "a"}, {Text: "b"}}, 1, "a[b]"},
	} {
		before := c.line.String()
		got := ""
		for _, s := range markCursor(c.line, c.column) {
			if s.Style.Attrs&styled.Reverse != 0 {
				s.Text = "[" + s.Text + "]"
			}
			got += s.Text
		}
		if got != c.want {
			t.Errorf("%q at %d: %q, not %q", before, c.column, got, c.want)
		}
		for _, s := range c.line {
			if s.Style.Attrs != 0 {
				t.Errorf("%q is changed", before)
			}
		}
	}
}

func TestKeysOf(t *testing.T) {
	t.Parallel()
	got := keysOf([]string{"up", "ab", "n", "ctrl+r"})
	var texts []string
	for _, k := range got {
		texts = append(texts, k.Chord.String()+":"+k.Text)
	}
	if want := "up: a:a b:b n:n ctrl+r:"; strings.Join(texts, " ") != want {
		t.Errorf("%q, not %q", texts, want)
	}
}
