package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Every key, and every field of its values, has the class of its effect in a project.
func TestEveryKeyHasAClass(t *testing.T) {
	t.Parallel()
	for i := range table {
		key := &table[i]
		checkEffect(t, key.Path, key.Effect)
		if key.Effect == nil {
			continue
		}
		kind, _, _ := strings.Cut(key.Type, " ")
		e := key.Effect
		if isSwitch := e == onlyOn || e == onlyOff || e == onlyTrue; isSwitch && kind != "bool" {
			t.Errorf("%s is no switch: its guard lets all values pass", key.Path)
		}
		switch {
		case e == free || e == unread || e == themes || e == never:
			continue
		case kind == "map":
			e = e.Each
			fallthrough
		case kind == "record":
			var names []string
			for _, f := range e.Fields {
				names = append(names, strings.Fields(f.Names)...)
			}
			want := key.memberNames()
			slices.Sort(names)
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("%s has the fields %v, and classes for %v", key.Path, want, names)
			}
		}
		if strings.HasPrefix(key.Path, "security.") && e.Guard == nil && !e.Class.IsAsked() {
			t.Errorf("a project may loosen %s", key.Path)
		}
	}
}

// checkEffect checks that an effect and its parts have classes, and that the classes of the parts are among
// those of the whole, from which the documentation is made.
func checkEffect(t *testing.T, path string, e *Effect) {
	t.Helper()
	if e == nil || e.Class == 0 {
		t.Errorf("%s has no class: does it act, loosen, tighten or describe?", path)
		return
	}
	if (e.Part == Items || e.Part == Members) != (e.Each != nil) && e.Part != Hooks {
		t.Errorf("%s: its parts have no effect of their own", path)
	}
	parts := e.Fields
	if e.Each != nil {
		parts = append(slices.Clone(parts), Field{"*", e.Each})
	}
	for _, f := range parts {
		checkEffect(t, path+"."+f.Names, f.Effect)
		if more := f.Effect.Class &^ e.Class &^ Describes; more != 0 {
			t.Errorf("%s.%s: %v, which %s does not say", path, f.Names, more, path)
		}
	}
	if e.Guard != nil && e.Class != Tightens {
		t.Errorf("%s: a setting with a guard can only tighten", path)
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, below, v string
		want           Class
	}{
		{"ui.theme", `null`, `"dark"`, Describes},
		{"model.name", `null`, `"gpt-4.1"`, Acts},
		{"model.name", `"gpt-4.1"`, `"gpt-4.1"`, Describes}, // changes nothing
		{"tools.discoveryCommand", `null`, `"./list"`, Acts},
		{"tools.exclude", `null`, `["glob"]`, Tightens},
		{"general.defaultApprovalMode", `null`, `"auto_edit"`, Loosens},
		{"general.defaultApprovalMode", `null`, `"plan"`, Tightens},
		{"general.defaultApprovalMode", `"plan"`, `"default"`, Loosens},
		{"general.defaultApprovalMode", `null`, `"yolo"`, Loosens},
		{"general.plan.enabled", `true`, `false`, Loosens},
		{"general.plan.enabled", `false`, `true`, Tightens},
		{"context.fileFiltering.respectGitIgnore", `true`, `false`, Loosens},
		{"context.fileFiltering.respectGitIgnore", `false`, `true`, Tightens},
		{"experimental.directWebFetch", `false`, `true`, Loosens},
		{"experimental.directWebFetch", `true`, `false`, Tightens},
		{"model.maxSessionTurns", `-1`, `5`, Tightens},
		{"model.maxSessionTurns", `5`, `6`, Loosens},
		{"model.maxSessionTurns", `5`, `-1`, Loosens},
		{"model.maxSessionTurns", `5`, `3`, Tightens},
		{"pollux.toolCalling", `"auto"`, `"text"`, Loosens},
		{"pollux.toolCalling", `"auto"`, `"native"`, Describes},
		{"pollux.mcpSampling", `"deny"`, `"ask"`, Loosens},
		{"skills.enabled", `true`, `false`, Loosens},
		{"skills.enabled", `false`, `true`, Loosens},
		{"hooksConfig.enabled", `true`, `false`, Loosens},
		{"hooksConfig.enabled", `false`, `true`, Acts},
		{"agents.overrides.*.tools", `null`, `["*"]`, Loosens | Tightens},
		{"agents.overrides.*.tools", `null`, `[]`, Tightens},
		{"agents.overrides.*.tools", `["glob", "ls"]`, `["ls"]`, Tightens},
		{"agents.overrides.*.tools", `["glob"]`, `["glob", "write_file"]`, Loosens | Tightens},
		{"agents.overrides.*.tools", `["glob"]`, `5`, Loosens | Tightens},
		{"agents.overrides.*.enabled", `null`, `true`, Loosens},
		{"agents.overrides.*.enabled", `null`, `false`, Tightens},
		{"agents.overrides.*.enabled", `false`, `"no"`, Loosens},
		{"agents.overrides.*.runConfig.maxTurns", `null`, `31`, Loosens},
		{"agents.overrides.*.runConfig.maxTurns", `null`, `3`, Tightens},
		{"agents.overrides.*.runConfig.maxTurns", `3`, `5`, Loosens},
		{"agents.overrides.*.runConfig.maxTurns", `3`, `"x"`, Loosens},
		{"agents.overrides.*.modelConfig", `null`, `{"model": "x"}`, Acts},
		{"mcpServers.*", `null`, `{"command": "x"}`, Acts | Describes},
		{"mcpServers.*", `null`, `{"url": "x", "trust": true, "excludeTools": ["a"]}`, Acts | Loosens | Tightens | Describes},
		{"mcpServers.*", `null`, `{"trust": true}`, Loosens | Describes},
		{"mcpServers.*", `null`, `{"trust": false, "excludeTools": ["a"]}`, Tightens | Describes},
		{"mcpServers.*", `null`, `{"description": "x", "future": 1}`, Describes},
		{"mcpServers.*", `null`, `5`, Describes},
	} {
		path, rest, _ := strings.Cut(tt.path, ".*")
		key, ok := KeyOf(path)
		if !ok {
			t.Fatal(tt.path)
		}
		e := key.Effect
		if path != tt.path {
			e = e.Each
		}
		for _, name := range strings.FieldsFunc(rest, func(r rune) bool { return r == '.' }) {
			e = e.Field(name)
		}
		if got := e.Classify(parsed(t, tt.below), parsed(t, tt.v)); got != tt.want {
			t.Errorf("%s: %s over %s: %v, want %v", tt.path, tt.v, tt.below, got, tt.want)
		}
	}
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
