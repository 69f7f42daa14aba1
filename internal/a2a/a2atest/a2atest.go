// Package a2atest provides a remote agent for tests. It speaks all forms of the protocol A2A that package a2a
// speaks, is strict about requests, and can misbehave.
package a2atest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Options are how an agent behaves.
type Options struct {
	// REST makes it speak REST, and New the version 1.0 of the protocol; else JSON-RPC of 0.3.
	REST, New bool
	// NoStreams makes it answer with one event.
	NoStreams bool
	// Allow, if not nil, reports whether a request is authenticated. Others get status 401.
	Allow func(r *http.Request) bool
	// PrivateCard makes the card need authentication, and ShyCard refuse it.
	PrivateCard, ShyCard bool
	// Card, if not nil, changes the card.
	Card func(card map[string]any)
	// Events returns the agent's events in response to a text: JSON of version 0.3, with TASK and CONTEXT in
	// place of the IDs. Without streams, the last one is the response, or with Later the first one.
	Events func(text string) []string
	// Later makes an agent without streams answer at once. Each request for the task gets the next of the events.
	Later bool
	// Fault is the defect of its responses, "" for none:
	//
	//	id        a response to another request
	//	cut       the stream breaks off in an event
	//	hang      the stream does not end
	//	error     the last event is an error
	//	html      a web page
	//	endless   the last event is repeated without end
	//	event     an event without end
	//	redirect  a redirect to Elsewhere
	//	echo      status 500 with the credential in the text
	//	busy      status 503 to every second request for a task
	//	down      status 503 to each request for a task
	//	lost      requests for a task do not find it
	//	other     another task than that of the request
	Fault     string
	Elsewhere string
}

// Agent is a running agent.
type Agent struct {
	// URL is its address, and CardURL that of its card.
	URL, CardURL string

	http *httptest.Server

	mu    sync.Mutex
	o     Options
	next  int
	tasks map[string]bool     // those that are not finished
	later map[string][]string // the events that follow, by task
	asked int                 // requests for a task
	log   []string
}

// New starts an agent. The caller closes it.
func New(o Options) *Agent {
	a := &Agent{o: o, tasks: map[string]bool{}, later: map[string][]string{}}
	a.http = httptest.NewUnstartedServer(a)
	base := "http://" + a.http.Listener.Addr().String()
	a.URL, a.CardURL = base+"/agent", base+"/.well-known/agent-card.json"
	a.http.Start()
	return a
}

// Close stops the agent.
func (a *Agent) Close() {
	a.http.CloseClientConnections()
	a.http.Close()
}

// Set changes how the agent behaves.
func (a *Agent) Set(change func(o *Options)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.o)
}

// Log returns the requests so far: the card, and each method with the context and the task.
func (a *Agent) Log() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.log)
}

// Forget makes the agent forget all tasks, as after a new start.
func (a *Agent) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks = map[string]bool{}
}

func (a *Agent) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, fmt.Sprintf(format, args...))
}

// CardJSON returns the card.
func (a *Agent) CardJSON() string {
	a.mu.Lock()
	o := a.o
	a.mu.Unlock()
	binding := "JSONRPC"
	if o.REST {
		binding = "HTTP+JSON"
	}
	card := map[string]any{
		"name": "tester", "description": "An agent for tests.", "version": "1", "capabilities": map[string]any{"streaming": !o.NoStreams},
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
		"skills": []any{map[string]any{"id": "s", "name": "Echo", "description": "repeats", "tags": []string{}}},
	}
	if o.New {
		card["supportedInterfaces"] = []any{map[string]any{"url": a.URL, "protocolBinding": binding, "protocolVersion": "1.0"}}
	} else {
		maps.Copy(card, map[string]any{"url": a.URL, "preferredTransport": binding, "protocolVersion": "0.3.0"})
	}
	if o.Card != nil {
		o.Card(card)
	}
	text, err := json.Marshal(card)
	if err != nil {
		panic(err) // a fault of the test
	}
	return string(text)
}

// ServeHTTP implements [http.Handler].
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	o := a.o
	a.mu.Unlock()
	isAllowed := o.Allow == nil || o.Allow(r)
	if r.Method == http.MethodGet && r.URL.Path == "/.well-known/agent-card.json" {
		a.note("card")
		switch {
		case o.PrivateCard && !isAllowed:
			w.WriteHeader(http.StatusUnauthorized)
		case o.ShyCard && (r.Header.Get("Authorization") != "" || r.Header.Get("X-API-Key") != ""):
			w.WriteHeader(http.StatusBadRequest)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, a.CardJSON())
		}
		return
	}
	switch {
	case o.Fault == "redirect":
		http.Redirect(w, r, o.Elsewhere, http.StatusTemporaryRedirect)
	case o.Fault == "echo":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"error":{"code":1,"message":"wrong: %s %s"}}`, r.Header.Get("Authorization"), r.Header.Get("X-API-Key"))
	case !isAllowed:
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	default:
		a.serve(w, r, &o)
	}
}

func (a *Agent) serve(w http.ResponseWriter, r *http.Request, o *Options) {
	c, err := parse(r, o)
	if err != nil {
		a.note("invalid request: %v", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.note("%s %s", c.method, strings.TrimSpace(c.context+" "+c.task))
	a.mu.Lock()
	isKnown := a.tasks[c.task]
	if c.method == "cancel" {
		delete(a.tasks, c.task)
	}
	a.mu.Unlock()
	out := &output{w: w, o: o, call: c}
	switch {
	case c.method == "get":
		a.report(out)
		return
	case c.task != "" && !isKnown:
		out.fail(-32001, "Task not found")
		return
	case c.method == "cancel":
		out.single(fmt.Sprintf(`{"kind":"task","id":%q,"contextId":"C","status":{"state":"canceled"}}`, c.task))
		return
	}
	task, context := a.begin(c)
	events := o.Events(c.text)
	for i, e := range events {
		events[i] = strings.NewReplacer("TASK", task, "CONTEXT", context).Replace(e)
		if strings.Contains(e, `"completed"`) || strings.Contains(e, `"failed"`) {
			a.mu.Lock()
			delete(a.tasks, task)
			a.mu.Unlock()
		}
	}
	switch {
	case o.Later:
		a.mu.Lock()
		a.later[task] = events[1:]
		a.mu.Unlock()
		out.single(events[0])
		return
	case o.NoStreams:
		out.single(events[len(events)-1])
		return
	}
	out.stream(r.Context(), events)
}

// report responds to a request for a task with its next event. The last event is repeated.
func (a *Agent) report(out *output) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	events := a.later[out.call.task]
	switch fault := out.o.Fault; {
	case fault == "down", fault == "busy" && a.asked%2 == 1:
		out.w.WriteHeader(http.StatusServiceUnavailable)
		return
	case len(events) == 0, fault == "lost":
		out.fail(-32001, "Task not found")
		return
	case fault == "other":
		out.single(strings.ReplaceAll(events[0], out.call.task, "task-77"))
		return
	case len(events) > 1:
		a.later[out.call.task] = events[1:]
	}
	out.single(events[0])
}

// begin returns the IDs of the task and the context of a call.
func (a *Agent) begin(c *call) (task, context string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next++
	task, context = fmt.Sprintf("task-%d", a.next), fmt.Sprintf("context-%d", a.next)
	if c.task != "" {
		task = c.task
	}
	if c.context != "" {
		context = c.context
	}
	a.tasks[task] = true
	return task, context
}
