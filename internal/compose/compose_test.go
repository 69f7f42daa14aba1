package compose

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/agent"
	"pollux/internal/a2a/a2atest"
	"pollux/internal/agents"
	"pollux/internal/assembly"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/hooks"
	"pollux/internal/mcp"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/owncalls"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/rulebook"
	"pollux/internal/servers"
	"pollux/internal/skills"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/topic"
	"pollux/internal/toolset"
	"pollux/llm"
	"pollux/tool"
)

// kit is a composer with real parts, and all that a person sees and answers.
type kit struct {
	*Composer
	t         *testing.T
	project   *project.Project
	agent     *agent.Agent
	limit     int // context window in tokens, 0 if it is unknown
	refreshed int

	mu     sync.Mutex
	warned []string
	notes  []string // that are no warnings
	// said is the answer to all other questions, whose texts are in questions.
	said      string
	questions []string
	// answer is the answer to all questions about calls, which asked keeps.
	answer tool.Outcome
	asked  []*tool.ExecConfirmation
}

// newKit returns a composer for a project with these settings, which change may change first.
func newKit(t *testing.T, settings string, change func(*kit)) *kit {
	t.Helper()
	p := projecttest.New(t, settings, "GEMINI_API_KEY=k", "PATH="+os.Getenv("PATH"))
	k := &kit{t: t, project: p}
	p.Options.Warn, p.Options.Notify, p.Options.Asker, p.Options.Interactive, p.Mode = k.warn, k.notify, k, true, policy.Default
	if change != nil {
		change(k)
	}
	ws := project.NewWorkspace(p)
	plans, err := plan.Open(ws, "", "one")
	k.check(err)
	rec, err := record.Open(t.Context(), p, record.Options{})
	k.check(err)
	m, err := assembly.Models(t.Context(), p, assembly.Source{}, "one")
	k.check(err)
	registry := tool.NewRegistry()
	engine := rulebook.NewEngine(rulebook.EngineOptions{Project: p, Workspace: ws, Plans: plans})
	running := servers.Open(servers.Parts{Project: p, Registry: registry, Launcher: p.Launcher, Roots: ws.Dirs, Rules: engine.Rules})
	t.Cleanup(running.Close)
	mem := project.NewMemory(p, ws)
	processes := shell.NewProcesses(t.TempDir())
	t.Cleanup(processes.Close)
	tools, err := toolset.Open(t.Context(), toolset.Parts{
		Project: p, Models: m, Generator: m, Policy: engine, Registry: registry, Workspace: ws, Memory: mem, Processes: processes,
		Topic: new(topic.Topic), Form: func() tool.Form { return tool.Full },
		Plan:         plan.Options{Workspace: ws, Dir: plans.Dir, Mode: func() string { return engine.Mode().String() }},
		HasOwnAgents: func() bool { return false }, HasOwnSkills: func() bool { return true },
	}, nil)
	k.check(err)
	skills.Open(skills.Parts{Project: p, Registry: registry, Tools: tools, Workspace: ws, Servers: running, Record: rec, Changed: func() {}})
	outputs := &record.Outputs{Project: p, ID: func() string { return "one" }}
	gate := guard.New(guard.Options{
		Policy: engine, Interactive: p.Options.Interactive, Tool: registry.Lookup, Threshold: config.TruncateToolOutput.In(p.Settings()), CreateOutput: outputs.Create,
	})
	k.agent = agent.New(agent.Config{
		Generator: m, Model: m.Current().Model, Tools: registry, Gate: gate, SessionID: "one", Context: []agent.Message{opening("old")},
		Limit: func(string) int { return k.limit },
	})
	definitions, err := agents.ReadDefinitions(t.Context(), p, engine)
	if err != nil {
		t.Fatal(err)
	}
	own := agents.New(agents.Parts{Project: p, Definitions: definitions, Policy: engine})
	t.Cleanup(own.Close)
	own.LoadCards()
	none, err := hooks.Open(hooks.Parts{
		Project: p, Policy: engine, Models: m, Plans: plans, Registry: registry, Record: rec, Servers: running,
		ServersOf: func(string) *mcp.Servers { return nil }, ID: func() string { return "one" },
	})
	if err != nil {
		t.Fatal(err)
	}
	k.Composer = New(Parts{
		Project: p, Workspace: ws, Memory: mem, Models: m, Outputs: outputs,
		Servers: running, Agents: own, Agent: k.agent, Opening: func() agent.Message { return opening("new") }, Refresh: func() { k.refreshed++ },
		Hooks: none,
		Calls: owncalls.New(owncalls.Parts{Project: p, Models: m, Gate: gate, Tools: tools, Registry: registry, Workspace: ws}),
	})
	return k
}

// opening returns a message that can open the conversation.
func opening(text string) agent.Message { return agent.Message{Content: llm.User(llm.Text(text))} }

func (k *kit) check(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) warn(text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.warned = append(k.warned, text)
}

func (k *kit) notify(text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notes = append(k.notes, text)
}

// takeNotes returns the messages since the last call that are no warnings, a line each.
func (k *kit) takeNotes() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := strings.Join(k.notes, "\n")
	k.notes = nil
	return text
}

// takeWarnings returns the warnings since the last call, a line each.
func (k *kit) takeWarnings() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := strings.Join(k.warned, "\n")
	k.warned = nil
	return text
}

// Ask implements [person.Asker].
func (k *kit) Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	if c, ok := details.(*tool.QuestionConfirmation); ok {
		k.questions = append(k.questions, c.Questions[0].Text)
	}
	if ctx.Err() != nil || k.said == "" {
		return tool.Answer{Outcome: tool.Cancel}, ctx.Err()
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": k.said}}}, nil
}

// Approve implements [person.Asker].
func (k *kit) Approve(_ context.Context, q *agent.Question) (tool.Answer, error) {
	if exec, ok := q.Details().(*tool.ExecConfirmation); ok {
		k.asked = append(k.asked, exec)
	}
	return tool.Answer{Outcome: k.answer}, nil
}

// file writes a file of the project, and returns its path.
func (k *kit) file(name, text string) string {
	k.t.Helper()
	path := filepath.Join(k.project.Paths.Dir(), name)
	k.check(os.MkdirAll(filepath.Dir(path), 0o700))
	k.check(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// exists reports whether the project has a file.
func (k *kit) exists(name string) bool {
	_, err := os.Stat(filepath.Join(k.project.Paths.Dir(), name))
	return err == nil
}

// expand completes a prompt, which must not fail.
func (k *kit) expand(p agent.Prompt) agent.Prompt {
	k.t.Helper()
	p, err := k.Expand(k.t.Context(), p)
	k.check(err)
	return p
}

// Each text of a prompt may name files, with the instructions of their directories. Other parts stay where they are, and a
// prompt with Shown is sent as it is.
func TestExpand(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, nil)
	k.file("notes.txt", "The code word is heron.")
	k.file("sub/more.txt", "It flies.")
	k.file("sub/GEMINI.md", "Be brief.")
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG")}}
	parts := []llm.Part{llm.Text("Read @notes.txt"), image, llm.Text("and @sub/more.txt")}
	p := k.expand(agent.Prompt{Parts: parts})
	at := slices.IndexFunc(p.Parts, func(p llm.Part) bool { return p.InlineData != nil })
	if at < 0 {
		t.Fatal("no image")
	}
	first, second := llm.PartsText(p.Parts[:at]), llm.PartsText(p.Parts[at+1:])
	if !strings.Contains(first, "heron") || !strings.Contains(second, "It flies.") || !strings.Contains(second, "Be brief.") {
		t.Errorf("the prompt is %q, an image, %q", first, second)
	}
	if p.Shown != llm.PartsText(parts) || p.ID == "" {
		t.Errorf("shown is %q, the id %q", p.Shown, p.ID)
	}
	if text := k.takeNotes(); text != "Attached: notes.txt (1 line)\nAttached: sub/more.txt (1 line)" || k.takeWarnings() != "" {
		t.Errorf("noted %q", text)
	}
	asIs := k.expand(agent.Prompt{Parts: []llm.Part{llm.Text("As it is: @notes.txt")}, Shown: "/notes"})
	if asIs.Shown != "/notes" || len(asIs.Parts) != 1 || asIs.Parts[0].Text != "As it is: @notes.txt" || asIs.ID == p.ID {
		t.Errorf("%+v", asIs)
	}
	if plain := k.expand(agent.TextPrompt("No files")); plain.Shown != "" || llm.PartsText(plain.Parts) != "No files" {
		t.Errorf("%+v", plain)
	}
}

// The user learns which files a prompt has, which it does not have, and which are cut.
func TestReport(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ prompt, note, warning string }{
		{"@1.txt", "Attached: 1.txt (1 line)", ""},
		{"@1.txt @2.txt @3.txt @4.txt @5.txt @6.txt @7.txt", "Attached: 1.txt (1 line), 2.txt (1 line), 3.txt (1 line), 4.txt (1 line), 5.txt (1 line), 2 more", ""},
		{"@notse.txt", "", "Warning: No file notse.txt: sent as text. Did you mean notes.txt?"},
		{"@qqqqqq/zzzzzz.go", "", "Warning: No file qqqqqq/zzzzzz.go: sent as text."},
	} {
		for _, interactive := range []bool{true, false} {
			k := newKit(t, `{}`, func(k *kit) { k.project.Options.Interactive = interactive })
			for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "notes"} {
				k.file(name+".txt", name)
			}
			k.expand(agent.TextPrompt(tt.prompt))
			note := tt.note
			if !interactive {
				note = ""
			}
			if said, got := k.takeNotes(), k.takeWarnings(); said != note || got != tt.warning {
				t.Errorf("%s, interactive %v: noted %q, warned %q, want %q and %q", tt.prompt, interactive, said, got, note, tt.warning)
			}
		}
	}
}

// The person decides whether the model may read files outside of the workspace: for the session, or not at all. Without a
// person, and after a no, the prompt is sent without them.
func TestPermit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said  string
		alone bool
		read  bool
		asked int // for two prompts
	}{
		"yes":              {said: "Yes", read: true, asked: 1},
		"no":               {said: "No", asked: 2},
		"no answer":        {asked: 2},
		"without a person": {said: "Yes", alone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, `{}`, func(k *kit) { k.project.Options.Interactive, k.said = !tt.alone, tt.said })
			outside, err := filepath.EvalSymlinks(t.TempDir())
			k.check(err)
			path := filepath.Join(outside, "far.txt")
			k.check(os.WriteFile(path, []byte("a distant heron"), 0o600))
			k.file("near.txt", "a sparrow")
			for range 2 {
				text := llm.PartsText(k.expand(agent.TextPrompt("@" + path + " @near.txt")).Parts)
				if strings.Contains(text, "heron") != tt.read || !strings.Contains(text, "sparrow") {
					t.Errorf("the prompt is %q", text)
				}
				if warned := strings.Contains(k.takeWarnings(), "Cannot attach @"+path); warned == tt.read {
					t.Errorf("warned %v", warned)
				}
			}
			if len(k.questions) != tt.asked {
				t.Fatalf("asked %q", k.questions)
			}
			for _, q := range k.questions {
				if !strings.HasPrefix(q, "The following files are outside your workspace:\n- "+path+"\n\nDo you want to allow this read?") {
					t.Errorf("asked %q", q)
				}
			}
			if k.parts.Workspace.CheckWrite(path) == nil {
				t.Error("the file may be written")
			}
		})
	}
}

// A file that does not fit the model's window is cut, and one that is left out is named with the reason.
func TestReportCut(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) { k.limit = 20_000 })
	k.file("long.txt", strings.Repeat("a line of words\n", 20_000))
	k.file(".geminiignore", "secret.txt\n")
	k.file("secret.txt", "x")
	p := k.expand(agent.TextPrompt("Read @long.txt and @secret.txt"))
	if n := llm.EstimateTokens(p.Parts); n > 20_000 {
		t.Errorf("the prompt has %d tokens", n)
	}
	text := k.takeWarnings()
	for _, want := range []string{"Warning: @long.txt is too long for the context window. The prompt contains lines 1-", "Warning: Cannot attach @secret.txt: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// Without a model, a prompt fails with the reason, and nothing is read for it.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, nil)
	why := errors.New("no key")
	var err error
	k.parts.Models, err = assembly.Models(t.Context(), k.project, assembly.Source{Unreachable: why}, "one")
	k.check(err)
	k.file("notes.txt", "x")
	if _, err := k.Expand(t.Context(), agent.TextPrompt("@notes.txt")); !errors.Is(err, why) {
		t.Error(err)
	}
	if text := k.takeWarnings(); text != "" {
		t.Errorf("warned %q", text)
	}
}

// A file that cannot be read is an error, and the prompt is not sent without it.
func TestExpandFails(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, nil)
	k.file("notes.txt", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := k.Expand(ctx, agent.TextPrompt("@notes.txt")); !errors.Is(err, context.Canceled) || p.Parts != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// The text of SessionStart hooks stands before the first of several prompts, whose ids differ.
func TestExpandTogether(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) {
		k.project.Options.Interactive = false
		k.project.Options.Hooks = []hook.Hook{{Event: hook.SessionStart, Name: "greeter", Run: greet}}
	})
	k.parts.Hooks.Start(t.Context(), hook.StartupSource, k.agent.AddMessage)
	var all sync.WaitGroup
	prompts := make([]agent.Prompt, 8)
	for i := range prompts {
		all.Go(func() {
			var err error
			if prompts[i], err = k.Expand(t.Context(), agent.TextPrompt("Hi.")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	greeted, ids := 0, map[string]bool{}
	for _, p := range prompts {
		if llm.PartsText(p.Parts) == "<hook_context>Hello</hook_context>\n\nHi." {
			greeted++
		}
		if p.Text() != "Hi." {
			t.Errorf("shown is %q", p.Text())
		}
		ids[p.ID] = true
	}
	if greeted != 1 || len(ids) != len(prompts) {
		t.Errorf("%d prompts have the text of hooks, and %d have an id of their own", greeted, len(ids))
	}
}

func greet(context.Context, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"hookSpecificOutput":{"additionalContext":"Hello"}}`), nil
}

// News of servers are in the opening of a conversation without prompts, else in the next prompt, and only once.
func TestServerNews(t *testing.T) {
	t.Parallel()
	server := mcptest.New("kind", mcptest.Process{})
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(service.Close)
	for _, hasPrompt := range []bool{false, true} {
		k := newKit(t, `{"mcpServers": {"toy": {"url": "`+service.URL+`", "type": "http"}}}`, func(k *kit) { k.project.Options.Interactive = false })
		if hasPrompt {
			k.agent.AddMessage(t.Context(), agent.Message{Content: llm.User(llm.Text("Hi.")), IsPrompt: true})
		}
		first, second := k.expand(agent.TextPrompt("One")), k.expand(agent.TextPrompt("Two"))
		head := k.agent.History()[0].Content.Text()
		if read := llm.PartsText(k.expand(agent.TextPrompt("Read @toy:test://one")).Parts); !strings.Contains(read, "--- Content from referenced files ---") {
			t.Errorf("a resource of the server is not attached: %s", read)
		}
		isTold := strings.Contains(llm.PartsText(first.Parts), "Be kind.")
		if isTold != hasPrompt || (head == "new") == hasPrompt || llm.PartsText(second.Parts) != "Two" {
			t.Errorf("has a prompt %v: the opening is %q, the prompts %q, %q", hasPrompt, head, llm.PartsText(first.Parts), llm.PartsText(second.Parts))
		}
	}
}

// Once the cards of remote subagents are there, the model learns of them, and a prompt can mention these subagents.
func TestAgentCards(t *testing.T) {
	t.Parallel()
	remote := a2atest.New(a2atest.Options{New: true})
	t.Cleanup(remote.Close)
	k := newKit(t, `{}`, func(k *kit) {
		dir := filepath.Join(k.project.Paths.GeminiDir(), "agents")
		k.check(os.MkdirAll(dir, 0o700))
		k.check(os.WriteFile(filepath.Join(dir, "far.md"), []byte("---\nkind: remote\nname: far\ndescription: x\nagent_card_url: "+remote.CardURL+"\n---\n"), 0o600))
	})
	first := k.expand(agent.TextPrompt("Ask @far"))
	k.expand(agent.TextPrompt("Again"))
	if k.refreshed != 1 || !strings.Contains(llm.PartsText(first.Parts), "selected the following agent(s): far") {
		t.Errorf("refreshed %d times, the prompt is %q", k.refreshed, llm.PartsText(first.Parts))
	}
}
