package footers

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/settings"
)

func newPane() *Pane {
	return New(Options{
		Items:    []Item{{"workspace", "Current directory"}, {"git-branch", "Git branch"}, {"model-name", "Model"}, {"cost", "Estimated cost"}},
		Now:      footer.Options{Items: []string{"model-name", "unknown", "workspace", "model-name"}, ShowLabels: true},
		Default:  footer.Options{Items: []string{"workspace", "git-branch"}, ShowLabels: true},
		Values:   footer.Values{Workspace: "~/tideline", Model: "gemini-2.5-flash"},
		Bindings: keys.Default("linux"),
		Save:     settings.FooterSetCommand,
		Reset:    settings.FooterResetCommand,
	})
}

// press types keys by their names, and returns the effect of the last one.
func press(p *Pane, names ...string) (o pane.Outcome) {
	for _, name := range names {
		chord, _ := keys.ParseChord(name)
		k := keys.Key{Chord: chord}
		if name == "space" {
			k.Text = " "
		}
		o = p.Handle(k, p.o.Bindings)
	}
	return o
}

func text(t *testing.T, p *Pane, width, height int) string {
	t.Helper()
	lines := p.View(width, height, theme.NoColor()).Lines
	if len(lines) > height {
		t.Errorf("%d lines in %d", len(lines), height)
	}
	var b strings.Builder
	for _, l := range lines {
		if l.Width() > width {
			t.Errorf("%q is wider than %d", l, width)
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func TestKeys(t *testing.T) {
	t.Parallel()
	// The rows are: model-name, workspace, git-branch, cost, Labels, Reset.
	for presses, want := range map[string]string{
		"enter":                          "/footer set --labels=on workspace",
		"space":                          "/footer set --labels=on workspace",
		"enter down space":               "/footer set --labels=on none",
		"down down down enter":           "/footer set --labels=on model-name workspace cost",
		"right":                          "/footer set --labels=on workspace model-name",
		"right right right right enter":  "/footer set --labels=on workspace",
		"down left":                      "/footer set --labels=on workspace model-name",
		"down down down left left enter": "/footer set --labels=on model-name cost workspace",
		"up up enter":                    "/footer set --labels=off model-name workspace",
		"up enter":                       "/footer reset",
		"ctrl+l":                         "/footer reset",
		"ctrl+l down enter":              "/footer set --labels=on workspace",
		"ctrl+l right":                   "/footer set --labels=on git-branch workspace",
		"ctrl+l up up enter":             "/footer set --labels=off workspace git-branch",
		"":                               "",
		"enter enter":                    "",
		"left":                           "", // the first row stays
		"right left":                     "",
		"down down down right":           "", // the last item stays
		"up right up left":               "", // rows that are no items stay
		"up up up up up up enter":        "/footer set --labels=on workspace",
		"down down down down down down down down end": "",
	} {
		p := newPane()
		press(p, strings.Fields(presses)...)
		var got string
		switch o := press(p, "escape").(type) {
		case pane.Chosen:
			got = o.Command
		case pane.Closed:
		default:
			t.Errorf("%s: %#v", presses, o)
		}
		if got != want {
			t.Errorf("%s: %q, not %q", presses, got, want)
		}
	}
	if o := press(newPane(), "f12"); o != (pane.Ignored{}) {
		t.Errorf("%#v", o)
	}
}

// TestPreview checks that the preview is the footer of the choice, in which made-up values stand for missing ones.
func TestPreview(t *testing.T) {
	t.Parallel()
	p := newPane()
	for _, c := range []struct{ keys, want string }{
		{"", "/model             workspace (/directory)\ngemini-2.5-flash   ~/tideline\n"},
		{"down down down enter up up up", "/model             workspace (/directory)   cost\ngemini-2.5-flash   ~/tideline               $0.12\n"},
		{"up up enter", "gemini-2.5-flash · ~/tideline · $0.12\n"},
		{"ctrl+l", "workspace (/directory)   branch\n~/tideline               main\n"},
	} {
		press(p, strings.Fields(c.keys)...)
		if got := text(t, p, 80, 24); !strings.Contains(got, "Preview\n"+c.want) {
			t.Errorf("%s: %s", c.keys, got)
		}
	}
	p = newPane()
	press(p, "enter", "down", "enter")
	if got := text(t, p, 80, 24); !strings.Contains(got, "The footer has no items.") {
		t.Error(got)
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	if n := len(footer.Lines(sample(footer.Values{Mode: "INSERT", Errors: 3}), footer.Options{Items: footer.IDs()}, 500, theme.NoColor())); n != 1 {
		t.Fatal(n)
	}
	for _, id := range footer.IDs() {
		lines := footer.Lines(sample(footer.Values{Mode: "INSERT", Errors: 3}), footer.Options{Items: []string{id}}, 80, theme.NoColor())
		if len(lines) != 1 || strings.Contains(lines[0].String(), "·") {
			t.Errorf("%s: %v", id, lines)
		}
	}
}

// TestItems checks that the items of the command are those of the footer.
func TestItems(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, i := range settings.FooterItems() {
		ids = append(ids, i.ID)
		if i.About == "" || len(i.About) > 50 {
			t.Errorf("%s: %q", i.ID, i.About)
		}
	}
	if !slices.Equal(ids, footer.IDs()) {
		t.Errorf("%v, not %v", ids, footer.IDs())
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	p := newPane()
	press(p, "down", "down", "down")
	for width := range 60 {
		for height := range 20 {
			got := text(t, p, width, height)
			if width > 20 && height > 0 && !strings.Contains(got, "❯ [ ] cost") {
				t.Errorf("%d x %d: the selected row is not shown:\n%s", width, height, got)
			}
		}
	}
}
