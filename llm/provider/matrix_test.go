package provider

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pollux/llm/anthropic"
	"pollux/llm/catalog"
	"pollux/llm/openai"
)

var update = flag.Bool("update", false, "rewrite the matrix in docs/models.md")

// TestMatrix holds the table in docs/models.md to the profiles; -update writes it.
func TestMatrix(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/models.md", "<!-- matrix of providers -->\n", "<!-- end of matrix -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/models.md has no place for the matrix")
	}
	want := matrix()
	switch {
	case shown == want:
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the matrix in docs/models.md is not that of the profiles: run make update")
	}
}

func matrix() string {
	var b strings.Builder
	b.WriteString("| Provider | Set up by | Speaks | Default model, small model | Thoughts are asked for | Thoughts go back | Models known here |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- |\n")
	for p := range Builtin().All() {
		name := "`" + p.ID + "`"
		for _, alias := range p.Aliases {
			name += ", `" + alias + "`"
		}
		vars := append(slices.Clone(p.KeyVars), p.TokenVars...)
		vars = append(vars, p.BaseURLVars...)
		by := code(vars)
		if p.OnlyNamed {
			by += " (must be named)"
		}
		if p.Local != nil {
			by = strings.TrimPrefix(by+fmt.Sprintf(", or found on port %d", p.Local.Port), ", ")
		}
		models := "`" + p.Model + "`, `" + p.SmallModel + "`"
		switch {
		case p.Local != nil:
			models = "the first that is loaded"
		case p.Model == "":
			models = "as for Gemini CLI"
		}
		asked, back := thoughts(p)
		known := 0
		for range catalog.Models(p.ID) {
			known++
		}
		fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %s | %s | %d |\n", p.Name, name, by, speaks(p), models, asked, back, known)
	}
	return b.String()
}

func code(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	return strings.Join(quoted, ", ")
}

func speaks(p *Profile) string {
	words := map[Protocol]string{
		Chat: "Chat Completions", Responses: "Responses", Anthropic: "Messages", AnthropicVertex: "Messages on Vertex",
		Bedrock: "Messages on Bedrock", Gemini: "Gemini", Vertex: "Vertex", Ollama: "Ollama's own",
	}
	list := []string{words[p.Protocol]}
	for _, r := range p.Models {
		if r.Protocol != "" && !slices.Contains(list, words[r.Protocol]) {
			list = append(list, words[r.Protocol])
		}
	}
	return strings.Join(list, ", ")
}

// thoughts describes how requests make a provider's models think, and when requests
// repeat the thoughts.
func thoughts(p *Profile) (asked, back string) {
	switch p.Protocol {
	case Gemini, Vertex:
		return "`thinkingConfig`", "signatures"
	case Anthropic, AnthropicVertex, Bedrock:
		return "`thinking`", "signed, in tool loops"
	case Ollama:
		return "`think`", "in tool loops"
	}
	q, err := decodeQuirks[openai.Quirks](p, nil)
	if err != nil {
		return "?", "?"
	}
	asked = map[openai.ThinkingStyle]string{
		openai.ThinkingEffort: "`reasoning_effort`", openai.ThinkingEnable: "`enable_thinking`", openai.ThinkingType: "`thinking`",
		openai.ThinkingObject: "`reasoning`", openai.ThinkingTemplate: "`chat_template_kwargs`", openai.ThinkingNone: "-",
	}[q.Thinking]
	back = "no"
	switch {
	case q.ReasoningOut != "" && q.ReasoningKeep:
		back = "`" + q.ReasoningOut + "`, always"
	case q.ReasoningOut != "":
		back = "`" + q.ReasoningOut + "`, in tool loops"
	case slices.ContainsFunc(p.Models, func(r Rule) bool { return r.Protocol == Responses }):
		back = "encrypted (Responses)"
	}
	return asked, back
}

// TestMembers checks that docs/models.md names all members of a user's entry.
func TestMembers(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "### Your own\n")
	section, _, _ = strings.Cut(section, "\n### ")
	for _, of := range []any{Profile{}, Rule{}, Local{}, openai.Quirks{}, anthropic.Quirks{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(section, "`"+name+"`") && name != "match" {
				t.Errorf("%s: nothing is said of %s", kind, name)
			}
		}
	}
}
