package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
	"pollux/tool"
)

// server is one server of a session: its connection and its offer.
type server struct {
	all    *Servers
	config Config
	// signer has the tokens for its requests, nil for none; invalid is why there cannot be any.
	signer  signer
	invalid error

	mu      sync.Mutex
	state   State
	err     error
	offer   offer
	tools   map[string]*remote // those of the offer that are used, by the server's names for them
	session *sdk.ClientSession // while it is connected
	ready   chan struct{}      // closed when the first attempt to connect has ended
	end     func()             // ends the connection, and returns when it has ended; nil before start
	client  *sdk.Client        // of the last connection
	stale   listSet            // lists that have changed, by the server's notice
	renewed chan struct{}      // closed when they have been read again; nil if none has changed
	called  time.Time          // end of the last call
	// hasReturned is set when it is connected again after its connection had ended, until TakeReturned.
	hasReturned bool
	isCheck     bool                 // the first attempt to connect checks an offer that is declared
	calls       map[string]*follower // calls that run, by their progress token

	began     time.Time // of its last start; zero while it waits for others to start
	doing     string    // what a person waits for while it connects
	program   *program  // that runs; nil for none
	challenge []string  // the WWW-Authenticate headers of the last request that was refused

	expired chan struct{}   // has a value when stale is not empty
	errands errands         // requests that run
	pending atomic.Int32    // requests of the server in work, see maxPending
	turn    chan struct{}   // has a value while a person is asked
	warned  map[string]bool // see warnOnce

	read map[string]bool // resources that were read, and whether they have changed since; see subscribe
}

func newServer(all *Servers, c Config) *server {
	s := &server{
		all: all, config: c, state: Disconnected, ready: make(chan struct{}), expired: make(chan struct{}, 1),
		turn: make(chan struct{}, 1), calls: map[string]*follower{}, warned: map[string]bool{},
	}
	if s.signer, s.invalid = newSigner(&s.config, &all.o); s.invalid != nil {
		s.signer = nil
	}
	if c.Disabled {
		s.state = Disabled
	}
	if all.o.Off != nil {
		s.state = cmp.Or(all.o.Off(c.Name), s.state)
	}
	return s
}

// start connects to the server in the background, unless that was done before.
func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil || s.state == Blocked || s.state == Disabled {
		return
	}
	ctx, cancel := context.WithCancelCause(s.all.ctx)
	ended := make(chan struct{})
	s.end = func() {
		cancel(errClosed)
		<-ended
	}
	s.state, s.err = Connecting, nil
	s.all.wg.Go(func() {
		defer close(ended)
		defer crash.Recover()
		s.live(ctx)
	})
}

// begin declares the server's offer of an earlier session, or starts it if o is nil.
func (s *server) begin(o *offer) {
	if o == nil {
		s.start()
		return
	}
	s.declare(o)
	s.mu.Lock()
	s.state = Idle
	s.mu.Unlock()
	if s.all.o.Recheck && s.config.Kind() != Stdio {
		s.recheck()
	}
}

func (s *server) isOff() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == Blocked || s.state == Disabled
}

func (s *server) wake() {
	s.mu.Lock()
	isIdle := s.state == Idle
	s.mu.Unlock()
	if isIdle {
		s.start()
		s.all.changed()
	}
}

// restart ends the connection, and connects again unless off, which is the new state, is not "".
func (s *server) restart(off State) {
	s.mu.Lock()
	end := s.end
	s.mu.Unlock()
	if end != nil {
		end()
	}
	s.all.release(s)
	s.mu.Lock()
	s.end, s.ready, s.err, s.offer, s.tools, s.read = nil, make(chan struct{}), nil, offer{}, nil, nil
	s.state = cmp.Or(off, Disconnected)
	s.mu.Unlock()
	s.start()
	s.all.changed()
}

// settled returns a channel that is closed when the first attempt to connect has ended.
func (s *server) settled() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil {
		return closed
	}
	return s.ready
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Times between attempts to connect again: the first, and the number of attempts, each after twice the
// time of the one before.
const (
	firstPause = time.Second
	maxRetries = 5
)

// live connects to the server, and again when the connection breaks, until ctx ends. A server that was
// never connected has one attempt, because its entry is probably wrong.
func (s *server) live(ctx context.Context) {
	failures := 0
	wasConnected, mayAsk := false, s.isAwaited()
	for {
		began := time.Now()
		err := s.conceal(s.connectOnce(ctx, func() {
			s.greet(wasConnected)
			wasConnected = true
		}))
		if mayAsk && ctx.Err() == nil {
			if mayAsk = !errors.Is(err, ErrUnauthorized); !mayAsk {
				if err = s.signIn(ctx, err); err == nil {
					continue
				}
			}
		}
		if ctx.Err() != nil {
			s.set(Disconnected, nil)
			return
		}
		if s.endCheck(err) {
			return
		}
		if time.Since(began) > time.Minute {
			failures = 0 // it was of use
		}
		failures++
		isLast := !wasConnected || failures > maxRetries || errors.Is(err, ErrUnauthorized)
		s.lost(err, wasConnected, isLast)
		if isLast {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(firstPause << (failures - 1)):
		}
		s.set(Connecting, nil)
	}
}

// connectOnce connects to the server, and returns when the connection has ended and why.
func (s *server) connectOnce(ctx context.Context, connected func()) error {
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	key := s.offerKey()
	leave, err := s.enter(life)
	if err != nil {
		return err
	}
	defer leave()
	link, err := s.open(life, end)
	if err != nil {
		return err
	}
	s.note("it lists what it offers")
	var o offer
	err = s.within(life, func(ctx context.Context) error { return o.list(ctx, link.session, everything) })
	if err == nil {
		err = o.check()
	}
	if err == nil {
		if link.program != nil {
			link.program.isUp.Store(true)
		}
		s.publish(&o, link.session)
		leave()
		connected()
		s.askForLogs(life, link.session)
		s.keep(&o, key)
		err = s.watch(life, link.session, key)
	}
	return link.close(err)
}

// within runs a request of which the server's timeout limits the duration.
func (s *server) within(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Timeout(), s.timeoutError())
	defer cancel()
	err := f(ctx)
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return err
}

func (s *server) timeoutError() error {
	return fmt.Errorf("it did not answer within %v", s.config.Timeout())
}

// link is an open connection to a server.
type link struct {
	session *sdk.ClientSession
	program *program // nil for a service
	wire    *wire    // nil for a program
}

// close closes the connection, which has failed with err or is not needed any more. It returns why, as the
// user should know it.
func (l *link) close(err error) error {
	if l.program != nil {
		err = l.program.explain(err)
	}
	if l.wire != nil {
		err = l.wire.explain(err)
	}
	if l.session != nil {
		_ = l.session.Close()
	}
	return err
}

// open starts or reaches the server, and shakes hands. life is the time of the connection, which end ends.
func (s *server) open(life context.Context, end context.CancelCauseFunc) (*link, error) {
	timer := time.AfterFunc(s.config.Timeout(), func() { end(s.timeoutError()) })
	defer timer.Stop()
	l := &link{}
	var err error
	if s.config.Kind() == Stdio {
		if l.program, err = newProgram(&s.config, &s.all.o); err != nil {
			return nil, err
		}
		s.note(fmt.Sprintf("%s has not answered yet", s.config.Command))
		s.mu.Lock()
		s.program = l.program
		s.mu.Unlock()
		l.session, err = s.newClient().Connect(life, l.program, handshake())
	} else {
		s.note("the service has not answered yet")
		l.session, l.wire, err = s.dial(life)
	}
	if err == nil {
		return l, nil
	}
	if life.Err() != nil {
		err = context.Cause(life)
	}
	return nil, l.close(err)
}

// handshake asks for the version of the protocol that Gemini CLI speaks.
func handshake() *sdk.ClientSessionOptions {
	return &sdk.ClientSessionOptions{ProtocolVersion: "2025-06-18"}
}

// newClient returns the client for one connection. Servers that admit known programs only know the name of
// Gemini CLI's client.
func (s *server) newClient() *sdk.Client {
	o := &sdk.ClientOptions{
		Logger:       s.all.o.Log,
		Capabilities: s.capabilities(),

		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { s.expire(tools) },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { s.expire(prompts) },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { s.expire(resources) },
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
			if r.Params != nil {
				s.mark(r.Params.URI, true)
			}
		},
		//lint:ignore SA1019 servers of today have logs
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { s.logMessage(r.Params) },

		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.progress(r.Params) },
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "gemini-cli-mcp-client", Version: s.all.o.Version}, o)
	addMethods(c)
	c.AddReceivingMiddleware(s.answer)
	if s.all.o.Roots != nil {
		for _, dir := range s.all.o.Roots() {
			addRoot(c, dir)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = c
	return c
}

// addRoot adds a directory to those that a server may ask for, and notifies the connected server.
func addRoot(c *sdk.Client, dir string) {
	//lint:ignore SA1019 servers of today ask for roots
	c.AddRoots(&sdk.Root{URI: fileURI(dir), Name: filepath.Base(dir)})
}

// publish makes the offer of a connected server available to the session.
func (s *server) publish(o *offer, session *sdk.ClientSession) {
	s.declare(o)
	s.mu.Lock()
	s.session, s.state, s.err, s.isCheck = session, Connected, nil, false
	s.mu.Unlock()
	s.all.changed()
	s.settle()
}

// declare puts the tools of an offer into the registry in place of the server's former ones. An offer that is
// the same as before changes nothing there.
func (s *server) declare(o *offer) {
	s.mu.Lock()
	isSame := s.tools != nil && s.offer.equals(o)
	s.mu.Unlock()
	if isSame {
		return
	}
	var list []tool.Tool
	used := map[string]*remote{}
	for i := range o.Tools {
		if t := &o.Tools[i]; s.config.uses(t.Name) {
			used[t.Name] = newTool(s, t)
			list = append(list, used[t.Name])
		}
	}
	s.all.register(s, list)
	s.mu.Lock()
	s.offer, s.tools = *o, used
	s.mu.Unlock()
}

// settle reports the end of the first attempt to connect, after all that has changed with it.
func (s *server) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ready:
	default:
		close(s.ready)
	}
}

func (s *server) set(state State, err error) {
	s.mu.Lock()
	s.state, s.err = state, err
	if state != Connected {
		s.session, s.offer, s.tools, s.read = nil, offer{}, nil, nil
		s.isCheck, s.stale = false, 0
		s.endRenewal()
	}
	s.mu.Unlock()
	s.all.changed()
	if state == Disconnected {
		s.settle()
	}
}

// lost withdraws the tools of a server whose connection has ended.
func (s *server) lost(err error, wasConnected, isLast bool) {
	s.all.withdraw(s)
	defer s.set(Disconnected, err)
	if !wasConnected {
		_ = s.forget() // the next session starts the server, and shows at once why it cannot be used
	}
	text := fmt.Sprintf("MCP server %q: %v.", s.config.Name, trimPeriod(err))
	if wasConnected {
		text = fmt.Sprintf("MCP server %q has gone, and its tools with it: %v.", s.config.Name, trimPeriod(err))
		if !isLast {
			text += " Connecting again."
		}
	}
	if refused, ok := errors.AsType[*unauthorized](err); ok {
		text = refused.Error()
	}
	s.all.warn(text)
}

// watch follows a connection: it lists changed parts again until the connection ends, and returns the
// reason. key is that of [server.keep].
func (s *server) watch(ctx context.Context, session *sdk.ClientSession, key string) error {
	ended := make(chan error, 1)
	go func() {
		defer crash.Recover()
		ended <- session.Wait()
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-ended:
			if err == nil {
				err = errors.New("it ended the connection")
			}
			return err
		case <-s.expired:
			s.refresh(ctx, session, key)
		}
	}
}

// connection returns the connection to the server, which it starts if it is idle, and waits for one that
// begins.
func (s *server) connection(ctx context.Context) (*sdk.ClientSession, error) {
	s.wake()
	select {
	case <-s.settled():
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.session != nil:
		return s.session, nil
	case s.err != nil:
		return nil, fmt.Errorf("MCP server %q is not connected: %w", s.config.Name, s.err)
	}
	return nil, fmt.Errorf("MCP server %q is not connected", s.config.Name)
}
