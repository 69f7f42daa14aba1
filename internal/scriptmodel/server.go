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
)

// Bounds of what a server reads and keeps.
const (
	maxBody    = 256 << 20 // of one request
	keepBodies = 64 << 20  // of all requests together
	keepCount  = 20_000
)

// Options are what a server may be given beside its script.
type Options struct {
	// Vars are the values of {{NAME}} in the script.
	Vars map[string]string
	// Judge, where set, is a second opinion on each request that passed our own
	// rules: an error refuses it. kind is the vendor's name of the request's
	// type, such as "GenerateContentRequest" or "CreateResponse".
	Judge func(kind string, body []byte) error
	// Wire, where set, is the only protocol in which content may be asked for:
	// gemini, openai, responses, anthropic, ollama or text. The paths of the others
	// are not found.
	Wire string
	// Addr is the loopback address to listen on, 127.0.0.1:0 by default.
	Addr string
}

// Server serves a script.
type Server struct {
	script *Script
	opts   Options
	wires  []wire
	http   *http.Server
	url    string
	quit   context.CancelFunc

	mu       sync.Mutex
	used     []int // per turn
	answers  int
	memory   memory
	requests []Request
	bodies   int
	problems []error
}

// Request is what a server noted of a request.
type Request struct {
	Path   string // with the query
	Wire   string // gemini, openai, responses, anthropic, ollama or text; "" for none known
	Verb   string // generateContent, streamGenerateContent, countTokens ..., whatever the protocol calls it
	Model  string
	Header http.Header
	Body   []byte // nil where the server had to forget it
	Turn   int    // of the script, from 1; 0 for none
	Status int    // that was answered
	// Problem says why the request was refused, "" if it was not, or if the
	// script wanted it to be.
	Problem string
}

// Start serves script on loopback until [Server.Close].
func Start(script *Script, opts Options) (*Server, error) {
	addr := opts.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("serve a scripted model: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("serve a scripted model: %s is not a loopback address", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve a scripted model: %w", err)
	}
	ctx, quit := context.WithCancel(context.Background())
	s := &Server{
		script: script, opts: opts, wires: []wire{gemini{}, chat{}, responses{}, anthropic{}, ollama{}, words{}}, quit: quit,
		url: "http://" + listener.Addr().String(), used: make([]int, len(script.Turns)),
		memory: memory{calls: map[string]given{}, thoughts: map[string]string{}},
	}
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() { _ = s.http.Serve(listener) }() // it ends with Close, which is what its error says
	return s, nil
}

// URL is the base address to point a client at, with no slash at its end.
func (s *Server) URL() string { return s.url }

// Close ends the server and the answers it is giving.
func (s *Server) Close() error {
	s.quit()
	return s.http.Close()
}

// Requests returns what was asked so far, in order. The oldest bodies are
// forgotten when all together grow beyond 64 MiB.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Check returns what went against the script: requests that were refused though
// the script did not want it, and turns that nobody asked for.
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
		s.note(Request{Path: r.URL.RequestURI(), Header: r.Header, Status: 404, Problem: "no protocol has this path"})
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client has gone, or sends without end
	}
	a.size, a.accept, a.models = len(body), s.script.Accept, s.script.Models
	a.refuse, a.context = s.script.Refuse, s.script.Context
	refused := wire.read(&a, r, body)
	req := Request{
		Path: r.URL.RequestURI(), Wire: wire.name(), Verb: a.name, Model: a.model, Header: r.Header, Body: body, Status: 200,
	}
	if refused == nil {
		refused = s.admit(wire, &a, body)
	}
	if refused != nil {
		s.refuse(w, wire, req, refused)
		return
	}
	if f := s.unwanted(wire, &a); f != nil {
		req.Status = f.status
		s.note(req)
		writeJSON(w, f.status, wire.refusal(f))
		return
	}
	if a.verb == count || a.verb == embed || a.verb == models {
		s.note(req)
		writeJSON(w, 200, wire.aside(&a))
		return
	}
	turn, use, refused := s.take(wire, &a, r)
	req.Turn = turn + 1
	if refused != nil {
		s.refuse(w, wire, req, refused)
		return
	}
	t := &s.script.Turns[turn]
	if f, ok := firstWord(t.Steps).(Fail); ok {
		req.Status = f.Status
	}
	s.note(req)
	ans := &answer{server: s, wire: wire, asked: &a, turn: t, use: use, w: w, ctx: r.Context()}
	if problem := ans.give(); problem != "" {
		s.fault(fmt.Errorf("turn %d: %s", turn+1, problem))
	}
}

func (s *Server) route(r *http.Request) (wire, asked, bool) {
	for _, w := range s.wires {
		a, ok := w.route(r)
		foreign := s.opts.Wire != "" && s.opts.Wire != w.name() && a.verb != models && a.verb != embed
		if ok && !foreign {
			return w, a, true
		}
	}
	return nil, asked{}, false
}

// admit checks what the script says about all requests.
func (s *Server) admit(wire wire, a *asked, body []byte) *refusal {
	switch {
	case a.key == "" && !s.script.Open:
		return wire.denied(a, denial{kind: noKey})
	case s.script.Key != "" && a.key != s.script.Key:
		return wire.denied(a, denial{kind: wrongKey})
	case s.script.Context > 0 && a.estimate() > s.script.Context:
		return wire.denied(a, denial{kind: tooLong, most: s.script.Context})
	}
	if s.opts.Judge != nil && a.kind != "" {
		if err := s.opts.Judge(a.kind, body); err != nil {
			return invalid("the vendor's schema refuses the request: %v", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return wire.faithful(a, &s.memory)
}

// unwanted refuses a request with a parameter that the script refuses.
func (s *Server) unwanted(wire wire, a *asked) *refusal {
	refused := s.script.Refuse
	if wire.name() == inWords {
		refused = append(slices.Clip(refused), Refusal{Name: "tools"})
	}
	for _, p := range refused {
		if f := wire.denied(a, denial{kind: parameter, name: p.Name}); f != nil {
			if p.Text != "" {
				f.message = p.Text
			}
			return f
		}
	}
	return nil
}

// remember notes what must come back as it was given.
func (s *Server) remember(calls []sentCall, thoughts []thought) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range thoughts {
		s.memory.thoughts[t.signature] = t.text
	}
	for _, c := range calls {
		s.memory.said = append(s.memory.said, saidCall{id: c.id, name: c.name})
		if c.id != "" {
			s.memory.calls[c.id] = given{args: sameArgs(string(c.args)), signature: c.signature, thoughts: thoughts}
		}
	}
}

// take picks the turn for a request and uses it once.
func (s *Server) take(wire wire, a *asked, r *http.Request) (turn, use int, refused *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value := s.values(a)
	for i := range s.script.Turns {
		t := &s.script.Turns[i]
		if t.Times >= 0 && s.used[i] >= max(t.Times, 1) || unmet(t.When, wire, a, r, value) != "" {
			continue
		}
		s.used[i]++
		s.answers++
		a.number = s.answers
		if problem := unmet(t.Expect, wire, a, r, value); problem != "" {
			return i, s.used[i], invalid("script: turn %d: %s", i+1, problem)
		}
		return i, s.used[i], nil
	}
	return -1, 0, invalid("script: no turn is left for this request; its newest message is %q", clip(fmt.Sprint(*a.newest())))
}

// values returns what {{NAME}} stands for: a variable, or the result of a call.
func (s *Server) values(a *asked) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := s.opts.Vars[name]; ok {
			return v, true
		}
		for _, m := range slices.Backward(a.messages) {
			for _, r := range m.results {
				if r.id == name || r.name == name {
					return r.text, true
				}
			}
		}
		return "", false
	}
}

func (s *Server) refuse(w http.ResponseWriter, wire wire, req Request, f *refusal) {
	req.Status, req.Problem = f.status, f.message
	s.note(req)
	s.fault(fmt.Errorf("request %s: %d %s", req.Path, f.status, f.message))
	writeJSON(w, f.status, wire.refusal(f))
}

func (s *Server) fault(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.problems) < 100 {
		s.problems = append(s.problems, err)
	}
}

// note keeps a request, and no more of the others than there is room for.
func (s *Server) note(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= keepCount {
		return
	}
	s.requests = append(s.requests, r)
	s.bodies += len(r.Body)
	for i := 0; s.bodies > keepBodies && i < len(s.requests)-1; i++ {
		s.bodies -= len(s.requests[i].Body)
		s.requests[i].Body = nil
	}
}

// firstWord returns the first step that says something.
func firstWord(steps []Step) Step {
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
	_, _ = w.Write(body) // a client that has gone needs no answer
}

func invalid(format string, args ...any) *refusal {
	return &refusal{status: 400, code: "INVALID_ARGUMENT", message: fmt.Sprintf(format, args...)}
}
