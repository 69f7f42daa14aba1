package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "write schemas/settings.schema.json, docs/settings.md and docs/environment.md again")

// TestGenerated compares the files generated from the table with the committed ones.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][]byte{
		"../../schemas/settings.schema.json": encodeJSON(settingsSchema(), "", "  "),
		"../../docs/settings.md":             []byte(settingsPage()),
		"../../docs/environment.md":          []byte(environmentPage()),
	} {
		want = append(bytes.TrimSpace(want), '\n')
		got, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(got, want):
		case *update:
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s differs from the table; run make update: %v\n%s", path, err, cmp.Diff(string(got), string(want)))
		}
	}
}

// schema is a JSON schema, draft 2020-12, with its fields in the order in which
// people read them.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Deprecated  bool               `json:"deprecated,omitempty"`
	Type        any                `json:"type,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Maximum     *float64           `json:"maximum,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
	Default     any                `json:"default,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	More        any                `json:"additionalProperties,omitempty"`
}

func settingsSchema() *schema {
	root := &schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", Title: "Settings of Pollux",
		Type: "object", Properties: map[string]*schema{}, More: false,
	}
	for i := range table {
		root.place(strings.Split(table[i].Path, "."), ofKey(&table[i]))
	}
	for _, moves := range [][]move{flat[:], renamed[:]} {
		for _, m := range moves {
			now := "Has no effect any more."
			if to := strings.TrimPrefix(m.to, "!"); to != m.to {
				now = "The old name of " + to + ", which says the opposite."
			} else if to != "" {
				now = "The old name of " + to + "."
			}
			root.place(strings.Split(m.from, "."), &schema{Description: now, Deprecated: true})
		}
	}
	// Two names that were values once and are groups today.
	model := root.Properties["model"]
	root.Properties["model"] = &schema{AnyOf: []*schema{model, {Description: "The old form of model.name.", Deprecated: true, Type: "string"}}}
	telemetry := root.Properties["telemetry"]
	telemetry.Type, telemetry.Description = []string{"object", "boolean"}, telemetry.Description+" A boolean stands for enabled."
	return root
}

// place puts a schema where a path leads, making the groups on the way.
func (s *schema) place(path []string, at *schema) {
	if len(path) == 1 {
		s.Properties[path[0]] = at
		return
	}
	group := s.Properties[path[0]]
	if group == nil {
		group = &schema{Type: "object", Properties: map[string]*schema{}, More: false}
		s.Properties[path[0]] = group
	}
	group.place(path[1:], at)
}

// variables is the pattern of a text that may become something else: variables
// are put into all texts.
const variables = `\$`

// ofKey returns the schema of a key's values.
func ofKey(key *Key) *schema {
	s := &schema{Description: describe(key), Default: key.Default}
	kind, rest, _ := strings.Cut(key.Type, " ")
	switch kind {
	case "bool", "number":
		s.Type, s.Pattern = []string{TypeName(kind), "string"}, variables
		if least, most, ok := key.bounds(); ok {
			s.Minimum, s.Maximum = &least, &most
		}
	case "string", "object", "array":
		s.Type = kind
	case "strings":
		s.Type, s.Items = "array", &schema{Type: "string"}
		if key.Flags&(Union|Concat) != 0 {
			s.Type = []string{"array", "string"}
		}
	case "string|strings":
		s.Type, s.Items = []string{"string", "array"}, &schema{Type: "string"}
	case "enum":
		s.AnyOf = []*schema{{Enum: strings.Fields(rest)}, {Type: "string", Pattern: variables}}
	case "record":
		s.Type, s.Properties, s.More = "object", fields(key), false
	case "map":
		s.Type, s.More = "object", &schema{Type: "object", Properties: fields(key), More: false}
	case "any":
		var types []string
		for _, kind := range strings.Fields(rest) {
			types = append(types, TypeName(kind))
		}
		if types != nil {
			s.Type = types
		}
		if key.memberNames() != nil {
			s.Properties, s.More = fields(key), false
		}
	}
	return s
}

func fields(key *Key) map[string]*schema {
	all := map[string]*schema{}
	for _, name := range key.memberNames() {
		all[name] = &schema{}
	}
	return all
}

// describe describes a key, and its effects that are missing yet.
func describe(key *Key) string {
	return strings.TrimSpace(key.Doc + " " + key.Support.Explain())
}

// settingsPage is docs/settings.md.
func settingsPage() string {
	var b strings.Builder
	b.WriteString(`# Settings

<!-- Made from internal/config/keys.go by make update. -->

Settings are JSON files; comments are allowed. ` + "`pollux config`" + ` shows and changes them, and keeps your comments:

` + "```sh" + `
pollux config explain model.name          # the value in effect, and the file that sets it
pollux config set model.name auto
pollux config set tools.exclude '["web_fetch"]' --scope workspace
pollux config unset model.name
pollux config list --json
` + "```" + `

## Files

A higher layer overrides those below it:

| Layer | File |
| --- | --- |
| command line | options, and the variables for them |
| system | ` + "`/etc/gemini-cli/settings.json`, or `GEMINI_CLI_SYSTEM_SETTINGS_PATH`" + ` |
| workspace | ` + "`.gemini/settings.json`" + ` in the working directory, if the folder is trusted |
| user | ` + "`~/.gemini/settings.json`" + ` |
| system defaults | ` + "`system-defaults.json`" + ` beside the system file, or ` + "`GEMINI_CLI_SYSTEM_DEFAULTS_PATH`" + ` |

- Objects are merged key by key. Other values replace those below, except where the tables say otherwise.
- A project can only tighten what protects you. A value of workspace settings that would loosen it is ignored with a warning, see
  [policies](policies.md#settings-of-a-project).
- In texts, ` + "`$NAME`, `${NAME}` and `${NAME:-default}`" + ` stand for environment variables. They insert at
  most 1 MB into a file.
- A wrong value is ignored with a warning, and the layer below applies. A script ends with exit code 52 if the value would have
  restricted something, such as ` + "`tools.exclude`" + `, and so does every run with a file that is not valid JSON, or a link to nothing.
- The texts ` + "`\"true\"`" + ` and ` + "`\"false\"`" + ` stand for booleans, and a text stands for a list of one where lists are joined. In
  a list that restricts, texts count beside items of a wrong type, and in place of the list.
- A name that is no setting is ignored with a warning. If the closest setting restricts something, as ` + "`tools.exclude`" + ` does for
  ` + "`tools.Exclude`" + ` and ` + "`excludedTools`" + `, a script ends with exit code 52.
- If an object has a name twice, the last value counts; if a setting has its current and an old name, the one with the current name
  does. Then a warning says so, and a script ends with exit code 52 if the other value may restrict something.
- What a project's value does by itself stands behind the meaning: *acts* and *loosens* take effect after you have seen them,
  *tightens* always, see [security](security.md#what-was-seen). Other values of a project only describe, and a ` + "`null`" + ` of a
  project clears nothing.

Editors complete and check the file with [the schema](../schemas/settings.schema.json), if ` + "`$schema`" + ` names it:

` + "```json" + `
{
  "$schema": "https://example.com/pollux/settings.schema.json",
  "model": {"name": "auto", "maxSessionTurns": 50},
  "tools": {"exclude": ["web_fetch"]},
  "security": {"folderTrust": {"enabled": true}}
}
` + "```" + `

## Support

| Support | Meaning |
| --- | --- |
| *live* | works |
| *later* | no effect yet; a notice names the key if you set it |
| *screen* | about a part of the screen that is not available yet |
| *inert* | never has an effect; accepted so that existing files work |

Keys marked **R** are read at the start only.
`)
	group := ""
	for i := range table {
		key := &table[i]
		at, _, nested := strings.Cut(key.Path, ".")
		if !nested {
			at = "Without a group"
		}
		if at != group && (nested || group == "") {
			group = at
			fmt.Fprintf(&b, "\n## %s\n\n| Key | Type | Default | Meaning | Support |\n| --- | --- | --- | --- | --- |\n", group)
			if !nested {
				for i := range table {
					if !strings.Contains(table[i].Path, ".") {
						b.WriteString(row(&table[i]))
					}
				}
			}
		}
		if nested {
			b.WriteString(row(key))
		}
	}
	return b.String()
}

// row is a key's line in the page.
func row(key *Key) string {
	kind := key.DescribeType()
	if choices, ok := strings.CutPrefix(key.Type, "enum "); ok {
		kind = "`" + strings.Join(strings.Fields(choices), "` `") + "`"
	}
	standard := "unset"
	if key.Default != nil {
		standard = "`" + string(encodeJSON(key.Default, "", "")) + "`"
	}
	doc := strings.ReplaceAll(key.Doc, "|", `\|`)
	if names := key.memberNames(); names != nil && (key.Type == "record" || key.Type == "map") {
		doc += " Fields: `" + strings.Join(names, "` `") + "`."
	}
	if key.Flags&(Union|Concat|Shallow|Intersect) != 0 {
		doc += " Of several layers: " + key.DescribeMerge() + "."
	}
	if key.Effect.Class != Describes {
		doc += " *In a project: " + key.Effect.Class.String() + ".*"
	}
	if key.Flags&Restart != 0 {
		doc += " **R**"
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", key.Path, kind, standard, doc, key.Support)
}

// resolved is the committed schema, as an editor has it.
func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile("../../schemas/settings.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSchemaAgrees checks that the schema accepts the same values as the loader, for every key
// and all kinds of values.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	r := resolved(t)
	values := []any{
		true, 5.0, "text", "5", "true", "$NAME",
		[]any{},
		[]any{"a"},
		[]any{1.0},
		map[string]any{},
		map[string]any{"x": 1.0},
		map[string]any{"n": map[string]any{}},
		map[string]any{"n": map[string]any{"bogus": 1.0}},
		map[string]any{"n": 5.0},
	}
	for i := range table {
		key := &table[i]
		choices := values
		if names, ok := strings.CutPrefix(key.Type, "enum "); ok {
			choices = append(choices[:len(choices):len(choices)], strings.Fields(names)[0])
		}
		for _, v := range choices {
			var c checker
			tree, err := ParseObject(encodeJSON(nest(map[string]any{key.Path: v}), "", "")) // a copy
			if err != nil {
				t.Fatal(err)
			}
			c.group("", tree)
			after, _ := at(tree, key.Path)
			_, isText := v.(string)
			coerced := isText && len(c.issues) == 0 && fmt.Sprintf("%T", after) != "string" && fmt.Sprintf("%T", after) != "[]interface {}"
			loads := len(c.issues) == 0 && !coerced || v == "$NAME" && len(c.unknown) == 0 && isScalar(key)
			if key.Path == "telemetry" && v == true {
				loads = true // migrated before it is checked
			}
			if err := r.Validate(nest(map[string]any{key.Path: v})); (err == nil) != loads {
				t.Errorf("%s: %v: loads %v, schema says %v", key.Path, v, loads, err)
			}
		}
	}
}

// isScalar reports whether a variable can become a value of a key.
func isScalar(key *Key) bool {
	kind, _, _ := strings.Cut(key.Type, " ")
	return kind == "bool" || kind == "number" || kind == "string" || kind == "enum"
}

func TestSchemaFiles(t *testing.T) {
	t.Parallel()
	r := resolved(t)
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{`{}`, true},
		{`{"$schema": "x", "model": {"name": "a"}, "mcpServers": {"git": {"command": "git", "args": [], "env": {"A": "$A"}}}}`, true},
		{`{"hooks": {"BeforeTool": [{"matcher": "x"}]}, "telemetry": true, "tools": {"sandbox": {"enabled": true}}}`, true},
		{`{"theme": "a", "model": "m", "vimMode": true, "tools": {"approvalMode": "plan"}}`, true}, // old names
		{`[]`, false},
		{`{"modle": {}}`, false},
		{`{"model": {"nmae": "a"}}`, false},
		{`{"model": 5}`, false},
		{`{"ui": "dark"}`, false},
		{`{"general": {"vimMode": "yes"}}`, false},
		{`{"mcpServers": {"git": {"comand": "x"}}}`, false},
		{`{"output": {"format": "xml"}}`, false},
	} {
		var v any
		if err := json.Unmarshal([]byte(test.text), &v); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.text, err)
		}
	}
}

// TestExamples: the settings in the documents are settings.
func TestExamples(t *testing.T) {
	t.Parallel()
	r := resolved(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?s)```jsonc?\n(.*?)```")
	found := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fence.FindAllSubmatch(text, -1) {
			tree, err := ParseObject(m[1])
			if err != nil || !isSettings(tree) {
				continue
			}
			found++
			if err := r.Validate(tree); err != nil {
				t.Errorf("%s: %s\n%v", page, m[1], err)
			}
			var c checker
			c.group("", tree)
			if len(c.issues)+len(c.unknown) > 0 {
				t.Errorf("%s: %s\n%v %v", page, m[1], c.issues, c.unknown)
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d examples found", found)
	}
}

// isSettings distinguishes examples of settings from output of runs and manifests of extensions.
func isSettings(tree map[string]any) bool {
	if _, ok := tree["version"]; ok {
		return false
	}
	for name := range tree {
		if _, ok := KeyOf(name); (ok || IsGroup(name)) && name != "type" {
			return true
		}
	}
	return false
}
