package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInvalidValues(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"general": {"vimMode": true}, "model": {"maxSessionTurns": 7}, "ui": {"theme": "Dark"}, "output": {"format": "json"}}`)
	p.workspace(t, `{
		"general": {"vimMode": "yes"},
		"model": {"maxSessionTurns": [1]},
		"output": {"format": "xml"},
		"ui": {"theme": 5},
		"tools": {"exclude": ["ok", 5]},
		"security": "high",
		"advanced": {"bugCommand": {"urlTemplate": "u", "bogus": 1}}
	}`)
	s, warnings := p.mustLoad(t)
	want := `Invalid configuration in ` + p.paths().WorkspaceSettings() + `:

Error in: advanced.bugCommand
    Unrecognized key(s) in object: 'bogus'

Error in: general.vimMode
    Expected boolean, received string

Error in: model.maxSessionTurns
    Expected number, received array

Error in: output.format
    Invalid enum value. Expected 'text' | 'json' | 'stream-json', received 'xml'

Error in: security
    Expected object, received string

...and 2 more errors.
Please fix the configuration.
Run 'pollux config explain KEY' for the values that a setting accepts.
--
`
	if diff := cmp.Diff(want, joined(warnings)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	// Each bad value alone falls back to the layer below, and of a list that restricts the others count.
	if v, _ := s.Lookup("general.vimMode"); v != true {
		t.Errorf("vimMode is %v", v)
	}
	if MaxSessionTurns.In(s) != 7 || OutputFormat.In(s) != "json" || !cmp.Equal(ToolsExclude.In(s), []string{"ok"}) {
		t.Errorf("got %d, %q, %v", MaxSessionTurns.In(s), OutputFormat.In(s), ToolsExclude.In(s))
	}
	if v, _ := s.Lookup("advanced.bugCommand"); !cmp.Equal(v, map[string]any{"urlTemplate": "u"}) {
		t.Errorf("bugCommand is %v", v)
	}
}

func TestCoercion(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "TURNS=12", "YES=true")
	p.user(t, `{"general": {"disableUpdateNag": "$YES"}, "model": {"maxSessionTurns": "$TURNS", "disableLoopDetection": "false"},
		"advanced": {"ignoreLocalEnv": "TRUE", "excludedEnvVars": "ONE"},
		"context": {"fileName": "A.md"}, "telemetry": "TRUE", "output": {"format": "stream-json"}}`)
	s, warnings := p.mustLoad(t)
	if MaxSessionTurns.In(s) != 12 || !IgnoreLocalEnv.In(s) || OutputFormat.In(s) != "stream-json" {
		t.Errorf("got %d, %v, %q", MaxSessionTurns.In(s), IgnoreLocalEnv.In(s), OutputFormat.In(s))
	}
	if v, _ := s.Lookup("general.enableAutoUpdateNotification"); v != false {
		t.Errorf("a variable under an old name is %v", v)
	}
	if got := ExcludedEnvVars.In(s); !cmp.Equal(got, []string{"DEBUG", "DEBUG_MODE", "ONE"}) {
		t.Errorf("a single value is not wrapped: %v", got)
	}
	if got := Strings("context.fileName").In(s); !cmp.Equal(got, []string{"A.md"}) {
		t.Errorf("fileName is %v", got)
	}
	var telemetry struct{ Enabled bool }
	if err := Object("telemetry").Decode(s, &telemetry); err != nil || !telemetry.Enabled {
		t.Errorf("telemetry: true is %v, %v", telemetry, err)
	}
	if got := joined(warnings); strings.Contains(got, "Invalid") {
		t.Errorf("warnings: %s", got)
	}
}

func TestCoerceNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"5": true, " -2.5 ": true, "": false, "NaN": false, "Infinity": false, "five": false, "1e400": false} {
		if _, ok := Coerce("number", text); ok != want {
			t.Errorf("%q is a number: %v, want %v", text, ok, want)
		}
	}
	s := &Settings{tree: map[string]any{"model": map[string]any{"maxSessionTurns": 1e300}}}
	if got := MaxSessionTurns.In(s); got <= 0 {
		t.Errorf("a huge number becomes %d", got)
	}
}

func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"general": {"vimmode": true}, "modle": {"name": "x"}, "ui": {"maxSessionTurns": 3, "qqqqqqqqqq": 1},
		"$schema": "s", "mcpServers": {"x": {"command": "c"}}, "hooks": {"Mine": []}}`)
	_, warnings := p.mustLoad(t)
	got := joined(warnings)
	for _, want := range []string{
		`Unknown setting "general.vimmode" in ` + p.paths().UserSettings() + ` is ignored. Did you mean "general.vimMode"?`,
		`Unknown setting "ui.maxSessionTurns" in ` + p.paths().UserSettings() + ` is ignored. Did you mean "model.maxSessionTurns"?`,
		`Unknown setting "ui.qqqqqqqqqq" in ` + p.paths().UserSettings() + " is ignored.\n",
		`Unknown setting "modle" in ` + p.paths().UserSettings() + ` is ignored. Did you mean "model"?`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "schema") || strings.Contains(got, "Mine") {
		t.Errorf("known keys are called unknown:\n%s", got)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `"k%d\u001b[31m": 1, `, i)
	}
	p.user(t, `{`+b.String()+`"output": {"format": "`+strings.Repeat("é\\u0007", 5000)+`"}}`)
	_, warnings := p.mustLoad(t)
	got := joined(warnings)
	if len(got) > 4000 || strings.ContainsAny(got, "\x1b\a") {
		t.Errorf("%d bytes of warnings: %.300q", len(got), got)
	}
	if !strings.Contains(got, "...and 9995 more unknown settings.") {
		t.Errorf("the rest is not counted: %s", got)
	}
}

func TestStrictObjects(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"mcpServers": {"a": {"command": "c", "bogus": 1}, "b": "text", "c": {"url": "u"}, "__proto__": {"command": "c"}}}`)
	s, warnings := p.mustLoad(t)
	got := joined(warnings)
	if !strings.Contains(got, "Error in: mcpServers.a\n    Unrecognized key(s) in object: 'bogus'\n") ||
		!strings.Contains(got, "Error in: mcpServers.b\n    Expected object, received string\n    Pollux ignores this entry only.\n") ||
		!strings.Contains(got, "Error in: mcpServers.__proto__\n    The name is reserved. Rename the entry\n    Pollux ignores this entry only.\n") ||
		strings.Count(got, "Pollux ignores") != 2 {
		t.Errorf("warnings: %s", got)
	}
	v, _ := s.Lookup("mcpServers")
	want := map[string]any{"a": map[string]any{"command": "c"}, "c": map[string]any{"url": "u"}}
	if !cmp.Equal(v, want) {
		t.Errorf("mcpServers is %v", v)
	}
}

func TestMissingFeatures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		settings string
		names    string // "" for none
	}{
		{`{}`, ""},
		{`{"mcpServers": {"a": {"command": "c"}}, "hooks": {"BeforeTool": []}}`, ""},
		{`{"hooks": {}, "mcpServers": {}}`, ""},
		{`{"skills": {"enabled": false}, "hooksConfig": {"enabled": false}, "experimental": {"enableAgents": false}}`, ""},
		{`{"model": {"skipNextSpeakerCheck": false}}`, ""},
		{`{"model": {"skipNextSpeakerCheck": true, "compressionThreshold": 0.7}}`, ""},
		{`{"ui": {"theme": "x"}, "privacy": {"usageStatisticsEnabled": false}}`, ""},
		{`{"telemetry": {"enabled": false, "target": "local"}}`, ""},
		{`{"telemetry": true}`, ""},
		{`{"agents": {"browser": {"blockFileUploads": false}}}`, ""},
		{`{"agents": {"browser": {"blockFileUploads": true}}}`, "agents.browser.blockFileUploads"},
		{`{"ideMode": true, "checkpointing": {"enabled": true}, "excludeMCPServers": ["a"], "theme": "x"}`, ""},
		{`{"experimental": {"codebaseInvestigatorSettings": {"enabled": true, "maxNumTurns": 5, "thinkingBudget": 100}}}`, ""},
	} {
		p := newPlace(t)
		p.user(t, tt.settings)
		s, warnings := p.mustLoad(t)
		if got := strings.Join(s.Ineffective(Later), ", "); got != tt.names || len(warnings) > 0 {
			t.Errorf("%s: keys without effect are %q, want %q; warnings: %s", tt.settings, got, tt.names, joined(warnings))
		}
	}
}

// TestScreenKeys checks that only keys that want something of the screen are without effect in a
// face that has none.
func TestScreenKeys(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		`{"theme": "x", "hooks": {"BeforeTool": []}, "experimental": {"voiceMode": true}}`:      "experimental.voiceMode",
		`{"ui": {"hideBanner": true, "hideTips": false, "footer": {"hideCWD": true}}}`:          "",
		`{"ui": {"footer": {"hideContextPercentage": false}, "useAlternateBuffer": true}}`:      "",
		`{"ui": {"showMemoryUsage": true}, "general": {"enableAutoUpdateNotification": false}}`: "",
	} {
		p := newPlace(t)
		p.user(t, settings)
		s, _ := p.mustLoad(t)
		if got := strings.Join(s.Ineffective(Later, Screen), ", "); got != want {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
}

func TestDeprecations(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"tools": {"allowed": ["x"], "exclude": ["y"]}}`)
	s, warnings := p.mustLoad(t)
	want := []Warning{
		"tools.allowed is deprecated. Write policy rules instead: see /docs policies.",
		"tools.exclude is deprecated. Write policy rules instead: see /docs policies.",
	}
	if diff := cmp.Diff(want, s.Notices()); diff != "" || len(warnings) > 0 {
		t.Error(diff, warnings)
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	set := &Settings{tree: map[string]any{"model": map[string]any{"name": "setting"}}}
	unset := &Settings{}
	for _, tt := range []struct {
		flag, env string
		s         *Settings
		want      string
	}{
		{" flag ", "env", set, "flag"},
		{"", "env", set, "env"},
		{"", "", set, "setting"},
		{"", " ", unset, "auto"},
	} {
		if got := Model(tt.flag, NewFolderEnv(NewEnv(), "GEMINI_MODEL="+tt.env), tt.s); got != tt.want {
			t.Errorf("Model(%q, %q) = %q, want %q", tt.flag, tt.env, got, tt.want)
		}
	}
}

// FuzzFile reads any bytes as a settings file. If they are one, every key has a value of its
// type, and the kept values read back the same without warnings.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"model": {"name": "x", "maxSessionTurns": "5"},}`, "\uFEFF// c\n{\"theme\": \"VS\", \"model\": \"m\"}",
		`{"hooks": {"A": [1]}, "mcpServers": {"x": null}, "tools": {"exclude": "a"}}`, `{"ui": 5, "vimMode": 1}`,
		`{"general": {"disableAutoUpdate": "x"}, "experimental": {"plan": []}, "__proto__": {}}`, `[[[[`, `{"a": "$A${B:-c}"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := ParseObject(data)
		if err != nil {
			if tree != nil {
				t.Fatal("an error and a tree")
			}
			return
		}
		e := Expander{lookup: NewEnv("A=1").Lookup, budget: 1000}
		migrate(tree, User)
		e.settings(tree)
		check(tree, "f")
		if again, _ := check(tree, "f"); strings.Contains(joined(again), "Invalid") {
			t.Fatalf("the checked settings are not valid: %s", joined(again))
		}
		s := &Settings{}
		s.layers[User], s.layers[Workspace] = tree, tree
		s.merge()
		for i := range table {
			key := &table[i]
			v, ok := s.Lookup(key.Path)
			if !ok {
				continue
			}
			var c checker
			if _, ok := c.value(key, key.Path, v); !ok {
				t.Fatalf("%s is %v, which is no %s", key.Path, v, key.Type)
			}
		}
		s.Notices()
		s.Ineffective(Later, Screen)
	})
}

func joined(warnings []Warning) string {
	var b strings.Builder
	for _, w := range warnings {
		b.WriteString(string(w) + "\n--\n")
	}
	return b.String()
}
