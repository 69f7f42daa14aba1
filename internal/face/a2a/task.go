package a2a

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"pollux/internal/a2a/protocol"
	"pollux/internal/crash"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/terminal"
)

// task is a task of a client. Its id is that of the record of its session.
type task struct {
	server    *server
	id        string
	contextID string
	dir       string // without links
	settings  schema.Settings
	began     time.Time

	token chan struct{} // holds a token while a turn, or a change between turns, is under way
	// hasRecord says that the session can be opened again; only used with the token.
	hasRecord bool

	mu        sync.Mutex // guards the fields below
	status    schema.Status
	used      time.Time // when a turn has ended
	isClosed  bool
	history   history
	outputs   outputs
	followers map[*follower]bool
	turn      *turn // in progress, nil for none
	work      *work // nil if the session is not open
	model     string
	questions map[string]*question
	asked     int               // questions that no call has asked
	textID    string            // of the message with the text of the response in progress, "" for none
	cleaner   terminal.Stripper // of that text

	running map[string]bool // ids of calls that run
	calls   calls

	goroutines sync.WaitGroup
}

func newTask(s *server, contextID, dir string, set schema.Settings) *task {
	if contextID == "" {
		contextID = uuid.NewString()
	}
	t := &task{
		server: s, id: uuid.NewString(), contextID: contextID, dir: dir, settings: set, began: time.Now(), used: time.Now(), token: make(chan struct{}, 1),
		status:    schema.Status{State: schema.Submitted, Timestamp: now()},
		followers: map[*follower]bool{}, questions: map[string]*question{}, running: map[string]bool{},
	}
	t.calls.task = t
	return t
}

// now returns the time as messages have it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// background calls f on a goroutine of its own.
func (t *task) background(f func()) {
	t.goroutines.Go(func() {
		defer crash.Recover()
		f()
	})
}

// kind is the kind of a status update.
type kind string

// The kinds of status updates, as clients of Gemini CLI know them.
const (
	textContent kind = "text-content"
	thoughtKind kind = "thought"
	citation    kind = "citation"
	callUpdate  kind = "tool-call-update"
	callAsked   kind = "tool-call-confirmation"
	stateChange kind = "state-change"
)

// report is a status update to send.
type report struct {
	kind      kind
	parts     []schema.Part // of the message, nil for none
	messageID string        // "" makes one
	isFinal   bool
	problem   string // error of the turn, "" for none
	usage     *usage // nil for none
}

// tell sends a status update to all followers. The caller holds t.mu.
func (t *task) tell(r report) {
	t.status.Message, t.status.Timestamp = nil, now()
	if len(r.parts) > 0 {
		if r.messageID == "" {
			r.messageID = uuid.NewString()
		}
		t.status.Message = &schema.Message{Kind: protocol.MessageEvent, Role: schema.Agent, Parts: r.parts, MessageID: r.messageID, TaskID: t.id, ContextID: t.contextID}
		t.history.add(*t.status.Message)
	}
	meta := schema.Metadata{"coderAgent": schema.Metadata{"kind": r.kind}, "model": t.modelName()}
	if r.problem != "" {
		meta["error"] = r.problem
	}
	if r.usage != nil {
		meta["usageMetadata"] = r.usage
	}
	t.publish(&schema.StatusUpdate{Kind: protocol.StatusEvent, TaskID: t.id, ContextID: t.contextID, Status: t.status, Final: &r.isFinal, Metadata: meta})
	if r.isFinal {
		t.endFollowers()
	}
}

// publish sends an event, see [schema.NewEvent], to all followers. The caller holds t.mu.
func (t *task) publish(e any) {
	for f := range t.followers {
		f.add(e)
	}
}

// endFollowers says to all followers that nothing follows. The caller holds t.mu.
func (t *task) endFollowers() {
	for f := range t.followers {
		f.end()
	}
	clear(t.followers)
}

// setState changes the state, and sends it. The caller holds t.mu.
func (t *task) setState(s schema.State, r report) {
	if t.status.State != s {
		t.server.Log.Info("A task has another state.", "task", t.id, "state", s)
	}
	t.status.State = s
	r.kind = stateChange
	t.tell(r)
}

// modelName returns the name of the model that answers. The caller holds t.mu.
func (t *task) modelName() string {
	switch {
	case t.model != "":
		return t.model
	case t.work != nil:
		return t.work.live.Models.Current().Model
	}
	return "unknown"
}

// snapshot returns the task with the last messages, nil for all.
func (t *task) snapshot(last *int) *schema.Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current(last)
}

// current is snapshot for a caller that holds t.mu.
func (t *task) current(last *int) *schema.Task {
	set := t.settings
	return &schema.Task{
		Kind: protocol.TaskEvent, ID: t.id, ContextID: t.contextID, Status: t.status, History: t.history.last(last), Artifacts: t.outputs.list(),
		Metadata: schema.Metadata{"__persistedState": schema.Metadata{"_agentSettings": &set, "_taskState": t.status.State}, "_contextId": t.contextID},
	}
}

// idleness is whether a task does nothing, and since when.
type idleness struct {
	isIdle, hasEnded bool
	since            time.Time
}

func (t *task) idleness() idleness {
	t.mu.Lock()
	defer t.mu.Unlock()
	return idleness{t.turn == nil, t.status.State.IsTerminal(), t.used}
}

// leave takes a follower that reads no more. If no one follows the turn in progress, it ends.
func (t *task) leave(f *follower) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.followers[f] {
		return
	}
	delete(t.followers, f)
	if t.turn != nil && !t.turn.isDetached && len(t.followers) == 0 {
		t.abort("Execution aborted by client.")
	}
}

// cancel ends the task.
func (t *task) cancel() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.status.State.IsTerminal() {
		return schema.Errorf(protocol.NotCancelable, "Task %s is already %s.", t.id, t.status.State)
	}
	t.end(schema.Canceled, report{parts: []schema.Part{schema.TextPart("Task canceled by user request.")}})
	if !t.isClosed {
		t.background(t.close)
	}
	return nil
}

// end brings the task into a state in which it has ended. The caller holds t.mu, and calls close afterwards.
func (t *task) end(s schema.State, r report) {
	if t.turn != nil {
		t.endTurn()
	}
	r.isFinal = true
	t.setState(s, r)
}

// close ends the session of the task. No turn begins afterwards.
func (t *task) close() {
	t.mu.Lock()
	t.isClosed = true
	if t.turn != nil && !t.turn.isSent {
		t.endTurn()
	}
	t.endFollowers()
	w := t.work
	t.mu.Unlock()
	if w != nil {
		w.driver.LeaveSoon(w.ended)
	}
	t.token <- struct{}{} // the turns have ended, and no other begins
	defer func() { <-t.token }()
	t.stop()
}
