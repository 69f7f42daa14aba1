package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryKindHasAClass checks that each kind of thing that a project brings has a class.
func TestEveryKindHasAClass(t *testing.T) {
	t.Parallel()
	for _, k := range ProjectKinds() {
		if k.Class == 0 || k.Untrusted == "" || k.Unseen == "" || k.Seen == "" {
			t.Errorf("%s has no class, or no description of its effects", k.Name)
		}
		for _, f := range k.Fields {
			checkEffect(t, k.Name+": "+f.Names, f.Effect)
		}
	}
}

// TestSchemas compares the keys that the readers of a project's files know with those that have a class.
func TestSchemas(t *testing.T) {
	t.Parallel()
	tag := `json:"(\w+)[",]`
	for _, tt := range []struct {
		name    string
		fields  []Field
		file    string
		from    string // the part of the file that counts, up to the next line "}"
		pattern string
		more    []string // keys that the pattern does not find
		not     []string // matches of the pattern that are no keys
	}{
		{"agents, local", kindOf(t, ".gemini/agents/*.md").Fields, "../subagent/parse.go", "func (f *fields) local(", `"(\w+)"[,:]`, []string{"agent_card_url", "agent_card_json", "auth"}, []string{"inherit", "query"}},
		{"agents, remote", kindOf(t, ".gemini/agents/*.md").Fields, "../subagent/parse.go", "func (f *fields) remote(", `case .*"(\w+)":`, []string{"name", "description", "display_name", "tools", "mcp_servers", "mcpServers", "model", "temperature", "max_turns", "timeout_mins"}, nil},
		{"MCP servers", serverEntry.Fields, "../mcp/config.go", "type Config struct", tag, []string{"tcp", "extension"}, nil},
		{"hooks", hookFields, "../guard/hook/config.go ../guard/hook/claudeconfig.go", "", tag, nil, nil},
		{"commands", kindOf(t, ".gemini/commands/*.toml").Fields, "../command/load.go", "", `found\["(\w+)"\]`, nil, nil},
		{"skills", kindOf(t, ".gemini/skills, .agents/skills, .claude/skills").Fields, "../skill/frontmatter.go", "", `key == "([\w-]+)"`, nil, nil},
		{"extensions", extensionFields, "../extension/manifest.go", "", `(?:f\.text|f\.object|f\.texts|tree)[\[(]"(\w+)"`, []string{"settings", "contextFileName"}, nil},
		{"servers of other agents", otherServerFields, "otherservers.go", "", `"(\w+)"`, []string{}, []string{"errors", "fmt", "maps", "slices", "strings", "http", "sse", "stdio", "excludeTools", "headersHelper"}},
		{"overrides of agents", overrides.Each.Fields, "../subagent/override.go", "type Override struct", `^\t[^\t].*` + tag, nil, nil},
	} {
		text := ""
		for file := range strings.FieldsSeq(tt.file) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text += string(data)
		}
		if tt.from != "" {
			_, after, ok := strings.Cut(text, tt.from)
			if !ok {
				t.Fatalf("%s has no %q any more: which keys does it read?", tt.file, tt.from)
			}
			text, _, _ = strings.Cut(after, "\n}")
		}
		found := slices.Clone(tt.more)
		for _, m := range regexp.MustCompile("(?m)"+tt.pattern).FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		slices.Sort(found)
		found = slices.Compact(found)
		var classified []string
		for _, f := range tt.fields {
			classified = append(classified, strings.Fields(f.Names)...)
		}
		for _, key := range found {
			if !slices.Contains(classified, key) && !slices.Contains(tt.not, key) {
				t.Errorf("%s: the key %q of %s has no class: does it act, loosen, tighten or describe?", tt.name, key, tt.file)
			}
		}
		for _, key := range classified {
			if !slices.Contains(found, key) {
				t.Errorf("%s: %s does not read %q", tt.name, tt.file, key)
			}
		}
	}
}

func kindOf(t *testing.T, name string) Kind {
	t.Helper()
	for _, k := range ProjectKinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatal(name)
	return Kind{}
}

// TestSecurityPage compares the table in docs/security.md with the classes; -update writes it.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	const page, begin, end = "../../docs/security.md", "<!-- project, from internal/config -->\n\n", "\n<!-- end of project -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	}
	switch want := before + begin + projectTable() + end + after; {
	case want == string(text):
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not have the table of a project's effects: run make update", page)
	}
}

// projectTable is the table of a project's possible effects.
func projectTable() string {
	var b strings.Builder
	b.WriteString("| What a project brings | Class | Untrusted | Trusted, not seen | Trusted and seen |\n| --- | --- | --- | --- | --- |\n")
	for _, k := range ProjectKinds() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", k.Name, k.Class, k.Untrusted, k.Unseen, k.Seen)
	}
	for _, group := range []struct {
		name    string
		is      func(*Effect) bool
		columns [3]string
	}{
		{"settings that act or loosen", func(e *Effect) bool { return e.Class.IsAsked() && e.Class&Tightens == 0 }, [3]string{none, askedThen, "they count"}},
		{"settings that do either, by their values", func(e *Effect) bool { return e.Class.IsAsked() && e.Class&Tightens != 0 }, [3]string{none, "what tightens holds; for the rest, a session asks first, and a script leaves it out, or ends with exit code 55 where it also tightens", "they count"}},
		{"settings that only tighten", func(e *Effect) bool { return e.Class == Tightens }, [3]string{none, "they hold; values that loosen yours are ignored with a warning", same}},
		{"other settings", func(e *Effect) bool { return e.Class == Describes }, [3]string{none, "they count", same}},
	} {
		var keys []string
		n := 0
		for i := range table {
			if table[i].Support != Live || !group.is(table[i].Effect) {
				continue
			}
			if n++; table[i].Effect.Class != Describes {
				keys = append(keys, "`"+table[i].Path+"`")
			}
		}
		name := fmt.Sprintf("%s (%d)", group.name, n)
		if len(keys) > 0 {
			name = group.name + ": " + strings.Join(keys, ", ")
		}
		class := map[bool]string{true: "describes", false: "by value"}[len(keys) == 0]
		if group.name == "settings that only tighten" {
			class = "tightens"
		} else if group.name == "settings that act or loosen" {
			class = "acts, loosens"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, class, group.columns[0], group.columns[1], group.columns[2])
	}
	return b.String()
}
