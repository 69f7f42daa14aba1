package project_test

import (
	"testing"

	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestWhere checks the places of settings and variables.
func TestWhere(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t, "GEMINI_API_KEY=k")
	u.Write("~/.gemini/settings.json", `{"model": {"name": "a"}, "ui": {"theme": "x"}, "modelProviders": {"mine": {"baseUrl": "http://h"}}}`)
	u.Write(".gemini/settings.json", `{"model": {"name": "b"}}`)
	u.Write(".env", "DATABASE_URL=x\n")
	p := u.Open(trusted, flag("general.preferredEditor", "vim"))
	for what, want := range map[string][2]string{
		"GEMINI_API_KEY":              {"GEMINI_API_KEY", "GEMINI_API_KEY"},
		"DATABASE_URL":                {"DATABASE_URL in " + u.Path(".env"), ""},
		"general.preferredEditor":     {"general.preferredEditor in the command line", ""},
		"model.name":                  {"model.name in " + u.Path(".gemini/settings.json"), ""},
		"ui.theme":                    {"ui.theme in " + u.Path("~/.gemini/settings.json"), "ui.theme in ~/.gemini/settings.json"},
		"modelProviders.mine.baseUrl": {"modelProviders.mine.baseUrl in " + u.Path("~/.gemini/settings.json"), "modelProviders.mine.baseUrl in ~/.gemini/settings.json"},
		"model.maxSessionTurns":       {"model.maxSessionTurns", "model.maxSessionTurns"},
		u.Path("~/notes"):             {u.Path("~/notes"), "~/notes"},
	} {
		if want[1] == "" {
			want[1] = want[0]
		}
		if got := [2]string{p.Where(what), p.DescribeSource(what)}; got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

// TestNamedBy checks where the model is named.
func TestNamedBy(t *testing.T) {
	t.Parallel()
	const setting = `{"model": {"name": "of-settings"}}`
	for _, tt := range []struct {
		settings, env, flag string
		model, by           string
		isSetting           bool
	}{
		{"{}", "", "", "", "", false},
		{setting, "", "", "of-settings", "model.name in ", true},
		{setting, "GEMINI_MODEL=of-env", "", "of-env", "GEMINI_MODEL", false},
		{setting, "GEMINI_MODEL= ", "", "of-settings", "model.name in ", true},
		{setting, "GEMINI_MODEL=of-env", "of-flag", "of-flag", "--model", false},
		{setting, "", " ", "of-settings", "model.name in ", true},
	} {
		u := projecttest.NewUser(t, tt.env)
		file := u.Write("~/.gemini/settings.json", tt.settings)
		p := u.Open(trusted, func(o *project.Options) { o.Model = tt.flag })
		by := tt.by
		if tt.isSetting {
			by += file
		}
		if p.NamedBy() != by || p.IsModelSetting() != tt.isSetting || p.Named != (tt.by != "") || p.Named && p.Model != tt.model {
			t.Errorf("%+v: %s named by %q, a setting: %v", tt, p.Model, p.NamedBy(), p.IsModelSetting())
		}
	}
}
