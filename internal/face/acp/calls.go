package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// calls are the tool calls of a turn as the client knows them.
type calls struct {
	chat      *chat
	byID      map[string]*call
	order     []*call
	questions int               // that no call has asked, in all turns
	terminals map[string]string // of the client, by the ids of calls that are not known to run

	timer *time.Timer // runs while output waits
}

// call is a tool call. Its id has those of the calls in which it runs before it.
type call struct {
	id     string
	parent string
	agent  *agent.ToolCall

	title     string
	tool      schema.ToolKind
	content   []schema.CallContent
	locations []schema.Location
	window    *window // nil if its output is shown as text
	terminal  string  // of the client, in which it runs; "" for none

	isKnown   bool // to the client
	isRunning bool
	isOver    bool
	waiting   tool.Display // output that the client does not have yet
	sent      time.Time    // when it got the last output
}

// outputInterval is the time between two reports of the output of a call.
const outputInterval = 250 * time.Millisecond

// pathOf returns the id of a call for the client.
func pathOf(within []*agent.ToolCall, t *agent.ToolCall) (id, parent string) {
	for _, outer := range within {
		parent = strings.TrimPrefix(parent+"/"+outer.ID, "/")
	}
	return strings.TrimPrefix(parent+"/"+t.ID, "/"), parent
}

// get returns a call, and adds it if it is new.
func (s *calls) get(within []*agent.ToolCall, t *agent.ToolCall) *call {
	id, parent := pathOf(within, t)
	if known := s.byID[id]; known != nil {
		return known
	}
	if s.byID == nil {
		s.byID = map[string]*call{}
	}
	k := &call{id: id, parent: parent, agent: t, title: terminal.Line(t.Name), tool: schema.ToolOther, locations: []schema.Location{}, content: []schema.CallContent{}}
	s.byID[id] = k
	s.order = append(s.order, k)
	return k
}

// card returns a call as a question about it has it.
func (s *calls) card(within []*agent.ToolCall, t *agent.ToolCall) schema.Call {
	k := s.get(within, t)
	s.announce(k)
	card := k.whole()
	card.Status = schema.Pending
	return card
}

// whole returns all that is known about a call.
func (k *call) whole() schema.Call {
	w := schema.Call{
		ID: k.id, Title: k.title, Name: terminal.Line(k.agent.Name), Tool: k.tool, Content: k.content, Locations: k.locations, Input: inputOf(k.agent.Args),
	}
	if k.parent != "" {
		w.Meta = schema.Meta{"pollux.dev/parentToolCallId": k.parent, "parentToolCallId": k.parent}
	}
	return w
}

// inputOf returns the arguments of a call, unless they are too long, or no JSON.
func inputOf(args json.RawMessage) json.RawMessage {
	if len(args) > kit.MaxText || !json.Valid(args) {
		return nil
	}
	return args
}

// announce tells the client of a call, once.
func (s *calls) announce(k *call) {
	if k.isKnown {
		return
	}
	k.isKnown = true
	s.chat.text.flush()
	k.openWindow(s.chat)
	began := k.whole()
	began.Kind, began.Status = schema.CallBegan, schema.Pending
	if k.window != nil {
		began.Meta = began.Meta.With(k.windowInfo(s.chat))
	}
	s.chat.send(began)
}

// updated takes the progress of a call.
func (s *calls) updated(w *work, within []*agent.ToolCall, e agent.ToolUpdated) {
	k := s.get(within, e.Call)
	if k.isOver {
		return
	}
	k.describe(w, e.Kind, e.Summary, e.Locations, s.chat)
	if e.Running != nil && e.Running.Call().Requested == "" {
		k.entitle(e.Running.Args())
	}
	if e.Status == agent.Validating || e.Status == agent.AwaitingApproval {
		return // the question, or the next report, knows more
	}
	s.announce(k)
	if e.Status == agent.Executing && !k.isRunning {
		k.isRunning = true
		s.chat.send(schema.Call{Kind: schema.CallChanged, ID: k.id, Title: k.title, Status: schema.InProgress, Locations: k.locations})
		if id := s.terminals[k.agent.ID]; id != "" {
			delete(s.terminals, k.agent.ID)
			s.showTerminal(inTerminal{k.agent.ID, id})
		}
	}
	if e.Output != nil {
		k.waiting = e.Output
		s.sendOutput(k)
	}
}

// describe sets the title, the kind and the places of a call as far as they are known.
func (k *call) describe(w *work, kind tool.Kind, summary string, locations []tool.Location, c *chat) {
	if kind != "" {
		k.tool = kindOf(kind)
	}
	if summary != "" {
		k.title = kit.Label(w.names, k.agent.Name, summary)
		k.entitle(k.agent.Args)
	}
	if len(locations) > 0 {
		k.locations = c.locations(locations)
	}
}

// entitle makes the command of a shell call its title: the person has to know it.
func (k *call) entitle(args json.RawMessage) {
	if command := shellArgs(args).Command; k.agent.Name == shellTool && command != "" {
		k.title = terminal.Line(command)
	}
}

// commandArgs are the arguments of a shell call.
type commandArgs struct {
	Command string `json:"command"`
	Dir     string `json:"dir_path"`
}

// shellArgs returns the arguments of a shell call, as far as they can be read.
func shellArgs(args json.RawMessage) (a commandArgs) {
	if json.Unmarshal(args, &a) != nil {
		return commandArgs{}
	}
	return a
}

// kindOf returns the kind of a tool for the client.
func kindOf(k tool.Kind) schema.ToolKind {
	switch k {
	case tool.KindRead:
		return schema.ToolRead
	case tool.KindEdit:
		return schema.ToolEdit
	case tool.KindDelete:
		return schema.ToolDelete
	case tool.KindMove:
		return schema.ToolMove
	case tool.KindSearch:
		return schema.ToolSearch
	case tool.KindExecute:
		return schema.ToolExecute
	case tool.KindThink, tool.KindAgent, tool.KindPlan:
		return schema.ToolThink
	case tool.KindFetch:
		return schema.ToolFetch
	case tool.KindSwitchMode:
		return schema.ToolSwitchMode
	}
	return schema.ToolOther
}

// asked takes the question about a call, which has the change that it makes.
func (s *calls) asked(w *work, e agent.ToolAsked) {
	k := s.get(e.Within, e.Call)
	if about := e.Question.About(); len(about) > 0 {
		k.describe(w, about[0].Tool().Spec().Kind, about[0].Summary(), about[0].Locations(), s.chat)
		k.entitle(about[0].Args())
	}
	if edit, ok := e.Question.Details().(*tool.EditConfirmation); ok {
		k.content = s.chat.diff(&edit.DiffDisplay)
	}
	s.announce(k)
}

// finished takes the end of a call.
func (s *calls) finished(w *work, within []*agent.ToolCall, e agent.ToolFinished) {
	k := s.get(within, e.Call)
	if k.isOver {
		return
	}
	k.isOver, k.waiting = true, nil
	if summary := e.Summary(); summary != "" && !k.isKnown {
		k.describe(w, "", summary, nil, s.chat)
	}
	s.announce(k)
	end := schema.Call{Kind: schema.CallChanged, ID: k.id, Title: k.title, Status: statusOf(e.Status), Locations: k.locations}
	end.Content, end.Output = s.chat.results(&e, k.shownIn())
	if k.window != nil {
		end.Meta = k.end(&e)
	}
	s.chat.send(end)
	if plan := planOf(&e); plan != nil {
		s.chat.send(plan)
	}
}

// statusOf returns how a call has ended.
func statusOf(s agent.Status) schema.Status {
	if s == agent.Success {
		return schema.Completed
	}
	return schema.Failed
}

// sendOutput tells the client the output of a running call, not too often.
func (s *calls) sendOutput(k *call) {
	if wait := outputInterval - time.Since(k.sent); wait > 0 {
		if s.timer == nil {
			s.timer = time.NewTimer(wait)
		}
		return
	}
	waiting := k.waiting
	k.waiting, k.sent = nil, time.Now()
	if text, isText := tool.DisplayText(waiting); k.window != nil && isText {
		if more := k.more(terminal.Text(text)); more != nil {
			s.chat.send(schema.Call{Kind: schema.CallChanged, ID: k.id, Meta: more})
		}
		return
	}
	if content, _ := s.chat.display(waiting, 0, true); len(content) > 0 {
		s.chat.send(schema.Call{Kind: schema.CallChanged, ID: k.id, Content: content})
	}
}

// waiting returns a channel that gets a value when it is time for [calls.flush]; nil if no output waits.
func (s *calls) waiting() <-chan time.Time {
	if s.timer == nil {
		return nil
	}
	return s.timer.C
}

// flush tells the client the output that waits.
func (s *calls) flush() {
	s.timer = nil
	for _, k := range s.order {
		if k.waiting != nil {
			s.sendOutput(k)
		}
	}
}

// close ends the calls of a turn. None stays open for the client.
func (s *calls) close() {
	for _, k := range s.order {
		if k.isKnown && !k.isOver {
			end := schema.Call{Kind: schema.CallChanged, ID: k.id, Status: schema.Failed}
			if k.window != nil {
				end.Meta = exitOf(k.id, nil, false)
			}
			s.chat.send(end)
		}
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.byID, s.order, s.timer, s.terminals = nil, nil, nil, nil
}

// planOf returns the list of tasks that a call has written, nil for none.
func planOf(e *agent.ToolFinished) *schema.Plan {
	for i := len(e.Executions) - 1; i >= 0; i-- {
		if x := &e.Executions[i]; x.Result != nil && x.Status == agent.Success {
			if todos, ok := x.Result.Display.(*tool.TodoDisplay); ok {
				return newPlan(todos)
			}
		}
	}
	return nil
}

func newPlan(d *tool.TodoDisplay) *schema.Plan {
	plan := &schema.Plan{Kind: schema.PlanChanged, Entries: []schema.PlanEntry{}}
	for _, t := range d.Todos {
		status := schema.Pending
		switch t.Status {
		case tool.TodoInProgress:
			status = schema.InProgress
		case tool.TodoCompleted:
			status = schema.Completed
		case tool.TodoCancelled:
			continue
		}
		plan.Entries = append(plan.Entries, schema.PlanEntry{Content: terminal.Line(t.Description), Priority: "medium", Status: status})
	}
	return plan
}

// locations returns places in files as the client names them.
func (c *chat) locations(list []tool.Location) []schema.Location {
	out := []schema.Location{}
	for _, l := range list {
		shown := schema.Location{Path: c.place.shown(l.Path), Line: l.Line}
		if !slices.Contains(out, shown) {
			out = append(out, shown)
		}
	}
	return out
}

// shown returns the path of a file as the client has it: below the directory that it has named, which may be a link.
func (p *place) shown(path string) string {
	if rest, ok := strings.CutPrefix(path, p.real); ok && p.dir != p.real && (rest == "" || strings.HasPrefix(cmp.Or(rest, "/"), "/")) {
		return p.dir + rest
	}
	return path
}
