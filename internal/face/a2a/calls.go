package a2a

import (
	"cmp"
	"encoding/json"
	"strings"

	"pollux/agent"
	"pollux/internal/a2a/protocol"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// calls are the tool calls of a turn as clients know them.
type calls struct {
	task *task
	byID map[string]*call
}

// call is a tool call as the data of a part, in the form of Gemini CLI.
type call struct {
	Request   request       `json:"request"`
	Status    agent.Status  `json:"status"`
	Details   any           `json:"confirmationDetails,omitempty"`
	Live      string        `json:"liveOutput,omitempty"`
	Response  *callResponse `json:"response,omitempty"`
	Outcome   tool.Outcome  `json:"outcome,omitempty"`
	Tool      *toolInfo     `json:"tool,omitempty"`
	Locations []string      `json:"locations,omitempty"`
	Summary   string        `json:"summary,omitempty"` // describes the call in one line

	output string // all of Live that clients have
}

// request is the request of the model.
type request struct {
	ID         string          `json:"callId"`
	Name       string          `json:"name"`
	Args       json.RawMessage `json:"args"`
	IsByClient bool            `json:"isClientInitiated"`
	PromptID   string          `json:"prompt_id"`
}

// toolInfo describes a tool.
type toolInfo struct {
	Name        string          `json:"name"`
	DisplayName string          `json:"displayName"`
	Description string          `json:"description"`
	Kind        tool.Kind       `json:"kind"`
	IsMarkdown  bool            `json:"isOutputMarkdown"`
	CanUpdate   bool            `json:"canUpdateOutput"`
	Schema      declaration     `json:"schema"`
	Parameters  json.RawMessage `json:"parameterSchema"`
}

// declaration is the description of a tool for a model.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema"`
}

func newToolInfo(s *tool.Spec) *toolInfo {
	return &toolInfo{
		Name: s.Name, DisplayName: s.DisplayName, Description: s.Description, Kind: s.Kind, IsMarkdown: !s.Plain,
		CanUpdate: s.Kind == tool.KindExecute, Schema: declaration{s.Name, s.Description, s.Schema}, Parameters: s.Schema,
	}
}

// callResponse is the result of a call.
type callResponse struct {
	ID        string         `json:"callId"`
	Parts     []llm.Part     `json:"responseParts"`
	Display   any            `json:"resultDisplay,omitempty"`
	Error     *callError     `json:"error,omitempty"`
	ErrorType tool.ErrorType `json:"errorType,omitempty"`
}

type callError struct {
	Message string `json:"message"`
}

// diff is a change of a file.
type diff struct {
	Diff   string  `json:"fileDiff"`
	Name   string  `json:"fileName"`
	Path   string  `json:"filePath"`
	Before *string `json:"originalContent"`
	After  string  `json:"newContent"`
}

// maxFile is the size of the texts of a file that are sent whole, in bytes.
const maxFile = 1 << 20

// newDiff returns a change. Of a big file it has only the differences.
func newDiff(d *tool.DiffDisplay) diff {
	shown := diff{Diff: kit.Tail(d.Diff, 0), Name: d.FileName, Path: d.FilePath, Before: d.Before, After: d.After}
	if len(d.After) > maxFile || d.Before != nil && len(*d.Before) > maxFile {
		shown.Before, shown.After = nil, ""
	}
	return shown
}

// idOf returns the id of a call for clients: those of the calls in which it runs stand before its own.
func idOf(within []*agent.ToolCall, c *agent.ToolCall) string {
	id := ""
	for _, outer := range within {
		id += outer.ID + "/"
	}
	return id + c.ID
}

// get returns a call, and adds it if it is new.
func (s *calls) get(w *work, within []*agent.ToolCall, c *agent.ToolCall) *call {
	id := idOf(within, c)
	if known := s.byID[id]; known != nil {
		return known
	}
	if s.byID == nil {
		s.byID = map[string]*call{}
	}
	k := &call{Request: request{ID: id, Name: c.Name, Args: c.Args}, Status: agent.Scheduled}
	if !json.Valid(c.Args) {
		k.Request.Args = json.RawMessage("{}")
	}
	for _, spec := range w.live.Tools() {
		if spec.Name == c.Name {
			k.Tool = newToolInfo(spec)
		}
	}
	s.byID[id] = k
	return k
}

// send sends a call as it is.
func (s *calls) send(k *call, as kind) {
	s.task.flushText()
	sent := *k
	s.task.tell(report{kind: as, parts: []schema.Part{schema.DataPart(sent)}})
}

// requested takes a call of the model.
func (s *calls) requested(w *work, within []*agent.ToolCall, e agent.ToolRequested) {
	s.send(s.get(w, within, e.Call), callUpdate)
}

// updated takes the progress of a call.
func (s *calls) updated(w *work, within []*agent.ToolCall, e agent.ToolUpdated) {
	k := s.get(w, within, e.Call)
	status := e.Status
	if status == agent.Validating || status == "" {
		status = agent.Scheduled
	}
	if e.Summary != "" {
		k.Summary = terminal.Line(e.Summary)
	}
	k.locate(e.Locations)
	if status == agent.Executing && !s.task.running[k.Request.ID] {
		delete(s.task.questions, k.Request.ID)
		s.task.running[k.Request.ID] = true
	}
	if status != agent.AwaitingApproval && status != k.Status { // the question knows more
		k.Status, k.Details = status, nil
		s.send(k, callUpdate)
	}
	if text, isText := tool.DisplayText(e.Output); isText {
		s.sendOutput(k, terminal.Text(text))
	}
}

func (k *call) locate(list []tool.Location) {
	if len(list) == 0 {
		return
	}
	k.Locations = nil
	for _, l := range list {
		k.Locations = append(k.Locations, l.Path)
	}
}

// sendOutput sends the output of a call so far: the part of it that is new, if it continues the last one.
func (s *calls) sendOutput(k *call, text string) {
	isAppended := k.output != "" && strings.HasPrefix(text, k.output)
	more := strings.TrimPrefix(text, k.output)
	if !isAppended {
		more = text
	}
	if k.output = text; more == "" {
		return
	}
	more = kit.Tail(more, 0)
	id := "tool-" + k.Request.ID + "-output"
	s.task.outputs.add(id, more, isAppended)
	s.task.publish(&schema.ArtifactUpdate{
		Kind: protocol.ArtifactEvent, TaskID: s.task.id, ContextID: s.task.contextID, Append: isAppended,
		Artifact: schema.Artifact{ID: id, Parts: []schema.Part{schema.TextPart(more)}},
	})
}

// asked takes the question about a call.
func (s *calls) asked(w *work, e agent.ToolAsked) {
	q := kit.NewQuestion(e.Question.Details(), true, w.names)
	if q == nil {
		return
	}
	k := s.get(w, e.Within, e.Call)
	if about := e.Question.About(); len(about) > 0 {
		k.Summary = terminal.Line(about[0].Summary())
		k.locate(about[0].Locations())
		k.Request.Args = about[0].Args()
	}
	if edit, ok := e.Question.Details().(*tool.EditConfirmation); ok {
		k.Request.Args = withContent(k.Request.Args, edit.After)
	}
	k.Status, k.Details = agent.AwaitingApproval, detailsOf(q, e.Question.Details())
	s.task.questions[k.Request.ID] = &question{shown: q, details: e.Question.Details()}
	s.send(k, callAsked)
}

// withContent returns the arguments of an edit with the whole text that the file then has.
func withContent(args json.RawMessage, content string) json.RawMessage {
	var object map[string]json.RawMessage
	if len(content) > maxFile || json.Unmarshal(args, &object) != nil {
		return args
	}
	text, err := json.Marshal(content)
	if err != nil {
		return args
	}
	object["newContent"] = text
	if text, err = json.Marshal(object); err != nil {
		return args
	}
	return text
}

// finished takes the end of a call.
func (s *calls) finished(w *work, within []*agent.ToolCall, e agent.ToolFinished) {
	k := s.get(w, within, e.Call)
	id := k.Request.ID
	delete(s.task.questions, id)
	delete(s.task.running, id)
	k.Status, k.Details, k.Live = e.Status, nil, ""
	k.Summary = cmp.Or(k.Summary, terminal.Line(e.Summary()))
	k.Response = &callResponse{ID: id, Parts: e.Response}
	if k.Response.Parts == nil {
		k.Response.Parts = []llm.Part{}
	}
	if n := len(e.Executions); n > 0 {
		x := &e.Executions[n-1]
		k.Outcome = x.Decision.Outcome
		k.Response.add(x.Result)
	}
	if k.Response.Display == nil && e.Reason != "" {
		k.Response.Display = terminal.Text(e.Reason)
	}
	s.send(k, callUpdate)
	delete(s.byID, id)
}

// add adds the form of a result for people.
func (r *callResponse) add(result *tool.Result) {
	if result == nil {
		return
	}
	if result.Error != nil {
		r.Error, r.ErrorType = &callError{kit.Tail(terminal.Text(result.Error.Message), 0)}, result.Error.Type
	}
	switch d := result.Display.(type) {
	case *tool.DiffDisplay:
		r.Display = newDiff(d)
	case nil:
		if result.Summary != "" {
			r.Display = terminal.Text(result.Summary)
		}
	default:
		r.Display = displayText(d)
	}
}

// displayText returns the text of a result for people.
func displayText(d tool.Display) string {
	text, isText := tool.DisplayText(d)
	switch d := d.(type) {
	case *tool.ListDisplay:
		text = strings.Join(append([]string{d.Summary}, d.Items...), "\n")
	case *tool.MatchDisplay:
		lines := []string{d.Summary}
		for _, m := range d.Matches {
			lines = append(lines, m.Path+": "+m.Text)
		}
		text = strings.Join(lines, "\n")
	case *tool.TodoDisplay:
		for _, todo := range d.Todos {
			text += string(todo.Status) + ": " + todo.Description + "\n"
		}
	case *tool.AgentDisplay:
		text = d.ResultText()
	default:
		if !isText {
			return ""
		}
	}
	return kit.Tail(terminal.Text(text), 0)
}
