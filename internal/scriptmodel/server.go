package scriptmodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"pollux/internal/scriptmodel/protocol"
)

// Limits on the data that a server reads and stores.
const (
	maxBody           = 256 << 20 // of one request
	maxStoredBytes    = 64 << 20  // of all requests together
	maxStoredRequests = 20_000
)

// Wire is a vendor's protocol. The packages below this one have one each.
type Wire = protocol.Wire

// Options configure a server. Wires is required.
type Options struct {
	// Vars are the values of {{NAME}} in the script.
	Vars map[string]string

	// Validate, if set, also checks each request that the protocol accepts; an error
	// refuses the request. kind is the vendor's name of the request's type, such as
	// "GenerateContentRequest" or "CreateResponse".
	Validate func(kind string, body []byte) error
	// Wires are the protocols that the server speaks. The first that accepts the path of a
	// request answers it.
	Wires []Wire
	// Wire is the name of the only protocol for requests for content, or "" for any. Such
	// requests in another protocol get 404.
	Wire string
}

// Server serves a script.
type Server struct {
	script *Script
	opts   Options
	http   *http.Server
	url    string
	cancel context.CancelFunc

	mu       sync.Mutex
	used     []int // number of uses, per turn
	answers  int
	memory   protocol.Memory
	requests []Request
	bodies   int
	problems []error
}

// Request is the record of a request.
type Request struct {
	Path   string // including the query
	Wire   string // gemini, openai, responses, anthropic, ollama or text; "" for an unknown path
	Verb   string // generateContent, streamGenerateContent, countTokens ... in any protocol
	Model  string
	Header http.Header
	Body   []byte // nil if dropped to limit memory
	Turn   int    // number of the turn that answered, from 1; 0 for none
	Status int    // of the response
	// Problem is why the request was refused, or "" if it was accepted or the script
	// refuses it on purpose.
	Problem string
}

// Start serves script on loopback until [Server.Close].
func Start(script *Script, opts Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve a scripted model: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		script: script, opts: opts, cancel: cancel,
		url: "http://" + listener.Addr().String(), used: make([]int, len(script.Turns)),
		memory: protocol.Memory{Calls: map[string]protocol.CallRecord{}, Thoughts: map[string]string{}},
	}
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() { _ = s.http.Serve(listener) }() // the error is always that of Close
	return s, nil
}

// URL returns the base URL for clients, without a slash at the end.
func (s *Server) URL() string { return s.url }

// Close stops the server and ends all responses.
func (s *Server) Close() error {
	s.cancel()
	return s.http.Close()
}

// Requests returns the requests so far, in order. It drops the oldest bodies when all together
// exceed 64 MiB.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Check returns the deviations from the script, joined: requests that were refused, except
// on purpose, and turns that were not used. It returns nil if there are none.
func (s *Server) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := s.problems
	for i, t := range s.script.Turns {
		if want := max(t.Times, 1); t.Times >= 0 && s.used[i] < want {
			problems = append(problems, fmt.Errorf("line %d: turn %d: was asked for %d of %d times", t.Line, i+1, s.used[i], want))
		}
	}
	return errors.Join(problems...)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wire, a, ok := s.route(r)
	if !ok {
		s.record(Request{Path: r.URL.RequestURI(), Header: r.Header, Status: 404, Problem: "no protocol has this path"})
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client closed the connection, or the body is too long
	}
	a.Size, a.Accept, a.Models = len(body), s.script.Accept, s.script.Models
	for _, p := range s.script.Refuse {
		a.Refuse = append(a.Refuse, p.Name)
	}
	a.Context = s.script.Context
	refused := wire.Read(&a, r, body)
	req := Request{
		Path: r.URL.RequestURI(), Wire: wire.Name(), Verb: a.VerbName, Model: a.Model, Header: r.Header, Body: body, Status: 200,
	}
	if refused == nil {
		refused = s.checkAccess(wire, &a, body)
	}
	if refused != nil {
		s.refuse(w, wire, req, refused)
		return
	}
	if f := s.checkRefusals(wire, &a); f != nil {
		req.Status = f.Status
		s.record(req)
		writeJSON(w, f.Status, wire.EncodeError(f))
		return
	}
	if a.Verb == protocol.CountTokens || a.Verb == protocol.Embed || a.Verb == protocol.ListModels {
		s.record(req)
		writeJSON(w, 200, wire.DirectResponse(&a))
		return
	}
	turn, use, refused := s.takeTurn(wire, &a, r)
	req.Turn = turn + 1
	if refused != nil {
		s.refuse(w, wire, req, refused)
		return
	}
	t := &s.script.Turns[turn]
	if f, ok := firstOutput(t.Steps).(Fail); ok {
		req.Status = f.Status
	}
	s.record(req)
	ans := &answer{server: s, wire: wire, query: &a, turn: t, use: use, w: w, ctx: r.Context()}
	if problem := ans.play(); problem != "" {
		s.addProblem(fmt.Errorf("turn %d: %s", turn+1, problem))
	}
}

// route returns the protocol of a request and the query of its path.
func (s *Server) route(r *http.Request) (protocol.Wire, protocol.Query, bool) {
	for _, w := range s.opts.Wires {
		a, ok := w.Route(r)
		foreign := s.opts.Wire != "" && s.opts.Wire != w.Name() && a.Verb != protocol.ListModels && a.Verb != protocol.Embed
		if ok && !foreign {
			return w, a, true
		}
	}
	return nil, protocol.Query{}, false
}

// checkAccess checks the script's conditions for all requests: key, context, schema and memory.
func (s *Server) checkAccess(wire protocol.Wire, a *protocol.Query, body []byte) *protocol.Error {
	switch {
	case a.Key == "" && !s.script.Open:
		return wire.Deny(a, protocol.Denial{Kind: protocol.NoKey})
	case s.script.Key != "" && a.Key != s.script.Key:
		return wire.Deny(a, protocol.Denial{Kind: protocol.WrongKey})
	case s.script.Context > 0 && a.Estimate() > s.script.Context:
		return wire.Deny(a, protocol.Denial{Kind: protocol.TooLong, MaxTokens: s.script.Context})
	}
	if s.opts.Validate != nil && a.Kind != "" {
		if err := s.opts.Validate(a.Kind, body); err != nil {
			return protocol.Invalid("the vendor's schema refuses the request: %v", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return wire.CheckMemory(a, &s.memory)
}

// checkRefusals returns an error for a request with a parameter that the script refuses.
func (s *Server) checkRefusals(wire protocol.Wire, a *protocol.Query) *protocol.Error {
	refused := s.script.Refuse
	if wire.Name() == protocol.TextWire {
		refused = append(slices.Clip(refused), Refusal{Name: "tools"})
	}
	for _, p := range refused {
		if f := wire.Deny(a, protocol.Denial{Kind: protocol.Parameter, Name: p.Name}); f != nil {
			if p.Text != "" {
				f.Message = p.Text
			}
			return f
		}
	}
	return nil
}

// remember stores the data that must come back unchanged.
func (s *Server) remember(calls []protocol.SentCall, thoughts []protocol.Thought) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range thoughts {
		s.memory.Thoughts[t.Signature] = t.Text
	}
	for _, c := range calls {
		s.memory.SentCalls = append(s.memory.SentCalls, protocol.NamedCall{ID: c.ID, Name: c.Name})
		if c.ID != "" {
			s.memory.Calls[c.ID] = protocol.CallRecord{Args: protocol.CanonicalArgs(string(c.Args)), Signature: c.Signature, Thoughts: thoughts}
		}
	}
}

// takeTurn selects the turn for a request and counts its use.
func (s *Server) takeTurn(wire protocol.Wire, a *protocol.Query, r *http.Request) (turn, use int, refused *protocol.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value := s.values(a)
	for i := range s.script.Turns {
		t := &s.script.Turns[i]
		if t.Times >= 0 && s.used[i] >= max(t.Times, 1) || unmetCondition(t.When, wire, a, r, value) != "" {
			continue
		}
		s.used[i]++
		s.answers++
		a.Number = s.answers
		if problem := unmetCondition(t.Expect, wire, a, r, value); problem != "" {
			return i, s.used[i], protocol.Invalid("script: turn %d: %s", i+1, problem)
		}
		return i, s.used[i], nil
	}
	return -1, 0, protocol.Invalid("script: no turn is left for this request; its newest message is %q", protocol.Shorten(fmt.Sprint(*a.LastMessage())))
}

// values returns a function that looks up {{NAME}}: a variable, or the result of a call.
func (s *Server) values(a *protocol.Query) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := s.opts.Vars[name]; ok {
			return v, true
		}
		for _, m := range slices.Backward(a.Messages) {
			for _, r := range m.Results {
				if r.ID == name || r.Name == name {
					return r.Text, true
				}
			}
		}
		return "", false
	}
}

// refuse answers with an error, and records the request and the problem.
func (s *Server) refuse(w http.ResponseWriter, wire protocol.Wire, req Request, f *protocol.Error) {
	req.Status, req.Problem = f.Status, f.Message
	s.record(req)
	s.addProblem(fmt.Errorf("request %s: %d %s", req.Path, f.Status, f.Message))
	writeJSON(w, f.Status, wire.EncodeError(f))
}

// addProblem records a deviation from the script, for Check.
func (s *Server) addProblem(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.problems) < 100 {
		s.problems = append(s.problems, err)
	}
}

// record stores a request, and drops old bodies beyond maxStoredBytes.
func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= maxStoredRequests {
		return
	}
	s.requests = append(s.requests, r)
	s.bodies += len(r.Body)
	for i := 0; s.bodies > maxStoredBytes && i < len(s.requests)-1; i++ {
		s.bodies -= len(s.requests[i].Body)
		s.requests[i].Body = nil
	}
}

// firstOutput returns the first step that sends something, or nil.
func firstOutput(steps []Step) Step {
	for _, s := range steps {
		switch s.(type) {
		case Header, Delay, Usage:
		default:
			return s
		}
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has closed the connection
}
