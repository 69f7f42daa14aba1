package footer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

var usual = Values{
	Workspace: "~/projects/pollux/internal/face", Branch: "main", Sandbox: "no sandbox", IsUnsafe: true, Model: "gemini-2.5-pro",
	HasContext: true, Context: 0.254, CompressAt: 0.5, HasQuota: true, Quota: 0.1, Memory: 45 << 20,
	Session: "0123456789", Host: "host", Auth: "api key", Added: 3, Removed: 1, Tokens: 12345, HasCost: true, Cost: 0.1234,
	TurnTime: 61500 * time.Millisecond, Command: "my line",
}

func texts(lines []styled.Line) (all []string) {
	for _, l := range lines {
		all = append(all, strings.TrimRight(l.String(), " "))
	}
	return all
}

func TestLines(t *testing.T) {
	t.Parallel()
	usually := Settings{}.Options()
	all := Options{Items: IDs()}
	for _, c := range []struct {
		name    string
		values  Values
		options Options
		width   int
		want    []string
	}{
		{"usual", usual, usually, 120, []string{"~/projects/pollux/internal/face · main · no sandbox · gemini-2.5-pro · 25% used · 10% used"}},
		{"narrow", usual, usually, 80, []string{"~/.../pollux/internal/face · main · no sandbox · gemini-2.5-pro · 25% · 10% used"}},
		{"narrower", usual, usually, 40, []string{"~/projects/pollux/internal/face · main …"}},
		{"tiny", usual, usually, 12, []string{"~/.../face …"}},
		{"tinier", usual, usually, 3, []string{"… …"}},
		{
			"labels", usual,
			Options{Items: []string{"workspace", "model-name", "context-used"}, ShowLabels: true},
			80,
			[]string{"workspace (/directory)            /model           context", "~/projects/pollux/internal/face   gemini-2.5-pro   25%"},
		},
		{"wide labels", Values{Branch: "b", Model: "m"}, Options{Items: []string{"git-branch", "model-name"}, ShowLabels: true}, 80, []string{"branch   /model", "b        m"}},
		{"narrow debug", Values{Workspace: "~/aaaaaaaaaaaaaaaa", IsDebug: true}, usually, 20, []string{"aaaaaaaaaaa… --debug"}},
		{
			"all", usual, all, 240,
			[]string{"~/projects/pollux/internal/face · main · no sandbox · gemini-2.5-pro · 25% used · 10% used · 45.0 MB · 01234567 · host · api key · +3 -1 · 12.3k tokens · $0.12 · 1m1s · my line"},
		},
		{"nothing known", Values{}, all, 80, nil},
		{"debug", Values{Workspace: "/x", IsDebug: true}, usually, 80, []string{"/x --debug"}},
		{"vim", Values{Workspace: "/x", Mode: "NORMAL"}, usually, 80, []string{"[NORMAL] · /x"}},
		{"unknown and repeated items", Values{Branch: "b"}, Options{Items: []string{"x", "git-branch", "git-branch"}}, 80, []string{"b"}},
		{"untrusted", Values{Sandbox: "bwrap", IsUntrusted: true}, usually, 80, []string{"untrusted"}},
		{"a full window", Values{HasContext: true, Context: 0.999, HasQuota: true, Quota: 1}, usually, 80, []string{"99% · limit reached"}},
		{"hostile", Values{Branch: "a\x1b[31m\nb\u202e", Command: "\x1b]0;x\x07c\td"}, all, 80, []string{"a b · c    d"}},
		{"only a label-less item", Values{Command: "c"}, Options{Items: []string{"command"}, ShowLabels: true}, 80, []string{"c"}},
		{"much memory", Values{Memory: 3 << 30, Tokens: 2_500_000}, all, 80, []string{"3.0 GB · 2.5M tokens"}},
		{"few tokens", Values{Tokens: 999, TurnTime: time.Second}, all, 80, []string{"999 tokens · 1s"}},
	} {
		if got := texts(Lines(c.values, c.options, c.width, theme.NoColor())); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	for _, c := range []struct {
		values Values
		want   styled.Style
	}{
		{Values{HasContext: true, Context: 0.4, CompressAt: 0.5}, dark.Text()},
		{Values{HasContext: true, Context: 0.5, CompressAt: 0.5}, dark.Warning()},
		{Values{HasContext: true, Context: 1, CompressAt: 0.5}, dark.Error()},
		{Values{Sandbox: "none", IsUnsafe: true}, dark.Error()},
		{Values{Sandbox: "bwrap"}, dark.Success()},
		{Values{IsUntrusted: true}, dark.Warning()},
	} {
		lines := Lines(c.values, Settings{}.Options(), 80, dark)
		if len(lines) != 1 || len(lines[0]) == 0 || !lines[0][len(lines[0])-1].Style.Equal(&c.want) {
			t.Errorf("%+v: %v", c.values, lines)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings Settings
		want     string
	}{
		{Settings{}, "workspace git-branch sandbox model-name context-used quota"},
		{Settings{HideCWD: true, HideSandbox: true, HideModel: true, HideContext: true, ShowMemory: true}, "git-branch quota memory-usage"},
		{Settings{Items: []string{"auth", "cost"}, ShowMemory: true, HideCWD: true}, "auth cost"},
		{Settings{Items: []string{"auth", "cost"}, HideIdentity: true}, "cost"},
		{Settings{Items: []string{}}, ""},
	} {
		if got := strings.Join(c.settings.Options().Items, " "); got != c.want {
			t.Errorf("%+v: %s", c.settings, got)
		}
	}
}

// TestFits checks that no footer is wider than the screen.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := usual
		v.Workspace = "/" + rapid.StringOf(rapid.SampledFrom([]rune("ab/中"))).Draw(t, "workspace")
		v.IsDebug = rapid.Bool().Draw(t, "debug")
		o := Options{Items: rapid.SliceOf(rapid.SampledFrom(IDs())).Draw(t, "items"), ShowLabels: rapid.Bool().Draw(t, "labels")}
		width := rapid.IntRange(1, 120).Draw(t, "width")
		for _, l := range Lines(v, o, width, theme.NoColor()) {
			if l.Width() > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
	})
}
