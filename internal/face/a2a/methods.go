package a2a

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"pollux/internal/a2a/protocol"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit/jsonrpc"
)

// exchange is a request of JSON-RPC with its answer.
type exchange struct {
	server  *server
	w       http.ResponseWriter
	r       *http.Request
	request schema.Request
	isNew   bool // in version 1.0
}

// serveMethod answers a request of JSON-RPC.
func (s *server) serveMethod(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	x := &exchange{server: s, w: w, r: r}
	request, problem := schema.ParseRequest(body)
	x.request = request
	if problem != nil {
		x.fail(problem)
		return
	}
	if version := r.Header.Get(protocol.VersionHeader); version != "" && !protocol.IsNew(version) && !isOld(version) {
		x.fail(schema.Errorf(protocol.UnsupportedVersion, "Version %s of the protocol is not supported. This server has the versions 0.3 and 1.0.", version))
		return
	}
	if err := x.serve(); err != nil {
		x.fail(failure(err))
	}
}

// isOld reports whether a version is 0.3.
func isOld(version string) bool { return version == "0.3" || strings.HasPrefix(version, "0.3.") }

// serve calls the method of the request.
func (x *exchange) serve() error {
	for method, serve := range map[protocol.Method]func() error{
		protocol.Send: x.send, protocol.Stream: x.stream, protocol.Get: x.get, protocol.Cancel: x.cancel, protocol.Subscribe: x.subscribe,
	} {
		if x.isNew = x.request.Method == method.New; x.isNew || x.request.Method == method.Old {
			return serve()
		}
	}
	switch x.request.Method {
	case "GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard":
		return errNoCard
	case "ListTasks":
		return schema.Errorf(protocol.Unsupported, "Tasks are not listed.")
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig":
		return errNoPush
	}
	if strings.HasPrefix(x.request.Method, "tasks/pushNotificationConfig/") {
		return errNoPush
	}
	return schema.Errorf(jsonrpc.MethodNotFound, "Method not found: %s", x.request.Method)
}

// The errors of optional methods.
var (
	errNoCard = &schema.Error{Code: protocol.NoExtendedCard, Message: "There is no other card for clients that have authenticated."}
	errNoPush = &schema.Error{Code: protocol.NoPush, Message: "Push notifications are not supported. Follow the task with message/stream or tasks/resubscribe."}
)

func (x *exchange) fail(err *schema.Error) {
	status := http.StatusOK
	if err.Code == jsonrpc.ParseError {
		status = http.StatusBadRequest // as Gemini CLI's server answers
	}
	reply(x.w, status, schema.NewResponse(x.request.ID, nil, err))
}

// newFollower returns a follower for the client.
func (x *exchange) newFollower(isQuiet bool) *follower {
	return newFollower(x.request.ID, x.isNew, isQuiet, x.server.tasks.waiting)
}

// answer sends a task.
func (x *exchange) answer(t *schema.Task) error {
	var result any = t
	if x.isNew {
		result = t.Bare()
	}
	reply(x.w, http.StatusOK, schema.NewResponse(x.request.ID, result, nil))
	return nil
}

// begin sends a message to its task, which f follows, and returns the task.
func (x *exchange) begin(p *schema.SendParams, f *follower) (*task, error) {
	s := x.server
	if id := p.Message.TaskID; id != "" {
		t, err := s.tasks.find(id)
		if err != nil {
			return nil, err
		}
		return t, t.accept(&p.Message, p.IsDetached, f)
	}
	t, err := s.newTask(p.Message.ContextID, p.Message.Settings)
	if err != nil {
		return nil, err
	}
	if err := t.accept(&p.Message, p.IsDetached, f); err != nil {
		s.tasks.forget(t)
		return nil, err
	}
	return t, nil
}

// newTask adds a task.
func (s *server) newTask(contextID string, set *schema.Settings) (*task, error) {
	dir, err := s.workspace(set)
	if err != nil {
		return nil, err
	}
	agreed := schema.Settings{Kind: schema.SettingsKind, WorkspacePath: dir}
	if set != nil {
		agreed.AutoExecute = set.AutoExecute
		if set.IsTrusted != nil {
			s.Log.Warn("The client says whether it trusts the folder. That is not for clients: start pollux there, and type /permissions trust.", "folder", dir)
		}
	}
	t := newTask(s, contextID, dir, agreed)
	s.Log.Info("A task begins.", "task", t.id, "folder", dir)
	return t, s.tasks.add(t)
}

// send answers with the task once it waits for another message, or at once if the client does not wait.
func (x *exchange) send() error {
	p, problem := schema.ParseSend(x.request.Params)
	if problem != nil {
		return problem
	}
	var f *follower
	if !p.IsDetached {
		f = x.newFollower(true)
	}
	t, err := x.begin(&p, f)
	if err != nil {
		return err
	}
	if f != nil && !x.await(t, f) {
		return nil
	}
	now := t.snapshot(p.HistoryLength)
	if !x.isNew {
		return x.answer(now)
	}
	reply(x.w, http.StatusOK, schema.NewResponse(x.request.ID, schema.NewEvent(now), nil))
	return nil
}

// await waits until nothing follows for a follower, and reports whether the client is still there.
func (x *exchange) await(t *task, f *follower) bool {
	for {
		if _, isOver, _ := f.take(); isOver {
			return true
		}
		select {
		case <-f.wake:
		case <-x.r.Context().Done():
			t.leave(f)
			return false
		}
	}
}

// stream sends the events of a turn.
func (x *exchange) stream() error {
	p, problem := schema.ParseSend(x.request.Params)
	if problem != nil {
		return problem
	}
	f := x.newFollower(false)
	t, err := x.begin(&p, f)
	if err != nil {
		return err
	}
	x.follow(t, f)
	return nil
}

// subscribe sends a task, and the further events of the turn in progress.
func (x *exchange) subscribe() error {
	p, problem := schema.ParseTask(x.request.Params)
	if problem != nil {
		return problem
	}
	t, err := x.server.tasks.find(p.ID)
	if err != nil {
		return err
	}
	f := x.newFollower(false)
	if err := t.subscribe(f); err != nil {
		return err
	}
	x.follow(t, f)
	return nil
}

// subscribe lets f follow the turn in progress, from the task as it is now on.
func (t *task) subscribe(f *follower) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.status.State.IsTerminal() && f.isNew {
		return schema.Errorf(protocol.Unsupported, "Task %s has ended (%s): nothing follows.", t.id, t.status.State)
	}
	f.add(t.current(nil))
	if t.turn == nil || t.status.State == schema.InputRequired {
		f.end()
	} else {
		t.followers[f] = true
	}
	return nil
}

// writeTimeout is how long a client may take to receive an event.
const writeTimeout = 30 * time.Second

// follow sends events until nothing follows. A client that does not receive them is left.
func (x *exchange) follow(t *task, f *follower) {
	defer t.leave(f)
	header := x.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // of proxies
	x.w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(x.w)
	for {
		events, isOver, isSlow := f.take()
		if isSlow {
			x.server.Log.Warn("A client is left that does not read its events.", "task", t.id)
			_ = out.SetWriteDeadline(time.Unix(1, 0)) // not even the end of the stream is sent, so that the client sees that something is missing
			return
		}
		for _, e := range events {
			_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := x.w.Write(append(append([]byte("data: "), e...), "\n\n"...)); err != nil {
				return
			}
		}
		if len(events) > 0 && out.Flush() != nil {
			return
		}
		if isOver {
			return
		}
		select {
		case <-f.wake:
		case <-x.r.Context().Done():
			return
		}
	}
}

func (x *exchange) get() error {
	p, problem := schema.ParseTask(x.request.Params)
	if problem != nil {
		return problem
	}
	t, err := x.server.tasks.find(p.ID)
	if err != nil {
		return err
	}
	return x.answer(t.snapshot(p.HistoryLength))
}

func (x *exchange) cancel() error {
	p, problem := schema.ParseTask(x.request.Params)
	if problem != nil {
		return problem
	}
	t, err := x.server.tasks.find(p.ID)
	if err == nil {
		err = t.cancel()
	}
	if err != nil {
		return err
	}
	return x.answer(t.snapshot(nil))
}

// serveNewTask creates a task whose messages follow, and answers with its id.
func (s *server) serveNewTask(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if !json.Valid(body) {
		refuse(w, http.StatusBadRequest, "The body of the request is not valid JSON.")
		return
	}
	contextID, set, problem := schema.ParseNewTask(body)
	if problem != nil {
		refuse(w, http.StatusBadRequest, problem.Message)
		return
	}
	t, err := s.newTask(contextID, set)
	if err != nil {
		refuse(w, statusOf(err), failure(err).Message)
		return
	}
	if err := t.prepare(r.Context()); err != nil {
		s.tasks.forget(t)
		refuse(w, statusOf(err), failure(err).Message)
		return
	}
	reply(w, http.StatusCreated, t.id)
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	switch failure(err).Code {
	case jsonrpc.InvalidParams:
		return http.StatusBadRequest
	case tooBusy:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
