// Package acp is the face for editors: it speaks the Agent Client Protocol, version 1, on standard input and output.
//
// One connection has any number of sessions, each in a directory of its own. They share nothing but the client and the
// credentials that it has given.
//
//   - server.go has the methods: initialize, those about signing in (auth.go), and those about sessions (sessions.go).
//   - chat.go is a session: the driver that works on it, and the events of the driver. open.go opens it, trust.go asks about
//     its folder, turn.go takes prompts, whose blocks prompt.go reads.
//   - updates.go tells the client about the answer, with the ids of messages.go, calls.go about tool calls, whose contents
//     display.go makes and window.go in terminals of the client, and state.go about modes, models and commands. replay.go tells
//     all that again of a recorded session.
//   - ask.go asks the person for permissions, form.go for answers to questions, buffers.go the editor for the texts of files,
//     and terminals.go for terminals in which it runs commands.
//   - failure.go has the errors. Package wire has the connection, package schema the messages.
package acp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Options configure [Serve].
type Options struct {
	In  io.Reader
	Out io.Writer // receives messages of the protocol, and nothing else
	// Log receives warnings, a line each.
	Log io.Writer
	// Session are the options of each session, but for those that the client decides.
	Session session.Options
	// Terminal is the terminal that /doctor checks.
	Terminal *terminal.Terminal
	// IsGemini says that the program was started by the name of Gemini CLI: clients that know that get its name.
	IsGemini bool
	// OnSession, if set, is called with each directory before a session opens there.
	OnSession func(o *session.Options)

	grace time.Duration // of tests, for endGrace
}

// Serve serves a client until the input or ctx ends. The end of the input is no error.
func Serve(ctx context.Context, o Options) error {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx)) // sessions end in order
	defer end(nil)
	s := &server{Options: o, conn: wire.New(o.In, o.Out), life: life, chats: map[string]*chat{}}
	ended := make(chan error, 1)
	go func() {
		defer crash.Recover()
		err := s.conn.Serve(ctx, wire.Handler{Request: s.begin, Notify: s.notify, End: s.endTurns})
		s.closeAll()
		ended <- err
	}()
	var err error
	select {
	case err = <-ended:
	case <-s.conn.Over():
		select {
		case err = <-ended:
		case <-time.After(cmp.Or(o.grace, endGrace)): // a client that does not read must not keep the program
		}
	}
	if errors.Is(err, wire.ErrClosed) {
		return nil
	}
	return err
}

// endGrace is how long all sessions have to end after the end of the input.
const endGrace = 15 * time.Second

// server is the other side of a client.
type server struct {
	Options
	conn *wire.Conn
	life context.Context // that of the sessions

	mu      sync.Mutex
	client  *schema.InitializeRequest // nil before initialize
	signIn  *signIn                   // nil for none
	chats   map[string]*chat
	isEnded bool // no session can be added
}

// add adds a session under its id, and ends the one that was there.
func (s *server) add(c *chat) error {
	s.mu.Lock()
	before, isEnded := s.chats[c.id], s.isEnded
	if !isEnded {
		s.chats[c.id] = c
	}
	s.mu.Unlock()
	if isEnded {
		c.close()
		return wire.ErrClosed
	}
	if before != nil {
		before.close()
	}
	return nil
}

// find returns an open session.
func (s *server) find(id string) (*chat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chats[id]; c != nil {
		return c, nil
	}
	return nil, notFound(id)
}

// remove takes a session out, and returns it; nil if there is none.
func (s *server) remove(id string) *chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[id]
	delete(s.chats, id)
	return c
}

// endTurns ends the turns of all sessions.
func (s *server) endTurns() {
	s.mu.Lock()
	list := slices.Collect(maps.Values(s.chats))
	s.mu.Unlock()
	for _, c := range list {
		c.cancel()
	}
}

// closeAll ends all sessions.
func (s *server) closeAll() {
	s.mu.Lock()
	s.isEnded = true
	list := slices.Collect(maps.Values(s.chats))
	clear(s.chats)
	s.mu.Unlock()
	var closing sync.WaitGroup
	for _, c := range list {
		closing.Go(func() {
			defer crash.Recover()
			c.close()
		})
	}
	closing.Wait()
}

// log writes a warning for a person who looks for the cause of a problem.
func (s *server) log(text string) {
	_, _ = io.WriteString(s.Log, terminal.Brief(terminal.Text(text))+"\n")
}
