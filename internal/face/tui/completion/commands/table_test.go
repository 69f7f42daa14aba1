package commands

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/completion/paths"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/slash"
)

// texts returns the texts to insert at the mark of a text.
func texts(s *Source, marked string) (list []string) {
	r, _ := complete(s, marked)
	for _, s := range r.Suggestions {
		list = append(list, s.Insert)
	}
	return list
}

// TestTable completes the commands of Pollux.
func TestTable(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{}`)
	table := &Table{Project: func() *project.Project { return p }}
	s := &Source{Commands: table.Commands}
	if got := texts(s, "/quit|"); !slices.Equal(got, []string{"quit "}) {
		t.Errorf("/quit: %q", got)
	}
	saved, err := p.Paths.ProjectTemp()
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(s, "/chat resume |"); got != nil {
		t.Errorf("/chat resume without tags: %q", got)
	}
	for _, name := range []string{"checkpoint-tagged.json", "checkpoint-t%2Fwo.json", "logs.json"} {
		if err := os.WriteFile(filepath.Join(saved, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"/chat resume ", "/resume resume ", "/resume load ", "/chat delete ", "/resume delete "} {
		if got := texts(s, command+"|"); !slices.Contains(got, "tagged ") || !slices.Contains(got, "t/wo ") || len(got) != 2 {
			t.Errorf("%s: %q", command, got)
		}
		if got := texts(s, command+"ta|"); !slices.Equal(got, []string{"tagged "}) {
			t.Errorf("%sta: %q", command, got)
		}
		if got := texts(s, command+"tagged |"); got != nil {
			t.Errorf("%stagged: %q", command, got)
		}
	}
	r, _ := complete(s, "/chat |")
	if !r.IsComplete || r.Suggestions[0].Label != "list" || r.Suggestions[0].Group != "auto" || r.Suggestions[1].Group != "checkpoints" {
		t.Errorf("/chat: %+v", r)
	}
	r, _ = complete(s, "/compr|")
	if len(r.Suggestions) != 1 || !r.Suggestions[0].Runs {
		t.Errorf("/compress: %+v", r)
	}
	r, _ = complete(s, "/memory add|")
	if r.IsComplete || len(r.Suggestions) != 1 || r.Suggestions[0].Runs {
		t.Errorf("/memory add needs a text: %+v", r)
	}
	all := texts(s, "/|")
	for _, c := range slash.Commands() {
		if slices.Contains(all, c.Name+" ") == c.IsPlanned {
			t.Errorf("/%s is planned: %v", c.Name, c.IsPlanned)
		}
	}
}

func TestAdded(t *testing.T) {
	t.Parallel()
	run := func(context.Context, *manage.Call) (outcome.Outcome, error) { return outcome.Outcome{}, nil }
	table := &Table{Added: func() []Added {
		return []Added{
			{Command: &manage.Command{Name: "zz-review", Args: "[text]", Summary: "Review", Run: run}, IsPrompt: true},
			{Command: &manage.Command{Name: "zz-fix", Summary: "Fix", Run: run}},
			{Command: &manage.Command{Name: "zz-hidden", Run: run}},
		}
	}}
	r, _ := complete(&Source{Commands: table.Commands}, "/zz|")
	if got := describe(r); got != "1-3 zz-review_ zz-fix_!" || r.Suggestions[0].Suffix != "MCP" || r.Suggestions[1].Suffix != "" {
		t.Errorf("%s: %+v", got, r)
	}
	if r, _ := complete(&Source{Commands: table.Commands}, "/zz-review|"); !r.IsComplete {
		t.Errorf("%+v", r)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := projecttest.New(t, `{}`)
	run := func(context.Context, *manage.Call) (outcome.Outcome, error) { return outcome.Outcome{}, nil }
	names := func(_ context.Context, have *project.Project) []string {
		if have != p {
			t.Error("another project")
		}
		return []string{"one", "two", "two\nlines"}
	}
	set := func(words []string, typed string) ([]string, manage.Offer) {
		all := []string{"ui.theme\tThe theme", "ui.hideTips"}
		if len(words) > 0 {
			all = []string{"true", "false"}
		}
		return slices.DeleteFunc(all, func(s string) bool { return !strings.HasPrefix(s, typed) }), manage.Nothing
	}
	rows := []*manage.Command{
		{Name: "enable", Args: "<name> [--session]", Summary: "x", Run: run, Names: names},
		{Name: "remove", Args: "[names...]", Summary: "x", Run: run, Names: names},
		{Name: "set", Args: "KEY VALUE", Summary: "x", Run: run, Values: set},
		{Name: "read", Args: "<file>", Summary: "x", Run: run, Values: manage.FileNames},
		{Name: "say", Args: "<text>", Summary: "x", Run: run, Values: func([]string, string) ([]string, manage.Offer) { return []string{"aloud"}, manage.Text }},
		{Name: "link", Args: "<path>", Summary: "x", Run: run, Values: manage.DirectoryNames},
		{Name: "planned", Summary: "x", Run: run, IsPlanned: true},
	}
	table := &Table{Project: func() *project.Project { return p }, Paths: paths.New(dir, "")}
	s := &Source{Commands: func() []Command { return table.rows(rows, "") }}
	for _, c := range []struct{ marked, want string }{
		{"/enable |", "8-8 one_! two_!"},
		{"/enable t|", "8-9 two_!"},
		{"/enable one |", "12-12 whole two_!"},
		{"/remove one |", "12-12 whole two_!"},
		{"/remove one t|", "12-13 two_!"},
		{"/set |", "5-5 ui.theme_ ui.hideTips_"},
		{"/set ui.t|", "5-9 ui.theme_"},
		{"/set ui.theme t|", "14-15 true_!"},
		{"/set ui.theme true |", "19-19 whole"},
		{"/read a|", `6-7 a\_dir/ a.txt_!`},
		{"/read ./|", `6-8 whole ./a\_dir/ ./a.txt_!`},
		{"/say |", "5-5 aloud_!"},
		{"/say a|", "5-6 aloud_!"},
		{"/say ./a|", `5-8 ./a\_dir/ ./a.txt_!`},
		{"/link |", `6-6 a\_dir/`},
		{"/planned|", "1-8"},
	} {
		r, _ := complete(s, c.marked)
		if describe(r) != c.want {
			t.Errorf("%q: %s\nwant %s", c.marked, describe(r), c.want)
		}
	}
	table.Project = func() *project.Project { return nil }
	if r, _ := complete(s, "/enable |"); len(r.Suggestions) > 0 {
		t.Errorf("without a project: %s", describe(r))
	}
}

// TestDialog checks that Enter behind the name of a group sends it if the group has a dialog.
func TestDialog(t *testing.T) {
	t.Parallel()
	run := func(context.Context, *manage.Call) (outcome.Outcome, error) { return outcome.Outcome{}, nil }
	subs := []*manage.Command{{Name: "show", Summary: "x", Run: run}}
	rows := []*manage.Command{{Name: "memory", Summary: "x", Subs: subs}, {Name: "policies", Summary: "x", Subs: subs}}
	table := &Table{Opens: func(name string) bool { return name == "memory" }}
	s := &Source{Commands: func() []Command { return table.rows(rows, "") }}
	for marked, want := range map[string]bool{"/memory|": true, "/policies|": false, "/mem|": false, "/memory s|": false} {
		if r, _ := complete(s, marked); r.IsComplete != want {
			t.Errorf("%q: %s", marked, describe(r))
		}
	}
}

func TestArity(t *testing.T) {
	t.Parallel()
	for syntax, want := range map[string][2]int{
		"": {0, 0}, "<name>": {1, 1}, "[what to keep]": {0, 3}, "<name> [file]": {1, 2}, "KEY VALUE": {2, 2}, "<path or host>": {1, 1}, "<a> [<b or c> <d>]": {1, 3}, "[a [b]] <c>": {1, 3}, "--a=... [text]": {1, 1 << 30},
	} {
		least, most := arity(syntax)
		if least != want[0] || min(most, 1<<30) != want[1] {
			t.Errorf("%q: %d, %d", syntax, least, most)
		}
	}
}
