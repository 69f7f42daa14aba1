package toolset_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pollux/internal/assembly"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/prompt"
	"pollux/internal/records"
	"pollux/internal/subagent"
	"pollux/internal/toolset"
	"pollux/internal/toolset/toolsettest"
	"pollux/tool"
)

// openProject opens a trusted project whose user has these settings. isInteractive gives it a person; else all calls
// are allowed.
func openProject(t *testing.T, settings string, isInteractive bool, env ...string) (*projecttest.User, *project.Project) {
	t.Helper()
	u := projecttest.NewUser(t, env...)
	u.Write("~/.gemini/settings.json", settings)
	return u, u.Open(func(o *project.Options) {
		o.Folder, o.Interactive, o.Model = trust.Trusted, isInteractive, "gemini-2.5-flash"
		if !isInteractive {
			o.ApprovalMode = "yolo"
		}
	})
}

// names returns the names of tools.
func names(tools []tool.Tool) string {
	var list []string
	for _, t := range tools {
		list = append(list, t.Spec().Name)
	}
	return strings.Join(list, " ")
}

// declared returns the names of the tools that requests declare in a form.
func declared(r *tool.Registry, form tool.Form) string {
	var list []string
	for _, f := range r.Snapshot().Declarations(form).Functions {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

const (
	script  = "list_directory read_file grep_search glob replace write_file web_fetch run_shell_command list_background_processes read_background_output stop_background_process google_web_search"
	persons = "update_topic " + script + " ask_user"
)

// TestBuiltin checks which tools there are by default and by settings, in their order, and why a tool is missing.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings    string
		interactive bool
		noAgents    bool
		want        string
		absent      map[string]string // words of the reasons, by name
	}{
		"a script": {
			settings: `{}`, want: "update_topic " + script + " write_todos exit_plan_mode invoke_agent",
			absent: map[string]string{"ask_user": "no user who could answer", "enter_plan_mode": "--approval-mode plan", "read_file": ""},
		},
		"a person": {settings: `{}`, interactive: true, want: persons + " write_todos exit_plan_mode enter_plan_mode invoke_agent", absent: map[string]string{"ask_user": "", "enter_plan_mode": ""}},
		"no topics, todos, plans and agents": {
			settings: `{"experimental": {"topicUpdateNarration": false, "enableAgents": false}, "general": {"topicUpdateNarration": false, "plan": {"enabled": false}}, "useWriteTodos": false}`, interactive: true, noAgents: true,
			want:   script + " ask_user",
			absent: map[string]string{"write_todos": "useWriteTodos is off", "invoke_agent": "enableAgents is off", "enter_plan_mode": "general.plan.enabled is off", "exit_plan_mode": "general.plan.enabled is off"},
		},
		"save_memory": {settings: `{"pollux": {"memory": {"saveTool": true}}}`, interactive: true, want: persons + " write_todos exit_plan_mode enter_plan_mode invoke_agent save_memory"},
		"tools.core": {
			settings: `{"tools": {"core": ["ReadFileTool", "run_shell_command(git)", "save_memory", "enter_plan_mode"]}}`, want: "read_file run_shell_command enter_plan_mode save_memory",
			absent: map[string]string{"glob": toolset.NotCore, "WriteFileTool": toolset.NotCore, "read_file": ""},
		},
		"tools.core without a tool": {settings: `{"tools": {"core": ["none"]}}`, absent: map[string]string{"read_file": toolset.NotCore}},
		"the manual":                {settings: `{"tools": {"core": ["get_internal_docs"]}}`, want: "get_internal_docs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := openProject(t, tt.settings, tt.interactive)
			k := toolsettest.New(t, p, nil)
			if !tt.noAgents {
				k.Agents = subagent.NewTool(subagent.Options{})
			}
			s := k.Open()
			if got := names(s.Tools); got != tt.want {
				t.Errorf("the tools are\n%s, want\n%s", got, tt.want)
			}
			for name, words := range tt.absent {
				if why := s.WhyHidden(name); !strings.Contains(why, words) || words == "" && why != "" || s.IsAbsent(name) != (words != "") {
					t.Errorf("%s is absent: %q", name, why)
				}
			}
			if s.WhyHidden("nothing") != "" {
				t.Error("an unknown tool is hidden")
			}
			s.SetAbsent("later", "It ends.")
			if s.WhyHidden("later") != "It ends." || !s.IsAbsent("later") {
				t.Error("no reason for a tool that is gone")
			}
		})
	}
}

// TestNoForms checks that a model with a person who cannot type answers has all tools but the one that asks for them.
func TestNoForms(t *testing.T) {
	t.Parallel()
	_, p := openProject(t, `{}`, true)
	p.Options.Host.LacksForms = true
	s := toolsettest.New(t, p, nil).Open()
	if got, want := names(s.Tools), strings.Replace(persons, " ask_user", "", 1)+" write_todos exit_plan_mode enter_plan_mode"; got != want {
		t.Errorf("the tools are\n%s, want\n%s", got, want)
	}
	if why := s.WhyHidden("ask_user"); !strings.Contains(why, "cannot type") {
		t.Errorf("ask_user is absent: %q", why)
	}
}

// TestEffects checks that each tool tells the effect of its calls: by a kind that only reads, or by itself. The changes of
// all others are looked for in all files, around each call.
func TestEffects(t *testing.T) {
	t.Parallel()
	u, p := openProject(t, `{"pollux": {"memory": {"saveTool": true}}}`, true)
	k := toolsettest.New(t, p, nil)
	k.Agents = subagent.NewTool(subagent.Options{})
	var none, all []string
	for _, one := range k.Open().Tools {
		name := one.Spec().Name
		effect := tool.EffectOf(one, json.RawMessage(`{"file_path": "a", "command": "make"}`))
		_, isSaid := tool.As[tool.Foreseeable](one)
		switch {
		case effect.Reads, one.Spec().Kind == tool.KindAgent:
		case !isSaid:
			t.Errorf("%s does not say what its calls may change: embed tool.ChangesNoFile, or implement tool.Foreseeable", name)
		case effect.Paths == nil:
			all = append(all, name)
		case len(effect.Paths) == 0:
			if none = append(none, name); !one.Spec().Serial {
				t.Errorf("%s may run beside edits", name)
			}
		case name == "save_memory" && !slices.Equal(effect.Paths, []string{u.Path("~/.gemini/GEMINI.md")}):
			t.Errorf("%s changes %q", name, effect.Paths)
		}
	}
	if want := []string{"run_shell_command", "stop_background_process"}; !slices.Equal(all, want) {
		t.Errorf("%q may change anything, want %q", all, want)
	}
	if want := []string{"write_todos", "exit_plan_mode", "enter_plan_mode"}; !slices.Equal(none, want) {
		t.Errorf("%q change no file, want %q", none, want)
	}
}

// TestDiscovery checks the tools that a command of the user lists, and the errors of that command.
// TestOutputAdvice checks whether a setting is given, and passed to the shell tool.
func TestOutputAdvice(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]prompt.OutputAdvice{
		`{}`: prompt.AdviseOlder,
		`{"tools": {"shell": {"enableShellOutputEfficiency": true}}}`:    prompt.AdviseAll,
		`{"tools": {"shell": {"enableShellOutputEfficiency": false}}}`:   prompt.AdviseNone,
		`{"tools": {"shell": {"enableShellOutputEfficiency": "often"}}}`: prompt.AdviseOlder,
	} {
		_, p := openProject(t, settings, false)
		if got := toolset.OutputAdvice(p.Settings()); got != want {
			t.Errorf("%s: %v", settings, got)
		}
		k := toolsettest.New(t, p, nil)
		list := k.Open().Tools
		i := slices.IndexFunc(list, func(t tool.Tool) bool { return t.Spec().Name == "run_shell_command" })
		if has := strings.Contains(list[i].Spec().Description, "keep its output small"); has != (want != prompt.AdviseNone) {
			t.Errorf("%s: the tool says so: %v", settings, has)
		}
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	const list = `[{\"name\": \"one\", \"description\": \"x\"}, {\"functionDeclarations\": [{\"name\": \"two\"}]}]`
	for name, tt := range map[string]struct {
		command string
		call    string
		trust   trust.State
		want    string
		code    exit.Code
		warns   bool
	}{
		"listed":         {command: "echo '" + list + "'", call: "true", trust: trust.Trusted, want: "discovered_tool_one discovered_tool_two"},
		"not called":     {command: "echo '" + list + "'", trust: trust.Trusted, warns: true},
		"untrusted":      {command: "echo '" + list + "'", call: "true", trust: trust.Untrusted},
		"it fails":       {command: "false", call: "true", trust: trust.Trusted, code: exit.Config},
		"no such":        {command: "no-such-program-anywhere", call: "true", trust: trust.Trusted, code: exit.Config},
		"no list":        {command: "echo 5", call: "true", trust: trust.Trusted, code: exit.Config},
		"an empty list":  {command: "echo []", call: "true", trust: trust.Trusted},
		"in no settings": {trust: trust.Trusted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, p := openProject(t, `{"tools": {"discoveryCommand": "`+tt.command+`", "callCommand": "`+tt.call+`"}}`, false)
			p.Trust.Set(tt.trust)
			k := toolsettest.New(t, p, nil)
			s, err := toolset.Open(t.Context(), k.Parts, nil)
			if exit.CodeOf(err) != tt.code {
				t.Fatal(err)
			}
			if warns := strings.Contains(u.TakeWarnings(), project.NoCallCommand); warns != tt.warns {
				t.Errorf("warns of it: %v", warns)
			}
			if err != nil {
				return
			}
			if got := strings.TrimSpace(strings.TrimPrefix(names(k.Registry.All()), names(s.Tools))); got != tt.want {
				t.Errorf("discovered are %q", got)
			}
		})
	}
}

// more is a tool of a program.
type more struct{ spec tool.Spec }

func (m *more) Spec() *tool.Spec                               { return &m.spec }
func (m *more) Build(json.RawMessage) (tool.Invocation, error) { return nil, context.Canceled }

// remote is a tool of a server.
type remote struct{ more }

func (*remote) Server() string              { return "the_docs" }
func (*remote) RemoteName() string          { return "drop" }
func (*remote) Annotations() map[string]any { return map[string]any{"destructiveHint": true} }

// TestMore checks that the tools of a program follow the others.
func TestMore(t *testing.T) {
	t.Parallel()
	_, p := openProject(t, `{"tools": {"core": ["glob"]}}`, false)
	k := toolsettest.New(t, p, nil)
	k.Open(&more{tool.Spec{Name: "mine", Kind: tool.KindRead, Schema: json.RawMessage(`{"type":"object"}`)}})
	if got := names(k.Registry.All()); got != "glob mine" {
		t.Errorf("the tools are %s", got)
	}
}

// TestHides checks which tools the model of the main agent, or of a subagent, does not see, and why.
func TestHides(t *testing.T) {
	t.Parallel()
	u, p := openProject(t, `{"tools": {"exclude": ["glob"]}}`, true)
	u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"web_fetch\"\nsubagent = \"helper\"\ndecision = \"deny\"\npriority = 100\n")
	u.Write("~/.gemini/policies/b.toml", "[[rule]]\ntoolName = \"*\"\nmcpName = \"the_docs\"\ndecision = \"deny\"\npriority = 100\ntoolAnnotations = { destructiveHint = true }\n")
	k := toolsettest.New(t, p, nil)
	s := k.Open(&remote{more{tool.Spec{Name: "mcp_the_docs_drop", Kind: tool.KindOther, Schema: json.RawMessage(`{"type":"object"}`)}}})
	find := func(name string) tool.Tool {
		found, ok := k.Registry.Find(name)
		if !ok {
			t.Fatalf("there is no tool %s", name)
		}
		return found
	}
	for _, tt := range []struct {
		name, subagent string
		hides          bool
		why            string
	}{
		{"read_file", "", false, ""},
		{"glob", "", true, "The setting tools.exclude denies it."},
		{"exit_plan_mode", "", true, "The session is not in plan mode."},
		{"web_fetch", "", false, ""},
		{"web_fetch", "helper", true, "policy"},
		{"web_fetch", "other", false, ""},
		{"google_web_search", "", false, ""},
		{"mcp_the_docs_drop", "", true, "b.toml, line 1, denies it"},
	} {
		one := find(tt.name)
		if got := s.Hides(one, tt.subagent); got != tt.hides {
			t.Errorf("%s of %q is hidden: %v", tt.name, tt.subagent, got)
		}
		if why := s.WhyToolHidden(one, tt.subagent); !strings.Contains(why, tt.why) || tt.why == "" && tt.hides {
			t.Errorf("%s of %q: %q", tt.name, tt.subagent, why)
		}
		if _, visible := k.Registry.Lookup(tt.name); tt.subagent == "" && visible == tt.hides {
			t.Errorf("%s is visible: %v", tt.name, visible)
		}
	}
	if why := s.WhyHidden("exit_plan_mode"); why != "The session is not in plan mode." {
		t.Errorf("exit_plan_mode: %q", why)
	}
	if s.WhyHidden("read_file") != "" {
		t.Error("a visible tool has a reason")
	}
	if err := k.Policy.SetMode(policy.Plan); err != nil {
		t.Fatal(err)
	}
	k.Registry.Refresh()
	if _, visible := k.Registry.Lookup("exit_plan_mode"); !visible || s.WhyHidden("exit_plan_mode") != "" {
		t.Errorf("in plan mode: visible %v, %q", visible, s.WhyHidden("exit_plan_mode"))
	}
}

// TestSearch checks that the web search is there if a provider can search: that of the current model, or of another one
// that the user can reach.
func TestSearch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env, model string
		want       bool
	}{
		{"GEMINI_API_KEY=g", "gemini-2.5-flash", true},
		{"GEMINI_API_KEY=g", "gemma-3-27b-it", true},
		{"GEMINI_API_KEY=g", "openai/gpt-5", false},
		{"", "openai/gpt-5", false},
	} {
		_, p := openProject(t, `{"pollux": {"localServers": false}}`, false, "OPENAI_API_KEY=o", tt.env)
		p.UseModel(tt.model)
		m, err := assembly.Models(t.Context(), p, assembly.Source{}, "")
		if err != nil {
			t.Fatal(err)
		}
		k := toolsettest.New(t, p, nil)
		k.Models = m
		s := k.Open()
		if _, visible := k.Registry.Lookup("google_web_search"); visible != tt.want || !tt.want && s.WhyHidden("google_web_search") != "No provider of this session can search the web." {
			t.Errorf("%+v: visible %v, %q", tt, visible, s.WhyHidden("google_web_search"))
		}
	}
}

// TestSpare checks which tools the declarations leave out: in the compact form all that are not for everyday work, and
// the topic where no user sees it; but none that the user names.
func TestSpare(t *testing.T) {
	t.Parallel()
	const everyday = "list_directory read_file grep_search glob replace write_file run_shell_command"
	for name, tt := range map[string]struct {
		settings      string
		interactive   bool
		ownAgents     bool
		full, compact string
	}{
		"a script":      {settings: `{}`, full: script + " write_todos invoke_agent", compact: everyday},
		"a person":      {settings: `{}`, interactive: true, full: persons + " write_todos enter_plan_mode invoke_agent", compact: everyday},
		"own agents":    {settings: `{}`, ownAgents: true, full: script + " write_todos invoke_agent", compact: everyday + " invoke_agent"},
		"named":         {settings: `{"tools": {"allowed": ["web_fetch", "update_topic"]}}`, full: "update_topic " + script + " write_todos invoke_agent", compact: "update_topic list_directory read_file grep_search glob replace write_file web_fetch run_shell_command"},
		"named in core": {settings: `{"tools": {"core": ["web_fetch", "glob"]}}`, full: "glob web_fetch", compact: "glob web_fetch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := openProject(t, tt.settings, tt.interactive)
			k := toolsettest.New(t, p, nil)
			k.Agents = subagent.NewTool(subagent.Options{})
			k.HasOwnAgents = func() bool { return tt.ownAgents }
			s := k.Open()
			s.Spare(k.Registry)
			if got := declared(k.Registry, tool.Full); got != tt.full {
				t.Errorf("in full:\n%s, want\n%s", got, tt.full)
			}
			if got := declared(k.Registry, tool.Compact); got != tt.compact {
				t.Errorf("compact:\n%s, want\n%s", got, tt.compact)
			}
		})
	}
	for _, hasOwn := range []bool{false, true} {
		_, p := openProject(t, `{}`, true)
		k := toolsettest.New(t, p, nil)
		k.HasOwnSkills = func() bool { return hasOwn }
		s := k.Open(&more{tool.Spec{Name: "activate_skill", Kind: tool.KindOther, Schema: json.RawMessage(`{"type":"object"}`)}})
		s.Spare(k.Registry)
		if got := slices.Contains(strings.Fields(declared(k.Registry, tool.Compact)), "activate_skill"); got != hasOwn {
			t.Errorf("own skills %v: the compact form has activate_skill: %v", hasOwn, got)
		}
		if !slices.Contains(strings.Fields(declared(k.Registry, tool.Full)), "activate_skill") {
			t.Error("the full form lacks activate_skill")
		}
	}
}

// run runs a call of a tool.
func run(t *testing.T, one tool.Tool, args string) *tool.Result {
	t.Helper()
	i, err := tool.Build(one, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return i.Run(t.Context(), tool.Host{})
}

// TestTools checks the inputs of tools from the project: the environment of commands, the instructions of the
// directories, the records of changes, and the file for memory.
func TestTools(t *testing.T) {
	t.Parallel()
	u, p := openProject(t, `{"pollux": {"childSecrets": "none", "memory": {"saveTool": true}}, "tools": {"useRipgrep": false}}`, false, "MY_TOKEN=token-of-mine")
	u.Write("sub/GEMINI.md", "Instruction of sub.")
	u.Write("sub/a.txt", "one\n")
	u.Write("~/.gemini/policies/b.toml", "[[rule]]\ntoolName = \"*\"\nmcpName = \"the_docs\"\ndecision = \"deny\"\npriority = 100\ntoolAnnotations = { destructiveHint = true }\n")
	k := toolsettest.New(t, p, nil)
	s := k.Open(&remote{more{tool.Spec{Name: "mcp_the_docs_drop", Kind: tool.KindOther, Schema: json.RawMessage(`{"type":"object"}`)}}})
	find := func(name string) tool.Tool { one, _ := k.Registry.Find(name); return one }
	text := func(r *tool.Result) string {
		var all string
		for _, part := range r.Content {
			all += part.Text
		}
		return all
	}
	if got := text(run(t, find("run_shell_command"), `{"command": "echo token:$MY_TOKEN"}`)); !strings.Contains(got, "token:\n") && !strings.HasSuffix(strings.TrimSpace(got), "token:") {
		t.Errorf("a command has %q", got)
	}
	if got := text(run(t, find("read_file"), `{"file_path": "sub/a.txt"}`)); !strings.Contains(got, "Instruction of sub.") {
		t.Errorf("reading a file discovers nothing: %q", got)
	}
	if r := run(t, find("replace"), `{"file_path": "sub/a.txt", "instruction": "x", "old_string": "one", "new_string": "two"}`); r.Error != nil || u.Read("sub/a.txt") != "two\n" {
		t.Errorf("%+v", r.Error)
	}
	if got := k.TakeRecords(); !slices.ContainsFunc(got, func(r records.Record) bool { _, is := r.(records.EditMade); return is }) {
		t.Errorf("records: %+v", got)
	}
	if r := run(t, find("save_memory"), `{"fact": "Likes tea."}`); r.Error != nil || !strings.Contains(u.Read("~/.gemini/GEMINI.md"), "Likes tea.") {
		t.Errorf("%+v", r.Error)
	}
	if r := run(t, find("grep_search"), `{"pattern": "two"}`); r.Error != nil || !strings.Contains(text(r), "a.txt") || len(k.TakeRecords()) > 0 {
		t.Errorf("%+v, %s", r.Error, text(r))
	}
	if s.Search.Spec().Name != "google_web_search" || s.Typed.Spec().Name != "run_shell_command" || s.Template("user").Spec().Name != "run_shell_command" {
		t.Errorf("%s, %s", s.Search.Spec().Name, s.Typed.Spec().Name)
	}
}

// A search without the user's ripgrep is recorded.
func TestRipgrepMissing(t *testing.T) {
	t.Parallel()
	u, p := openProject(t, `{}`, false, "PATH="+t.TempDir())
	u.Write("a.txt", "two\n")
	k := toolsettest.New(t, p, nil)
	k.Open()
	grep, _ := k.Registry.Find("grep_search")
	for range 2 {
		if r := run(t, grep, `{"pattern": "two"}`); r.Error != nil {
			t.Error(r.Error)
		}
	}
	if got := k.TakeRecords(); len(got) != 1 || got[0] != (records.RipgrepMissing{}) {
		t.Errorf("records: %+v", got)
	}
}
