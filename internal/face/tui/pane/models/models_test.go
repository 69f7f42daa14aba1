package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/models"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

var _ pane.Loader = (*Pane)(nil)

// directory returns the models of a user with this environment.
func directory(t *testing.T, requested string, env ...string) *models.Directory {
	t.Helper()
	home := t.TempDir()
	e := config.NewEnv(append(env, "GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")...)
	s, _, err := config.Load(config.Sources{Paths: config.NewPaths(e, home), Env: e})
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := auth.Open(auth.Inputs{Settings: s, Env: config.NewFolderEnv(e), Warn: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := models.Open(t.Context(), accounts, accounts.Network, models.Options{Settings: s, Requested: requested, Warn: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// server returns the address of a server that lists models.
func server(t *testing.T, names ...string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/models") {
			http.NotFound(w, r)
			return
		}
		var list []string
		for _, n := range names {
			list = append(list, fmt.Sprintf(`{"id": "%s", "context_length": 4242}`, n))
		}
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(list, ", "))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// press types keys by their names, and returns the effect of the last one.
func press(p *Pane, names ...string) (o pane.Outcome) {
	return panetest.Press(p, p.bindings, names...)
}

func newPane(t *testing.T, d Directory) *Pane {
	t.Helper()
	return New(t.Context(), d, keys.Default("linux"))
}

// listed returns the labels of the rows.
func listed(p *Pane) (labels []string) {
	for _, r := range p.rows() {
		labels = append(labels, r.Label)
	}
	return labels
}

func TestChoose(t *testing.T) {
	t.Parallel()
	d := directory(t, "gemini-2.5-pro", "GEMINI_API_KEY=k", "OPENAI_API_KEY=o")
	for _, c := range []struct {
		keys string
		want pane.Outcome
	}{
		{"enter", pane.Chosen{Command: "/model set gemini-2.5-pro"}},
		{"tab enter", pane.Chosen{Command: "/model set gemini-2.5-pro --persist"}},
		{"tab tab enter", pane.Chosen{Command: "/model set gemini-2.5-pro"}},
		{"home enter", pane.Chosen{Command: "/model set auto"}},
		{"a u t o enter", pane.Chosen{Command: "/model set auto"}},
		{"2 . 5 f l a s h enter", pane.Chosen{Command: "/model set gemini-2.5-flash"}},
		{"q q q 1 enter", pane.Chosen{Command: "/model set qqq1"}},
		{"q q q 1 tab enter", pane.Chosen{Command: "/model set qqq1 --persist"}},
		{"q q q escape", pane.Changed{}},
		{"q q q escape enter", pane.Chosen{Command: "/model set gemini-2.5-pro"}},
		{"- q q enter", pane.Ignored{}},
		{"escape", pane.Closed{}},
		{"tab", pane.Changed{}},
		{"f12", pane.Ignored{}},
	} {
		if got := press(newPane(t, d), strings.Fields(c.keys)...); got != c.want {
			t.Errorf("%s: %#v, not %#v", c.keys, got, c.want)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	p := newPane(t, directory(t, "gemini-2.5-pro", "GEMINI_API_KEY=k", "ANTHROPIC_API_KEY=a"))
	labels := listed(p)
	if labels[0] != "Auto" || slices.Contains(labels, "auto") {
		t.Error(labels)
	}
	rows := p.rows()
	for label, want := range map[string]string{"Auto": "the best model for the task", "gemini-2.5-pro": "current, 1.05M, $1.25/$10", "gemini-2.5-flash": "1.05M, $0.3/$2.5"} {
		if i := slices.Index(labels, label); i < 0 || rows[i].Detail != want {
			t.Errorf("%s: %v", label, rows)
		}
	}
	if !slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, "anthropic/claude-") }) {
		t.Error(labels)
	}
	auto := newPane(t, directory(t, "auto", "GEMINI_API_KEY=k"))
	if r := auto.rows()[auto.picker.Selected()]; r.Label != "Auto" || r.Detail != "current, the best model for the task" {
		t.Error(r)
	}
	claude := newPane(t, directory(t, "claude-unheard-of", "ANTHROPIC_API_KEY=a"))
	if labels := listed(claude); labels[0] != "claude-unheard-of" || claude.rows()[0].Detail != "current" || slices.Contains(labels, "Auto") || claude.isLoading {
		t.Error(labels, claude.rows()[0])
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	d := directory(t, "one", "OPENAI_API_KEY=o", "ANTHROPIC_API_KEY=a", "OPENAI_BASE_URL="+server(t, "one", "two"), "POLLUX_PROVIDER=openai")
	p := newPane(t, d)
	if !p.isLoading || press(p, "t", "w", "o", "enter") != (pane.Chosen{Command: "/model set two"}) {
		t.Error("the server's models are there, or not waited for")
	}
	vendors := len(p.models)
	p.Load()()
	labels := listed(p)
	if p.isLoading || p.problem != "" || !slices.Contains(labels, "two") || len(p.models) >= vendors {
		t.Error(labels, p.problem)
	}
	if got := press(p, "enter"); got != (pane.Chosen{Command: "/model set two"}) {
		t.Error(got)
	}
	if slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, "gpt-4") }) || !slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, "anthropic/") }) {
		t.Error(labels)
	}
	p = newPane(t, d)
	p.Load()()
	if p.rows()[p.picker.Selected()].Label != "one" {
		t.Error("the current model is not selected")
	}
	p = newPane(t, d)
	press(p, "end")
	last := p.models[p.picker.Selected()].Name
	p.Load()()
	if p.models[p.picker.Selected()].Name != last {
		t.Error("the selection of the user is lost")
	}
}

// failing is a directory whose server lists no models.
type failing struct {
	*models.Directory
	own []catalog.Model
}

func (f failing) ServerModels(ctx context.Context) ([]catalog.Model, error) {
	if _, ok := ctx.Deadline(); ok {
		return nil, nil
	}
	return f.own, errors.New("connection\x1b[31m refused")
}

func (f failing) Current() models.Current {
	c := f.Directory.Current()
	profile := *c.Account.Profile
	profile.Local = &provider.Local{}
	c.Account.Profile = &profile
	return c
}

func TestLoadFails(t *testing.T) {
	t.Parallel()
	d := failing{Directory: directory(t, "auto", "GEMINI_API_KEY=k")}
	p := newPane(t, d)
	before := listed(p)
	p.Load()()
	screen := text(t, p, 80, 24)
	if !strings.Contains(screen, "Cannot list the models of your server: connection refused.") || !slices.Equal(listed(p), before) {
		t.Error(screen)
	}
	d.own = []catalog.Model{{Name: "mine"}, {Name: before[1]}, {Name: "bad name"}, {Name: "worse\x1b[2J"}, {Name: "-c"}, {Name: strings.Repeat("n", 301)}, {Name: ""}}
	p = newPane(t, d)
	p.Load()()
	if got := listed(p); !slices.Contains(got, "mine") || len(got) != len(before)+6 {
		t.Error(got)
	}
	for _, r := range p.rows() {
		if isBad := len(r.Label) > 300 || slices.Contains([]string{"bad name", "worse\x1b[2J", "-c", ""}, r.Label); isBad != (r.WhyNot != "") {
			t.Error(r)
		}
	}
}
