package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/manage"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/slash"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/llm"
)

var update = flag.Bool("update", false, "write docs/compatibility.md again")

// docs/compatibility.md lists all features of Gemini CLI with their state in Pollux.
// The test asks the program itself which features there are; the improvements are in
// the table of compatible_test.go, and each row of that links to the page that has the
// details.
func TestCompatibility(t *testing.T) {
	t.Parallel()
	const path = "../../docs/compatibility.md"
	p := &comparison{t: t, count: map[standing]int{}, unused: maps.Clone(better)}
	want := p.page()
	for name := range p.unused {
		t.Errorf("%s is said to be better, and is not there", name)
	}
	got, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(got, want):
	case *update:
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the program says; run make update: %v\n%s", path, err, gocmp.Diff(string(got), string(want)))
	}
}

// standing is the state of a feature of Gemini CLI in Pollux.
type standing string

const (
	same   standing = "same"
	finer  standing = "better"
	notYet standing = "not yet"
	idle   standing = "no effect"
)

// comparison writes the page.
type comparison struct {
	t      *testing.T
	body   strings.Builder
	count  map[standing]int
	unused map[string]string
}

func (p *comparison) page() []byte {
	p.flags()
	p.subcommands()
	p.slash()
	p.tools()
	p.exits()
	p.settings()
	p.variables()
	head := fmt.Sprintf(`# Compatibility with Gemini CLI

Every option, command, tool, exit code, setting and variable of Gemini CLI 0.61: %d are the same, %d better, %d not
available yet, and %d have no effect. A test compares this page with the program.
[differences.md](differences.md) lists differences in behavior.

| State | Meaning |
| --- | --- |
| **same** | works as in Gemini CLI |
| **better** | works, with the addition in the note |
| **not yet** | not available yet. If a run without it would not be what you asked for, Pollux refuses it; otherwise a notice names it |
| **no effect** | accepted and ignored on purpose; the note has the reason |
`, p.count[same], p.count[finer], p.count[notYet], p.count[idle])
	return []byte(strings.TrimRight(head+p.body.String(), "\n") + "\n")
}

func (p *comparison) section(title, column string) {
	fmt.Fprintf(&p.body, "\n## %s\n\n| %s | | |\n| --- | --- | --- |\n", title, column)
}

// row writes a row. A thing that is there is better if the table says so.
func (p *comparison) row(name, shown string, v standing, note string) {
	if more, ok := better[name]; ok {
		if v != same {
			p.t.Errorf("%s is listed as better, and the program has %q", name, v)
		}
		delete(p.unused, name)
		if !strings.Contains(more, "](") {
			p.t.Errorf("%s: better without a link to its description", name)
		}
		v, note = finer, more
	}
	p.count[v]++
	fmt.Fprintf(&p.body, "| `%s` | %s | %s |\n", strings.ReplaceAll(shown, "|", `\|`), v, strings.ReplaceAll(note, "|", `\|`))
}

// names reads the first word of each line of a list, and the rest of the line.
func (p *comparison) names(path string) iter.Seq2[string, string] {
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(string(data)) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name != "" && name != "#" && !yield(name, rest) {
				return
			}
		}
	}
}

func (p *comparison) flags() {
	p.section("Options", "Option")
	term, _, _ := terminal.Test("")
	prog := &program{term: term, env: config.NewEnv()}
	set := prog.rootCommand()
	for name := range p.names("testdata/flags.txt") {
		f := set.Flags().Lookup(name)
		if f == nil {
			f = set.PersistentFlags().Lookup(name)
		}
		switch {
		case f == nil:
			p.t.Errorf("there is no --%s", name)
		case name == "isCommand":
			p.row("--"+name, "--"+name, idle, "Used internally by Gemini CLI.")
		case f.Hidden:
			p.row("--"+name, "--"+name, same, "for tests; not in the help")
		default:
			_, usage, _ := strings.Cut(f.Usage, "` ")
			p.row("--"+name, "--"+name, same, cmp.Or(usage, f.Usage))
		}
	}
}

func (p *comparison) subcommands() {
	p.section("Subcommands", "Subcommand")
	for name := range p.names("testdata/subcommands.txt") {
		later := slices.ContainsFunc(laterCommands[:], func(c []string) bool { return c[0] == name })
		p.row("pollux "+name, "pollux "+name, map[bool]standing{true: notYet, false: same}[later], "")
	}
	p.body.WriteString("\nPollux has more: `pollux --help` lists them.\n")
}

func (p *comparison) slash() {
	p.section("/ commands", "Command")
	for name := range p.names("testdata/slash.txt") {
		i := slices.IndexFunc(slash.Commands(), func(c *manage.Command) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
		if i < 0 {
			p.t.Errorf("/%s is unknown", name)
			continue
		}
		c := slash.Commands()[i]
		if c.IsPlanned {
			p.row("/"+name, "/"+name, notYet, "")
			continue
		}
		v, note := same, c.Summary
		var there []string
		for _, sub := range c.Subs {
			if sub.IsPlanned {
				v = notYet
			} else {
				there = append(there, "`"+sub.Name+"`")
			}
		}
		if v == notYet {
			note = "available: " + strings.Join(there, ", ")
		}
		p.row("/"+name, "/"+name, v, note)
	}
	p.body.WriteString("\nDescriptions: [commands.md](commands.md).\n")
}

func (p *comparison) tools() {
	p.section("Tools", "Tool")
	there := everyTool(p.t)
	for name, shown := range p.names("testdata/tools.txt") {
		v := notYet
		if there[name] {
			v = same
		}
		p.row(name, name, v, shown)
	}
	p.body.WriteString("\nDescriptions: [tools.md](tools.md).\n")
}

// everyTool returns the names of the tools that the model can be given in some
// setting. A subagent has one more than its session.
func everyTool(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{subagent.NewCompletion(nil).Spec().Name: true}
	home, dir := t.TempDir(), t.TempDir()
	server := mcptest.New("", mcptest.Process{})
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer service.Close()
	env := config.NewEnv("GEMINI_CLI_HOME="+home, "PATH="+config.Environ().Get("PATH"))
	for _, mode := range []string{"default", "plan"} {
		a, err := session.Open(t.Context(), session.Options{
			Project: project.Options{
				Dir: dir, Env: env, Model: "gemini-2.5-pro", ApprovalMode: mode, Interactive: true, Folder: trust.Trusted, Flags: map[string]any{
					"tools.allowed":          []any{"get_internal_docs"},
					"tools.discoveryCommand": `echo '[{"name": "x", "description": "d", "parameters": {"type": "object"}}]'`,
					"tools.callCommand":      "cat",
					"mcpServers":             map[string]any{"toy": map[string]any{"httpUrl": service.URL}},
				},
			},
			Generator: unused{},
		})
		if err != nil {
			t.Fatal(err)
		}
		a.Servers.MCP().Settle(t.Context())
		for _, spec := range a.Tools() {
			name := spec.Name
			for _, prefix := range []string{"discovered_tool_", "mcp_"} {
				if strings.HasPrefix(name, prefix) {
					name = prefix + "*"
				}
			}
			found[name] = true
		}
		a.Close()
	}
	return found
}

// unused is a model that gets no requests.
type unused struct{ llm.Generator }

func (unused) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, errors.New("unused")
}

func (p *comparison) exits() {
	p.section("Exit codes", "Code")
	for code, when := range p.names("testdata/exits.txt") {
		n, err := strconv.Atoi(code)
		if err != nil {
			p.t.Fatal(err)
		}
		v := notYet
		if slices.Contains([]exit.Code{
			exit.OK, exit.General, exit.Auth, exit.Input, exit.Sandbox, exit.Config, exit.TurnLimit, exit.Tool, exit.Untrusted, exit.Interrupted,
		}, exit.Code(n)) {
			v = same
		}
		p.row("exit "+code, code, v, when)
	}
	p.body.WriteString("\nPollux has two more, for SIGTERM (143) and SIGHUP (129): [headless.md](headless.md).\n")
}

func (p *comparison) settings() {
	p.section("Settings", "Setting")
	for path := range p.names("../config/testdata/keys.txt") {
		if path == string(config.ModelProviders) || strings.HasPrefix(path, "pollux.") { // Pollux's own
			continue
		}
		key, ok := config.KeyOf(path)
		if !ok {
			p.t.Errorf("there is no setting %s", path)
			continue
		}
		p.supported(path, path, key.Support, key.Doc)
	}
	p.body.WriteString("\nDescriptions: [settings.md](settings.md).\n")
}

func (p *comparison) variables() {
	p.section("Environment variables", "Variable")
	for name := range p.names("../config/testdata/variables.txt") {
		i := slices.IndexFunc(config.Variables(), func(v config.Variable) bool { return v.Name == name })
		if i < 0 {
			p.t.Errorf("the variable %s is not known", name)
			continue
		}
		v := config.Variables()[i]
		p.supported("$"+name, name, v.Support, v.Doc)
	}
	p.body.WriteString("\nPollux has more: [environment.md](environment.md).\n")
}

func (p *comparison) supported(name, shown string, s config.Support, what string) {
	switch s {
	case config.Live:
		p.row(name, shown, same, "")
	case config.Later:
		p.row(name, shown, notYet, "")
	case config.Screen:
		p.row(name, shown, notYet, "about a part of the screen that is not there yet")
	default:
		p.row(name, shown, idle, what)
	}
}
