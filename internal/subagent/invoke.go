package subagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Options are the parts of a session that the tool invoke_agent uses. All must be set, unless their
// comment allows otherwise.
type Options struct {
	// Agents returns the subagents.
	Agents func() *Set
	// Start makes a worker for a local subagent. The worker has the tool done.
	Start func(ctx context.Context, d *Definition, prompt string, done *Completion) (*Worker, error)
	// Remote returns the client of a remote subagent; nil where there is none.
	Remote func(d *Definition) (Remote, error)
	// Observe receives events, from several goroutines at once; nil drops it.
	Observe func(Event)
}

// Event is something that happened to a run, for records.
type Event struct {
	Kind      EventKind
	Agent, ID string
	// Reason is why the run ended, Turns the number of its requests, and Duration its time. Of a recovery,
	// Success reports whether it gave a result.
	Reason   Reason
	Turns    int
	Duration time.Duration
	Success  bool
}

// EventKind is the kind of an [Event].
type EventKind string

// The kinds.
const (
	Started   EventKind = "started"
	Recovered EventKind = "recovered"
	Finished  EventKind = "finished"
)

// ToolName is the name of the tool with which a model calls subagents.
const ToolName = "invoke_agent"

// NameOf returns the name of the subagent that a call runs, "" if the call is of another tool.
func NameOf(call *agent.ToolCall) string {
	var args struct {
		Agent string `json:"agent_name"`
	}
	if call.Name != ToolName || json.Unmarshal(call.Args, &args) != nil {
		return ""
	}
	return args.Agent
}

// NewTool returns the tool invoke_agent.
func NewTool(o Options) tool.Tool {
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	return &invoke{o}
}

type invoke struct{ o Options }

var invokeSpec = tool.Spec{
	Name: ToolName, DisplayName: "Invoke Subagent", Aliases: []string{"AgentTool"}, Kind: tool.KindAgent,
	Description: "Hands a task to a subagent and returns its result. Calls in one turn run at the same time.",
	WholeTexts:  []string{"prompt"},
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"agent_name":{"type":"string","description":"The name of the subagent."},` +
		`"prompt":{"type":"string","description":"The complete task. The subagent sees nothing of this conversation: include the goal, the context, what is settled, where to look, and what to return."}},` +
		`"required":["agent_name","prompt"]}`),
}

func (*invoke) Spec() *tool.Spec { return &invokeSpec }

func (t *invoke) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Agent  string `json:"agent_name"`
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	d, found := t.o.Agents().Find(args.Agent)
	if !found {
		var names []string
		for _, d := range t.o.Agents().Enabled() {
			names = append(names, d.Name)
		}
		//lint:ignore ST1005 the text is a contract
		return nil, fmt.Errorf("Subagent '%s' not found. Available: %s.", args.Agent, strings.Join(names, ", "))
	}
	return &invocation{o: &t.o, agent: d, prompt: args.Prompt}, nil
}

type invocation struct {
	o      *Options
	agent  *Definition
	prompt string
}

// Summary names the subagent and the first line of its task, by which people tell calls apart.
func (c *invocation) Summary() string {
	const most = 80 // bytes
	task, _, _ := strings.Cut(strings.TrimSpace(c.prompt), "\n")
	if task = strings.TrimSpace(task); task != "" {
		task = ": " + ellipsis.Bytes(task, most)
	}
	return fmt.Sprintf("Delegating to agent '%s'%s", c.agent.Name, task)
}

func (*invocation) Locations() []tool.Location { return nil }

func (c *invocation) Confirmation(ctx context.Context) (tool.Confirmation, error) {
	if c.agent.Kind == RemoteKind {
		q := &tool.InfoConfirmation{
			Title: "Call Remote Agent: " + c.agent.Title(), Prompt: "Calling remote agent: \"" + c.prompt + "\"", IsSent: true,
		}
		if client, err := c.client(); err == nil {
			if to := client.Address(ctx); to != "" {
				q.URLs = []string{to}
			}
		}
		return q, nil
	}
	return &tool.InfoConfirmation{Title: "Invoke Subagent: " + c.agent.Title(), Prompt: c.prompt}, nil
}

func (c *invocation) Run(ctx context.Context, host tool.Host) *tool.Result {
	if c.agent.Kind == RemoteKind {
		return c.runRemote(ctx, host)
	}
	return c.runLocal(ctx, host)
}

func (c *invocation) runLocal(ctx context.Context, host tool.Host) *tool.Result {
	p := &progress{agent: c.agent.Name, show: host.Output}
	p.update()
	done := NewCompletion(c.agent.Output)
	w, err := c.o.Start(ctx, c.agent, c.prompt, done)
	if err != nil {
		return c.result(p, "", end{reason: Failed, err: err})
	}
	p.title = w.Title
	c.o.Observe(Event{Kind: Started, Agent: c.agent.Name, ID: w.ID})
	began := time.Now()
	r := &run{Definition: c.agent, Worker: w, completion: done, host: host, progress: p, observe: c.o.Observe}
	e := end{reason: Failed}
	defer func() {
		c.o.Observe(Event{Kind: Finished, Agent: c.agent.Name, ID: w.ID, Reason: e.reason, Turns: r.turns, Duration: time.Since(began)})
		w.Close(summary(e))
	}()
	e = r.do(ctx)
	return c.result(p, w.ID, e)
}

// summary returns the result of a run as the title of its record.
func summary(e end) string {
	if e.reason != Goal {
		return ""
	}
	return ellipsis.Bytes(e.result, maxSummary)
}

// How much of a result its record has as a title, and a person sees, in bytes.
const (
	maxSummary = 200
	maxResult  = 32 << 10
)

// result returns the result of the call.
func (c *invocation) result(p *progress, id string, e end) *tool.Result {
	r := &tool.Result{AgentID: id}
	if id != "" {
		r.Data = map[string]any{"agentId": id}
	}
	switch {
	case e.stop != "":
		r.Error, r.Display, r.Summary = &tool.Error{Type: tool.ErrStopExecution, Message: e.stop}, p.display(tool.AgentCancelled), "stopped"
		return r
	case e.err != nil:
		p.think("Error: "+e.err.Error(), tool.AgentError)
		r.Content = []llm.Part{llm.Text(fmt.Sprintf("Subagent '%s' failed. Error: %v", c.agent.Name, e.err))}
		r.Display, r.Summary, r.Problem = p.display(tool.AgentError), "failed: "+e.err.Error(), c.problem(e.err)
		return r
	case e.reason == Aborted:
		r.Display, r.Summary = p.display(tool.AgentCancelled), "cancelled"
		return r
	}
	d := p.display(tool.AgentCompleted)
	d.Result, d.Reason = ellipsis.Bytes(e.result, maxResult), string(e.reason)
	r.Content = []llm.Part{llm.Text(fmt.Sprintf("Subagent '%s' finished.\nTermination Reason: %s\nResult:\n%s", c.agent.Name, e.reason, e.result))}
	r.Display, r.Summary = d, "Completed successfully"
	if e.reason != Goal {
		r.Summary = "Finished early (" + string(e.reason) + ")"
	}
	return r
}

// problem returns the error of the subagent for a person. The call itself does not fail, as in
// Gemini CLI.
func (c *invocation) problem(err error) string {
	return fmt.Sprintf("Subagent '%s' failed: %v", c.agent.Name, err)
}

// errNoClient means that this build or session cannot reach remote subagents.
var errNoClient = errors.New("remote subagents cannot be reached from this session")

func (c *invocation) client() (Remote, error) {
	if c.o.Remote == nil {
		return nil, errNoClient
	}
	return c.o.Remote(c.agent)
}

func (c *invocation) runRemote(ctx context.Context, host tool.Host) *tool.Result {
	p := &progress{agent: c.agent.Name, show: host.Output}
	client, err := c.client()
	if err != nil {
		return c.result(p, "", end{err: err})
	}
	text, err := client.Send(ctx, c.prompt, func(text string) {
		if host.Output != nil {
			host.Output(tool.TextDisplay(text))
		}
	})
	switch {
	case ctx.Err() != nil:
		return c.result(p, "", end{reason: Aborted})
	case err != nil:
		message := "Error calling remote agent: " + err.Error()
		return &tool.Result{
			Content: []llm.Part{llm.Text(tool.Untrusted(strings.TrimSpace(text + "\n\n" + message)))}, Display: tool.TextDisplay(strings.TrimSpace(text + "\n\n" + message)),
			Summary: message, Problem: c.problem(err),
		}
	}
	return &tool.Result{Content: []llm.Part{llm.Text(tool.Untrusted(text))}, Display: tool.TextDisplay(text)}
}
