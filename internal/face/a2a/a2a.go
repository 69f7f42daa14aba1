// Package a2a is the face for other programs: a server that speaks the protocol A2A (https://a2a-protocol.org) as the one of
// Gemini CLI does, in the versions 0.3 and 1.0.
//
// A task of a client is a session in a directory of its own, recorded with the task's id. A message is a turn of it. The client
// answers the questions about calls with messages, too.
//
//   - listen.go begins to listen. guard.go decides who may use the server, http.go has the addresses, methods.go the methods of JSON-RPC, card.go the card,
//     metadata.go the description of tasks, commands.go the commands that need no task.
//   - tasks.go has the tasks, and limits them and their open sessions. task.go is one: its state, as clients see it. follower.go
//     is a client that follows it.
//   - open.go opens the session of a task, turn.go takes messages, confirm.go questions and answers.
//   - event.go reports the answer to the client, calls.go tool calls, output.go their live output. failure.go has the errors.
//   - Package schema has the messages.
package a2a

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"pollux/internal/a2a/protocol"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/oauth"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Options configure [Serve].
type Options struct {
	// Host is the address to listen on, "" for 127.0.0.1. Port is its port, 0 for a free one.
	Host string
	Port int
	// Token is the secret that clients send, "" for none: then only this machine can use the server.
	Token string
	// Dir is the directory of tasks that name none. If IsFixed is set, it is the directory of all tasks.
	Dir     string
	IsFixed bool
	// Root contains the directories of all tasks.
	Root string
	// MustTrust says that a folder which the user has not decided to trust is not trusted, although the settings trust all.
	MustTrust bool
	// Out gets the address, on a line, when the server listens. Log gets a line about each message and each problem.
	Out io.Writer
	Log *slog.Logger
	// Session are the options of each session, but for those that the client decides.
	Session session.Options
	// Terminal is the terminal that commands check.
	Terminal *terminal.Terminal
	// OnSession, if set, is called before a session opens.
	OnSession func(o *session.Options)

	limits  limits          // of tests; zero values are the usual ones
	onServe func(s *server) // of tests, called before the first request
}

// minToken is the length of a token, in bytes, below which it can be guessed from other machines.
const minToken = 16

// check returns an error if others than the user could use the server.
func (o *Options) check() error {
	host := cmp.Or(o.Host, defaultHost)
	switch {
	case oauth.IsLoopback(host):
	case o.Token == "":
		return exit.Errorf(exit.Input, "Cannot listen on %s without a token. Set POLLUX_A2A_TOKEN to a secret that clients send in the header 'Authorization: Bearer'.", terminal.Line(host))
	case len(o.Token) < minToken:
		return exit.Errorf(exit.Input, "The token in POLLUX_A2A_TOKEN is too short to listen on %s: use at least %d characters, such as those that 'openssl rand -hex 32' prints.", terminal.Line(host), minToken)
	}
	return nil
}

// The limits of connections.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10 // bytes
)

// Serve serves clients until ctx ends, and ends all sessions then. It returns the cause of ctx.
func Serve(ctx context.Context, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	door, err := o.open(ctx)
	if err != nil {
		return exit.Errorf(exit.General, "Cannot listen: %w. Choose another port with --port or CODER_AGENT_PORT.", err)
	}
	defer door.close()
	if door.unmarked != nil && o.Token == "" {
		o.Log.Warn("Commands in the sandbox of any session can use the agent. Set POLLUX_A2A_TOKEN.", "error", door.unmarked)
	}
	s := newServer(ctx, o, door.port())
	if _, err := s.workspace(nil); err != nil {
		if o.IsFixed {
			return exit.Errorf(exit.Input, "CODER_AGENT_WORKSPACE_PATH cannot be used. %w", err)
		}
		o.Log.Warn(err.Error() + " Clients have to name a workspace.")
	}
	h := &http.Server{Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader}
	ended := make(chan error, len(door.listeners))
	for _, listener := range door.listeners {
		go func() {
			defer crash.Recover()
			ended <- h.Serve(listener)
		}()
	}
	if o.onServe != nil {
		o.onServe(s)
	}
	if _, err = fmt.Fprintln(o.Out, s.url("")); err == nil {
		o.Log.Info("The agent listens.", "url", s.url(""), "card", s.url("")+strings.TrimPrefix(protocol.CardPath, "/"))
		select {
		case err = <-ended:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	s.tasks.closeAll()
	_ = h.Close() // the connections of clients that have not gone
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// server is the server of all clients.
type server struct {
	Options
	life  context.Context // that of the sessions
	port  string
	tasks *tasks
	mux   *http.ServeMux
}

func newServer(ctx context.Context, o Options, port string) *server {
	s := &server{Options: o, life: context.WithoutCancel(ctx), port: port} // sessions end in order
	s.tasks = newTasks(s)
	s.mux = s.routes()
	return s
}

// url returns the address of the server for a client that has named the server host, "" for one on this machine.
func (s *server) url(host string) string {
	if s.isLocal() || host == "" {
		host = net.JoinHostPort(s.localName(), s.port)
	}
	return "http://" + host + "/"
}

// isLocal reports whether only this machine reaches the server.
func (s *server) isLocal() bool { return oauth.IsLoopback(cmp.Or(s.Host, defaultHost)) }
