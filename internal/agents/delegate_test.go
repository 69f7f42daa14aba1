package agents_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	"pollux/internal/journal"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/tool"
)

// Turns of scripts: the conversation calls the subagent helper, that returns a result, and the conversation ends.
const (
	invoke = "turn\n  call invoke_agent {\"agent_name\": \"helper\", \"prompt\": \"Go.\"}\n"
	found  = "  call complete_task {\"result\": \"Found it.\"}\n"
	finish = "turn\n" + found
	done   = "turn\n  expect result invoke_agent_1 Found it.\n  text Done.\n"
)

// TestRun checks a run of a subagent: its instruction, its first message, its tools, its result and its record.
func TestRun(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/GEMINI.md", "Rule of the user.")
	u.Write("GEMINI.md", "Rule of the project.")
	u.Write("a.txt", "heron\n")
	u.Write("~/.gemini/agents/helper.md", definition("helper", "tools: [read_file, list_directory]\nmax_turns: 5\n"))
	c := newTeam(t, u, options{recorded: true, script: `
turn
  expect system You are helper.
  expect system Rule of the user.
  expect anywhere Rule of the project.
  expect prompt Look at ${this}.
  expect tool complete_task read_file list_directory
  expect not tool write_file
  expect not tool invoke_agent
  call read_file {"file_path": "a.txt"}
turn
  expect result read_file_1 heron
` + found})
	if err := c.record.Journal().Begin(t.Context(), c.ID(), nil); err != nil {
		t.Fatal(err)
	}
	r := c.invoke(t.Context(), "helper", "Look at ${this}.")
	if r.Error != nil || !strings.Contains(text(r), "Termination Reason: GOAL") || !strings.Contains(text(r), "Found it.") || r.AgentID == "" {
		t.Errorf("%s, %+v", text(r), r.Error)
	}
	if got := c.events(); got != "started helper, finished helper GOAL" {
		t.Errorf("recorded are %s", got)
	}
	files, _ := filepath.Glob(filepath.Join(c.record.Store().Dir, "first", "*"))
	if len(files) != 1 {
		t.Fatalf("the records are %q", files)
	}
	if s, err := journal.Load(files[0]); err != nil || s.SessionID != r.AgentID || s.Summary != "Found it." || len(s.Entries) < 4 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestGrant checks which tools a subagent has: those that its definition lists, in that order, or all but those for
// everyday work, and never those that call subagents or set the topic.
func TestGrant(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keys    string
		excess  string // settings
		expect  string
		refused string // a tool that it calls
		why     string
	}{
		"listed":              {keys: "tools: [list_directory, read_file]\n", expect: "  expect tool list_directory read_file\n  expect not tool glob\n", refused: "glob", why: "Unauthorized tool call: 'glob' is not available to this agent."},
		"all":                 {expect: "  expect tool read_file write_file run_shell_command\n  expect not tool invoke_agent\n  expect not tool update_topic\n", refused: "invoke_agent", why: "Unauthorized tool call: 'invoke_agent' is not available to this agent."},
		"a pattern":           {keys: "tools: [\"*\"]\n", expect: "  expect tool read_file write_file\n", refused: "update_topic", why: "Unauthorized tool call: 'update_topic' is not available to this agent."},
		"the manual":          {keys: "tools: [get_internal_docs]\n", expect: "  expect tool get_internal_docs\n  expect not tool read_file\n", refused: "ask_user", why: "Unauthorized tool call: 'ask_user' is not available to this agent."},
		"denied by the rules": {keys: "tools: [glob, read_file]\n", excess: `"tools": {"exclude": ["glob"]}`, expect: "  expect tool read_file\n  expect not tool glob\n", refused: "glob", why: "Unauthorized tool call: 'glob' is not available to this agent. The setting tools.exclude denies it."},
		"unknown":             {keys: "tools: [read_file]\n", refused: "frobnicate", why: "frobnicate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			u.Write("~/.gemini/settings.json", "{"+tt.excess+"}")
			u.Write("~/.gemini/agents/helper.md", definition("helper", tt.keys))
			c := newTeam(t, u, options{script: "turn\n" + tt.expect + "  call " + tt.refused + " {}\nturn\n  expect error " + tt.refused + "_1 \"" + tt.why + "\"\n" + found})
			if r := c.invoke(t.Context(), "helper", "Go."); !strings.Contains(text(r), "Found it.") {
				t.Errorf("%s, %+v", text(r), r.Error)
			}
		})
	}
}

// The gate of a subagent asks the person, and a refusal lets the subagent go on another way.
func TestRefusal(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/helper.md", definition("helper", ""))
	c := newTeam(t, u, options{
		change: func(o *project.Options) { u.AtTerminal(o); o.ApprovalMode = "default" },
		script: invoke + `turn
  call run_shell_command {"command": "touch made"}
turn
  expect error run_shell_command_1 User rejected this operation.
  call run_shell_command {"command": "touch other"}
` + finish + done,
	})
	asked := 0
	c.run(func(agent.Event) {}, func(q *agent.Question) tool.Outcome {
		if _, isCommand := q.Details().(*tool.ExecConfirmation); !isCommand {
			return tool.ProceedOnce
		}
		if asked++; asked == 1 {
			return tool.Cancel
		}
		return tool.ProceedOnce
	})
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	if u.Read("made") != "" || len(must(filepath.Glob(u.Path("*")))) != 1 {
		t.Error("the refused command ran, or the other one did not")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestCancel checks that the end of a call ends the subagent.
func TestCancel(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/helper.md", definition("helper", ""))
	c := newTeam(t, u, options{script: "turn\n  call run_shell_command {\"command\": \"touch began; sleep 1000\"}\n"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan *tool.Result)
	go func() { done <- c.invoke(ctx, "helper", "Go.") }()
	for len(must(filepath.Glob(u.Path("began")))) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the subagent goes on")
	}
	if got := c.events(); got != "started helper, finished helper ABORTED" {
		t.Errorf("recorded are %s", got)
	}
}

// TestSteer checks that a text of the person reaches a subagent that works, and that none waits for a later one.
func TestSteer(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/helper.md", definition("helper", ""))
	c := newTeam(t, u, options{script: invoke + `turn
  call list_directory {"dir_path": "."}
turn
  expect prompt User hints:
  expect prompt Look for herons
` + found + done + "turn\n  expect not anywhere \"Look elsewhere\"\n" + found})
	c.run(func(e agent.Event) {
		if _, ok := e.(agent.ToolRequested); ok {
			c.Steer(agent.TextPrompt("Look for herons"))
		}
	}, func(*agent.Question) tool.Outcome { return tool.ProceedOnce })
	c.Steer(agent.TextPrompt("Look elsewhere"))
	if r := c.invoke(t.Context(), "helper", "Go."); !strings.Contains(text(r), "Found it.") {
		t.Errorf("%s, %+v", text(r), r.Error)
	}
}

// TestHooks checks that the hooks around models and tools see a subagent, and those around prompts do not.
func TestHooks(t *testing.T) {
	t.Parallel()
	var ran []string
	var list []hook.Hook
	for _, e := range []hook.Event{hook.BeforeAgent, hook.AfterAgent, hook.BeforeModel, hook.BeforeTool} {
		list = append(list, hook.Hook{Event: e, Name: "recorder", Run: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			ran = append(ran, string(e))
			return nil, nil
		}})
	}
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/helper.md", definition("helper", ""))
	c := newTeam(t, u, options{hooks: list, script: "turn\n  call list_directory {\"dir_path\": \".\"}\n" + finish})
	c.invoke(t.Context(), "helper", "Go.")
	if got := strings.Join(ran, " "); got != "BeforeModel BeforeTool BeforeModel BeforeTool" && got != "BeforeModel BeforeTool BeforeModel" {
		t.Errorf("hooks ran: %s", got)
	}
}

// TestInstruction checks the parts of a subagent's instruction that depend on the session: its variables, the skills, plan
// mode, and Pollux's own instruction.
func TestInstruction(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/helper.md", "---\nname: helper\ndescription: x\ntools: [read_file]\n---\nVersion ${cliVersion}, model ${activeModel}, ${unknown}.\n")
	c := newTeam(t, u, options{script: `
turn
  expect system "Version 1.2.3, model gemini-2.5-flash, ${unknown}."
  expect not system Tidies up
  expect prompt Get Started!
` + found})
	if r := c.invoke(t.Context(), "helper", " "); !strings.Contains(text(r), "Found it.") {
		t.Errorf("%s, %+v", text(r), r.Error)
	}
	for _, name := range []string{"generalist", "codebase_investigator"} {
		result := `{"result": {"response": "Found it."}}`
		if name == "codebase_investigator" {
			result = `{"report": {"SummaryOfFindings": "Found it.", "ExplorationTrace": [], "RelevantLocations": []}}`
		}
		plan := newTeam(t, projecttest.NewUser(t), options{
			change: func(o *project.Options) { o.ApprovalMode, o.Interactive = "plan", true },
			script: "turn\n  expect anywhere Go.\n  expect system Plan\n  call complete_task " + result + "\n",
		})
		if r := plan.invoke(t.Context(), name, "Go."); !strings.Contains(text(r), "Found it.") {
			t.Errorf("%s: %s, %+v", name, text(r), r.Error)
		}
	}
}

// toy starts an MCP server that echoes.
func toy(t *testing.T) (url string) {
	t.Helper()
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcptest.New("toy", mcptest.Process{}) }, nil))
	t.Cleanup(service.Close)
	t.Cleanup(service.CloseClientConnections)
	return service.URL
}

// TestServers checks the MCP servers of a subagent: it alone has their tools, and they are connected from its first run
// to the end.
func TestServers(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/helper.md", definition("helper", "tools: [read_file]\nmcp_servers:\n  toy: {http_url: \""+toy(t)+"\"}\n  broken: {timeout: 5}\n"))
	again := "turn\n  expect tool mcp_toy_echo\n" + found
	c := newTeam(t, u, options{script: "turn\n  expect tool mcp_toy_echo\n  call mcp_toy_echo {\"text\": \"heron\"}\nturn\n  expect result mcp_toy_echo_1 heron\n" + found + again})
	if len(c.ServerStatus()) > 0 || c.ServersOf("helper") != nil {
		t.Error("a server is connected before the first run")
	}
	for range 2 {
		if r := c.invoke(t.Context(), "helper", "Go."); !strings.Contains(text(r), "Found it.") {
			t.Errorf("%s, %+v", text(r), r.Error)
		}
	}
	if text := u.TakeWarnings(); strings.Count(text, `Ignoring the MCP server "broken" of the agent helper`) != 1 {
		t.Errorf("warnings: %s", text)
	}
	if list := c.ServerStatus(); len(list) != 1 || list[0].Config.Name != "toy" || c.ServersOf("helper") == nil || c.ServersOf("other") != nil {
		t.Errorf("%+v", list)
	}
	if _, found := c.kit.Registry.Find("mcp_toy_echo"); found {
		t.Error("the session has the tool")
	}
	if c.Close(); len(c.ServerStatus()) > 0 || c.ServersOf("helper") != nil {
		t.Error("a server is connected after the end")
	}
}

// In an untrusted folder a subagent has no servers, and those of a project get no secrets.
func TestServersOfProjects(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t, "MY_TOKEN=token-of-mine-0123")
	u.Write(".gemini/settings.json", `{"agents": {"overrides": {"helper": {"mcpServers": {"toy": {"httpUrl": "`+toy(t)+`", "headers": {"X": "$MY_TOKEN"}}}}}}}`)
	u.Write("~/.gemini/agents/helper.md", definition("helper", "tools: [read_file]\n"))
	c := newTeam(t, u, options{script: finish + "turn\n  expect not tool mcp_toy_echo\n" + found})
	u.TakeWarnings()
	c.invoke(t.Context(), "helper", "Go.")
	if text := u.TakeWarnings(); !strings.Contains(text, `The MCP server "toy" of the agent helper names $MY_TOKEN. Agents of a project do not get variables with secrets.`) {
		t.Errorf("warnings: %s", text)
	}
	c.Close()
	c.project.Trust.Set(trust.Untrusted)
	c.invoke(t.Context(), "helper", "Go.")
	if len(c.ServerStatus()) > 0 {
		t.Errorf("%+v", c.ServerStatus())
	}
}

// TestModel checks the model of a subagent, and the error of one that cannot be used.
func TestModel(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/plain.md", definition("plain", ""))
	u.Write("~/.gemini/agents/own.md", definition("own", "model: gemini-2.5-pro\n"))
	c := newTeam(t, u, options{script: "turn\n  expect model gemini-2.5-pro\n" + found})
	for name, want := range map[string]string{"plain": "gemini-2.5-flash", "own": "gemini-2.5-pro", "generalist": "gemini-2.5-flash", "codebase_investigator": "gemini-2.5-flash"} {
		d, _ := c.Set().Find(name)
		if got, err := c.Model(d); got != want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if r := c.invoke(t.Context(), "own", "Go."); !strings.Contains(text(r), "Found it.") {
		t.Errorf("%s, %+v", text(r), r.Error)
	}
}

// A rule about a subagent is about its calls alone, and a tool that it denies as a whole is hidden.
func TestRulesForSubagents(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/b.toml", "[[rule]]\ntoolName = \"write_file\"\nsubagent = \"other\"\nargsPattern = \"locked\"\ndecision = \"deny\"\ndenyMessage = \"Never.\"\npriority = 900\n")
	u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"write_file\"\nsubagent = \"helper\"\ndecision = \"deny\"\npriority = 900\n")
	for _, name := range []string{"helper", "other"} {
		u.Write("~/.gemini/agents/"+name+".md", definition(name, "tools: [write_file]\n"))
	}
	write := "  call write_file {\"file_path\": \"made.txt\", \"content\": \"x\"}\nturn\n"
	c := newTeam(t, u, options{script: "turn\n  expect not tool write_file\n" + write + found + "turn\n  expect tool write_file\n" + write +
		"  expect result write_file_2 made.txt\n  call write_file {\"file_path\": \"locked.txt\", \"content\": \"x\"}\nturn\n  expect error write_file_3 Never.\n" + found})
	c.invoke(t.Context(), "helper", "Go.")
	if u.Read("made.txt") != "" {
		t.Error("the denied call ran")
	}
	c.invoke(t.Context(), "other", "Go.")
	if u.Read("made.txt") != "x" {
		t.Error("the rule counts for another subagent")
	}
}
