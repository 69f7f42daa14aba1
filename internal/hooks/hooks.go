// Package hooks has the hooks of a session: it reads them, warns about them, and runs those for the start and the end
// of a conversation. Nothing of it knows a session.
package hooks

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/mcp"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/servers"
	"pollux/internal/tools/plan"
	"pollux/llm"
	"pollux/tool"
)

// Parts are the parts of a session that hooks use.
type Parts struct {
	Project  *project.Project
	Policy   *policy.Engine
	Models   *models.Directory
	Plans    *plan.Plans
	Registry *tool.Registry
	Record   *record.Record
	Records  *records.Stream
	Servers  *servers.Servers
	// ServersOf returns the MCP servers of a subagent, nil if it has none.
	ServersOf func(subagent string) *mcp.Servers
	// ID returns the id of the conversation.
	ID func() string
	// RequestConfig returns the configuration of the conversation's requests to a model. Hooks need it once a prompt runs.
	RequestConfig func(model string) llm.Config
	// Around is called before and after the program of a hook runs; nil for none.
	Around func(ctx context.Context, h *hook.Hook) (end func())
}

// Hooks are the hooks of a session.
type Hooks struct {
	parts Parts
	set   *hook.Set // nil for none
	// startContext is the text of SessionStart hooks for the first prompt; "" for none.
	startContext string
	hasStarted   bool // another conversation is not the one that the session has opened with
	last         lastRuns
}

// Open reads the hooks, and warns of those that the project has added and of mistakes. The caller must close them. The error is
// that of [config.CheckLost].
func Open(p Parts) (*Hooks, error) {
	h := &Hooks{parts: p}
	if !p.Project.AreHooksEnabled() {
		return h, nil
	}
	list, lost := p.Project.ReadHooks()
	if err := config.CheckLost(lost, p.Project.Options.Asker != nil); err != nil || len(list) == 0 {
		return h, err
	}
	warnOfAdded(p.Project, list)
	h.set = p.Project.HookSet(list, hook.Options{
		SessionID: p.ID, Transcript: p.Record.Transcript, PlansDir: p.Plans.Dir, Interactive: p.Project.Options.Interactive,
		Mode:   func() string { return p.Policy.Mode().String() },
		Server: h.describeServer, Configure: h.configure, Observe: h.record,
		Around: p.Around, Running: h.showRunning(),
	})
	for _, text := range h.set.Unmatched(toolNames(p.Registry)) {
		p.Project.LeaveOut(text)
	}
	return h, nil
}

// showRunning returns the function that shows the hooks that run, unless the user does not want that; nil if there is no one.
func (h *Hooks) showRunning() func([]hook.Running) {
	p := h.parts.Project
	if p.Options.HooksRunning == nil {
		return nil
	}
	return func(list []hook.Running) {
		if !config.HookNotifications.In(p.Settings()) {
			list = nil
		}
		p.Options.HooksRunning(list)
	}
}

// Set returns the hooks, nil if there are none. It may be called during a run.
func (h *Hooks) Set() *hook.Set { return h.set }

// Model returns the hooks around requests to a model, nil if there are none. It may be called during a run.
func (h *Hooks) Model() agent.Hooks {
	if h.set == nil {
		return nil
	}
	return h.set
}

// Close ends the processes that hooks have left running.
func (h *Hooks) Close() {
	if h.set != nil {
		h.set.Close()
	}
}

// Reload reads the settings again, and enables and disables hooks by them. It may be called during a run.
func (h *Hooks) Reload() error {
	err := h.parts.Project.Reload()
	if err == nil && h.set != nil {
		h.set.Disable(project.DisabledHooks(h.parts.Project.Settings(), h.set.Hooks()))
	}
	return err
}

// Start runs the hooks for the start of a conversation. Their text for the model is given to add in an interactive
// session, and to the first prompt in others, see [Hooks.AddStartContext]. A conversation after a clear gets none.
func (h *Hooks) Start(ctx context.Context, source hook.StartSource, add func(context.Context, agent.Message)) {
	if h.set == nil {
		return
	}
	var v agent.Verdict
	if b := h.parts.Project.Options.Begun; b != nil && !h.hasStarted {
		v = h.set.SessionReopen(ctx, source, b)
	} else {
		v = h.set.SessionStart(ctx, source)
	}
	h.hasStarted = true
	isInteractive := h.parts.Project.Options.Interactive
	if v.SystemMessage != "" && !isInteractive { // a person has seen the messages of the hooks
		h.parts.Project.Warn(v.SystemMessage)
	}
	if v.Context == "" || source == hook.ClearSource {
		return
	}
	text := "<hook_context>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context) + "</hook_context>"
	if !isInteractive {
		h.startContext = text
		return
	}
	add(ctx, agent.Message{Content: llm.User(llm.Text(text))})
}

// AddStartContext puts the text of SessionStart hooks before the first prompt. It changes no later prompt.
func (h *Hooks) AddStartContext(p *agent.Prompt) {
	if h.startContext == "" {
		return
	}
	text := h.startContext
	h.startContext = ""
	p.Shown = p.Text()
	if len(p.Parts) > 0 && p.Parts[0].IsText() {
		p.Parts = append([]llm.Part{llm.Text(text + "\n\n" + p.Parts[0].Text)}, p.Parts[1:]...)
		return
	}
	p.Parts = append([]llm.Part{llm.Text(text)}, p.Parts...)
}

// End runs the hooks for the end of a conversation, unless the session opens again.
func (h *Hooks) End(ctx context.Context, reason hook.EndReason) {
	if h.set != nil && !h.parts.Project.Options.Begun.IsPaused() {
		h.set.SessionEnd(ctx, reason)
	}
}

// warnOfAdded warns, once, of each hook that the project has added.
func warnOfAdded(p *project.Project, list []hook.Hook) {
	if !p.IsTrusted() {
		return
	}
	added, err := hook.MarkSeen(filepath.Join(p.Paths.GeminiDir(), "trusted_hooks.json"), p.Paths.Dir(), list)
	if err != nil {
		p.Warn("Warning: " + err.Error())
	}
	if len(added) == 0 {
		return
	}
	for i, id := range added {
		added[i] = strings.ReplaceAll(id, "\n", "\n    ") // a command cannot pass for a line of Pollux
	}
	p.Warn("WARNING: The following project-level hooks have been detected in this workspace:\n  - " + strings.Join(added, "\n  - ") + "\n\n" +
		"These hooks will be executed. If you did not configure these hooks or do not trust this project,\n" +
		"please review the project settings (.gemini/settings.json) and remove them.")
}

// toolNames returns the names of all tools that hooks and rules may name, those of MCP servers excepted.
func toolNames(r *tool.Registry) []string {
	names := policy.ToolNames()
	for _, t := range r.All() {
		names = append(names, t.Spec().Name)
		names = append(names, t.Spec().Aliases...)
	}
	return names
}

// configure sets the model that a hook has chosen for a request, and the settings that depend on it.
func (h *Hooks) configure(req *llm.Request, model string) error {
	resolved, err := h.parts.Models.Resolve(model)
	if err != nil {
		return err
	}
	req.Model = resolved
	if req.Use == llm.UseMain || req.Use == llm.UseAside { // others keep their own instruction and tools
		req.Config = h.parts.RequestConfig(resolved)
	}
	return nil
}

// describeServer describes an MCP server, of the session or of a subagent, without variables and headers, which may be
// secret.
func (h *Hooks) describeServer(name, subagent string) hook.Server {
	live := h.parts.Servers.MCP()
	if subagent != "" {
		live = h.parts.ServersOf(subagent)
	}
	if live == nil {
		return hook.Server{}
	}
	for _, st := range live.Status() {
		if c := st.Config; c.Name == name {
			return hook.Server{Command: c.Command, Args: c.Args, Dir: c.Dir, URL: cmp.Or(c.URL, c.HTTPURL)}
		}
	}
	return hook.Server{}
}

// record records one run of a hook.
func (h *Hooks) record(c hook.Call) {
	r := records.HookRun{
		Event: string(c.Hook.Event), Kind: c.Hook.Kind(), Name: c.Hook.ID(), Input: c.Input, Stdout: c.Stdout, Stderr: c.Stderr,
		Code: c.Code, Failed: c.Failed(), Err: c.Err, Took: c.Duration,
	}
	if c.Output != nil {
		r.Output = c.Output.JSON
	}
	h.last.note(c)
	h.parts.Records.Emit(r)
}
