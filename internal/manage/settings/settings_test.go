package settings

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/tui/theme"
	"pollux/internal/guard/trust"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "s3cret"}}}}`)
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: `"TOKEN":"********"`},
		{Line: "list --all", Want: "model.maxSessionTurns "},
		{Line: "/list", Want: "Your settings file: ~/.gemini/settings.json"},
		{Line: "get model.maxSessionTurns", Want: "-1\n", JSON: "-1"},
		{Line: "/get model.maxSessionTurns", Want: "model.maxSessionTurns = -1 (default)\n\n"},
		{Line: "set model.maxSessionTurns 7", Want: "Set model.maxSessionTurns to 7 in ~/.gemini/settings.json", JSON: `{"file":"$HOME/.gemini/settings.json","key":"model.maxSessionTurns","scope":"user","value":7}`},
		{Line: "set --scope=workspace model.maxSessionTurns 8", Want: "in $DIR/.gemini/settings.json"},
		{Line: "get --scope=user model.maxSessionTurns", Want: "7\n", JSON: "7"},
		{Line: "get model.maxSessionTurns", JSON: "8"},
		{Line: "set model.maxSessionTurns x", Want: "must be a number", Code: exit.General},
		{Line: "set --scope=user model.maxSessionTurns 9", Want: "Note: the workspace settings have another value, which wins."},
		{Line: "explain model.maxSessionTurns", Want: "8 (from workspace)"},
		{Line: "unset --scope=workspace model.maxSessionTurns", Want: "Removed model.maxSessionTurns from"},
		{Line: "unset --scope=workspace model.maxSessionTurns", Want: "model.maxSessionTurns is not set in"},
		{Line: "/set model.maxSessionTurns 3", Want: "Set model.maxSessionTurns to 3 in $HOME/.gemini/settings.json. Takes effect the next time you start Pollux."},
		{Line: "/unset model.maxSessionTurns", Want: "Removed model.maxSessionTurns from $HOME"},
		{Line: "/unset model.maxSessionTurns", Want: "is not set in"},
		{Line: "/unset", Want: "Enter a setting, such as", Code: exit.Input},
		{Line: "/get", Want: "Enter a setting, such as", Code: exit.Input},
		{Line: "/set a", Want: "Enter a setting and a value", Code: exit.Input},
		{Line: "/set --scope=workspace model.maxSessionTurns 4", Want: "Set model.maxSessionTurns to 4 in $DIR/.gemini/settings.json. Takes effect"},
		{Line: "/set --scope=user model.maxSessionTurns 5", Want: "in $HOME/.gemini/settings.json. Takes effect the next time you start Pollux.\nThe workspace settings have another value, which wins."},
		{Line: "/get model.maxSessionTurns", Want: "= 4 (workspace)"},
		{Line: "/unset --scope=workspace model.maxSessionTurns", Want: "Removed model.maxSessionTurns from $DIR"},
		{Line: "/unset --scope=workspace model.maxSessionTurns", Want: "is not set in $DIR"},
		{Line: "/get model.maxSessionTurns", Want: "= 5 (user)"},
		{Line: "/set --scope=moon model.maxSessionTurns 4", Want: `Unknown scope "moon". Choose user, workspace or system.`, Code: exit.Input},
		{Line: "/unset --scope= model.maxSessionTurns", Want: `Unknown scope ""`, Code: exit.Input},
		{Line: "/unset --scope=user", Want: "Enter a setting, such as", Code: exit.Input},
		{Line: "/set --scope=user ui.theme", Want: "Enter a setting and a value", Code: exit.Input},
		{Line: "get modle.name", Want: `There is no setting "modle.name".`, Code: exit.General},
		{Line: "path --scope=user", Want: "$HOME/.gemini/settings.json\n"},
		{Line: "path", Want: "workspace"},
	})
	var misuse *manage.UsageError
	for _, words := range [][]string{{"get"}, {"set", "a"}, {"list", "a"}, {"list", "--scope=nowhere"}} {
		if _, err := p.Shell(Command(), words...); !errors.As(err, &misuse) {
			t.Errorf("%q: %v", words, err)
		}
	}
	if _, err := p.Shell(Command()); !errors.Is(err, manage.ErrHelp) {
		t.Error(err)
	}
}

func TestEditor(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`, "PATH=/nowhere")
	p.Check(EditorCommand(), []managetest.Case{
		{Line: "/", Want: "The editor is unchanged."},
		{Line: "/notepad", Want: "Editor 'notepad' is not a recognized editor identifier.", Code: exit.Input},
		{Line: "/vim", Want: "Editor: vim. Editor command"},
		{Line: "/none", Want: "Removed general.preferredEditor from $HOME"},
	})
	p.Session.Project.Options.Asker = nil
	if _, _, err := p.Slash(EditorCommand(), "", ""); !errors.Is(err, manage.ErrNeedsPerson) {
		t.Error(err)
	}
}

func TestUntrusted(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Options.Folder = trust.Untrusted
	p.Check(Command(), []managetest.Case{
		{Line: "/set --scope=workspace model.maxSessionTurns 4", Want: "This folder is not trusted: its settings are ignored."},
		{Line: "/get model.maxSessionTurns", Want: "= -1 (default)"},
	})
}

func TestTheme(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"ui": {"customThemes": {"My Own": {}, "Dracula": {}}}}`)
	file := p.Write("night.json", `{}`)
	p.Write("night.txt", `{}`)
	p.Write("dir.json/file", "")
	p.Check(ThemeCommand(), []managetest.Case{
		{Line: "/", Want: "No theme is set: Pollux takes Default or Default Light"},
		{Line: "/", Want: "Tokyo Night"},
		{Line: "/dracula", Want: "Theme: Dracula."},
		{Line: "/", Want: "* Dracula"},
		{Line: "/ANSI Light", Want: "Theme: ANSI Light."},
		{Line: "/My Own", Want: "Theme: My Own."},
		{Line: "/", Want: "* My Own"},
		{Line: "/Missing", Want: `Theme "Missing" not found. /theme lists the themes.`, Code: exit.Input},
		{Line: "/missing.json", Want: `Theme "missing.json" not found.`, Code: exit.Input},
		{Line: "/night.txt", Want: "not found.", Code: exit.Input},
		{Line: "/dir.json", Want: "not found.", Code: exit.Input},
		{Line: "/" + p.Options.Dir, Want: "not found.", Code: exit.Input},
		{Line: "/night.json", Want: "Theme: night.json."},
		{Line: "/" + file, Want: "Theme: " + file},
		{Line: "/", Want: "The current theme is " + file},
	})
	p.Write(".gemini/settings.json", `{"ui": {"theme": "Ayu"}}`)
	p.Check(ThemeCommand(), []managetest.Case{{Line: "/Xcode", Want: "The workspace settings have another value, which wins."}})
	o, _, err := p.Slash(ThemeCommand(), "", "")
	if text := o.Markdown(0); err != nil || strings.Count(text, "* ") != 1 || strings.Count(text, "Dracula") != 1 || !strings.Contains(text, "* Ayu") {
		t.Error(text, err)
	}
	none := managetest.New(t, `{}`, "NO_COLOR=1")
	none.Check(ThemeCommand(), []managetest.Case{
		{Line: "/", Want: "Theme configuration unavailable due to NO_COLOR env variable.", Code: exit.Input},
		{Line: "/Ayu", Want: "Theme configuration unavailable due to NO_COLOR env variable.", Code: exit.Input},
	})
}

// TestExtensionThemes checks that the themes of extensions have the same names as on the interactive screen.
func TestExtensionThemes(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	themes := `[{"name": "Night", "text": {"primary": "#123456"}}, {"text": {}}, {"name": "  "}, 7, {"name": " Day "}]`
	p.Write(filepath.Join(p.Home, ".gemini/extensions/sky/gemini-extension.json"), `{"name": "sky", "version": "1.0.0", "themes": `+themes+`}`)
	p.Check(ThemeCommand(), []managetest.Case{
		{Line: "/", Want: "Night (sky)"},
		{Line: "/night (SKY)", Want: "Theme: Night (sky)."},
		{Line: "/", Want: "* Night (sky)"},
		{Line: "/Night", Want: `Theme "Night" not found.`, Code: exit.Input},
	})
	own := []theme.Extension{}
	extensions := p.Session.Project.Extensions()
	for _, e := range extensions {
		own = append(own, theme.Extension{Name: e.Name, Themes: e.Themes})
	}
	r := theme.Request{Extensions: own}
	list, _ := r.CustomThemes()
	var want []string
	for _, one := range list {
		want = append(want, one.Name)
	}
	if got := extensionThemes(extensions); !slices.Equal(got, want) || len(want) != 2 {
		t.Errorf("%q, on the screen %q", got, want)
	}
}

// TestThemeNames checks that the list of themes is that of the interactive screen.
func TestThemeNames(t *testing.T) {
	t.Parallel()
	var want []builtinTheme
	for _, n := range theme.Names() {
		want = append(want, builtinTheme{n.Name, n.Kind == theme.Light})
	}
	if !slices.Equal(builtinThemes[:], want) {
		t.Errorf("the themes are %v", want)
	}
}

// TestKeysAfterScope checks that a scope does not count as an argument for completion.
func TestKeysAfterScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []string
		typed string
		want  string
	}{
		{nil, "ui.them", "ui.theme"},
		{[]string{"--scope=user"}, "ui.them", "ui.theme"},
		{[]string{"--scope=user", "general.vimMode"}, "", "true"},
		{[]string{"general.vimMode"}, "", "true"},
	} {
		if got, _ := keysAndValues(c.words, c.typed); len(got) == 0 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%q %q: %q", c.words, c.typed, got)
		}
	}
	for key, want := range map[string]string{"ui.theme": "ANSI", "general.vimMode": "true", "output.format": "text", "ui.footer.command": "", "context.discoveryMaxDirs": ""} {
		got, offer := keysAndValues([]string{key}, "")
		if offer == manage.Files || strings.Join(got[:min(1, len(got))], "") != want {
			t.Errorf("%s: %q, %d", key, got, offer)
		}
	}
	if got, _ := keysAndValues([]string{"--scope=user", "general.vimMode", "true"}, ""); len(got) > 0 {
		t.Error(got)
	}
}

// TestFooter checks the commands about the footer, and the settings that they write.
func TestFooter(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(FooterCommand(), []managetest.Case{
		{Line: "/", Want: "The footer shows its default items."},
		{Line: "/set", Want: "Enter at least one item", Code: exit.Input},
		{Line: "/set clock", Want: `Unknown footer item "clock". /footer lists the items.`, Code: exit.Input},
		{Line: "/set --labels=maybe cost", Want: "Use --labels=on or --labels=off.", Code: exit.Input},
	})
	want := func(line, says, items string, labels bool) {
		t.Helper()
		p.Check(FooterCommand(), []managetest.Case{{Line: line, Want: says}})
		s := p.Open().Project.Settings()
		if got := strings.Join(config.FooterItems.In(s), " "); got != items || config.FooterLabels.In(s) != labels {
			t.Errorf("%s: %q, %v", line, got, config.FooterLabels.In(s))
		}
	}
	want("/set cost workspace cost", "Footer: cost, workspace.", "cost workspace", true)
	want("/", "* cost", "cost workspace", true)
	want("/set --labels=off", "Labels of the footer: off.", "cost workspace", false)
	want("/set --labels=on none", "The footer has no items.", "", true)
	if config.FooterItems.In(p.Open().Project.Settings()) == nil {
		t.Error("no items are the default items")
	}
	want("/set --labels=off cost", "Footer: cost.", "cost", false)
	want("/reset", "The footer shows its default items.", "", true)
	p.Write(".gemini/settings.json", `{"ui": {"hideFooter": true, "footer": {"items": ["quota"]}}}`)
	p.Check(FooterCommand(), []managetest.Case{
		{Line: "/set cost", Want: "ui.footer.items: The workspace settings have another value, which wins."},
		{Line: "/set cost", Want: "The footer is hidden, because ui.hideFooter is true."},
	})
}
