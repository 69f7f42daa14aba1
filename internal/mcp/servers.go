package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/oauth"
	"pollux/internal/process"
	"pollux/tool"
)

// Options configure the servers of a session. Registry must be set.
type Options struct {
	// Configs are the servers. Names must be different.
	Configs []Config
	// Subagent is the subagent that owns the servers, "" for the session's. Rules for a server of the session
	// do not apply to one of a subagent with the same name.
	Subagent string
	// Registry receives the tools. Each server has an owner of its own there, see [Owner].
	Registry *tool.Registry
	// Launcher starts programs, in Dir unless their entry has another directory, with the variables in Environ
	// ("NAME=value") for their origin, which is called when one is started; nil means none. Path is their variable PATH. Origin
	// is the origin of servers that are not marked as those of a project or an extension; "" is the user.
	Launcher process.Launcher
	Origin   process.Origin
	Dir      string
	Environ  func(process.Origin) []string
	Path     string
	// Off returns [Blocked] or [Disabled] for a server that is not to be started, "" for others; nil means
	// none.
	Off func(server string) State
	// Transport makes requests to services; nil is [http.DefaultTransport].
	Transport func() (http.RoundTripper, error)
	// OAuth is how to sign in to services; nil sends no tokens.
	OAuth *oauth.Options
	// OfferDir is the directory in which the offers of servers are kept from one session to the next, "" for
	// none. Projects must not be able to write there.
	OfferDir string
	// Fresh makes Start connect to all servers, also to those whose offer is kept.
	Fresh bool
	// Recheck makes Start connect in the background to services whose offer is kept, to see whether it has changed.
	Recheck bool
	// Roots returns the directories that servers may ask for; nil has none.
	Roots func() []string
	// Ask asks a person a server's question; nil if no person is there.
	Ask tool.Ask
	// HasPerson reports whether a person can be asked during calls: by [tool.Host], or by Ask. Servers may then
	// ask questions. Sample asks a model for a server, after the person has agreed; nil refuses that.
	HasPerson bool
	Sample    Sample
	// Version is that of Pollux, UserAgent the header User-Agent of requests to services.
	Version, UserAgent string
	// Warn shows warnings to the user, such as for a server that cannot be reached.
	Warn func(text string)
	// Notify shows requests to the user, such as to sign in on a page.
	Notify func(text string)
	// Changed is called when tools, prompts, resources or the state of a server have changed.
	Changed func()
	Log     *slog.Logger
}

// Servers are the MCP servers of a session. Its methods may be called from several goroutines at once.
type Servers struct {
	o    Options
	list []*server

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	starts chan struct{} // has a value for each program that starts

	claims claims

	offering sync.Mutex
	offers   bool // the registry has the tools for resources
}

var errClosed = errors.New("the session ends")

// New returns the servers of a session, none of which runs. They are sorted by name, which is the order in
// which their tools are declared. The tools for resources follow.
func New(o Options) *Servers {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Servers{o: o, starts: make(chan struct{}, maxStarts)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	configs := slices.SortedFunc(slices.Values(o.Configs), func(a, b Config) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range configs {
		s.list = append(s.list, newServer(s, c))
		o.Registry.Add(Owner(c.Name))
	}
	o.Registry.Add(resourceOwner)
	return s
}

// Owner returns the owner of a server's tools in the registry.
func Owner(server string) string { return "mcp:" + server }

// Start connects to all servers in the background, except to those whose offer is kept from an earlier session
// ([Options].OfferDir). Their offer is declared when Start returns, and they are started when it is first used.
func (s *Servers) Start() {
	offers := make([]*offer, len(s.list))
	var reading sync.WaitGroup
	for i, one := range s.list {
		reading.Go(func() {
			defer crash.Recover()
			offers[i] = one.recall()
		})
	}
	reading.Wait()
	for i, one := range s.list {
		one.begin(offers[i])
	}
	s.offerResources()
}

// Wake starts the servers that are idle, in the background.
func (s *Servers) Wake() {
	for _, one := range s.list {
		one.wake()
	}
}

// Switch connects to a server again, or ends its connection if off, its new state, is not "".
func (s *Servers) Switch(name string, off State) {
	if one := s.find(name); one != nil {
		one.restart(off)
	}
}

// AddRoot notifies the servers in the background of one more directory.
func (s *Servers) AddRoot(dir string) {
	for _, one := range s.list {
		one.mu.Lock()
		c := one.client
		one.mu.Unlock()
		if c != nil {
			s.wg.Go(func() {
				defer crash.Recover()
				addRoot(c, dir)
			})
		}
	}
}

// maxRenewal limits the time that Renew takes.
const maxRenewal = 2 * time.Second

// Renew waits until the lists have been read again that have changed, by the notices of their servers.
func (s *Servers) Renew(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxRenewal)
	defer cancel()
	for _, one := range s.list {
		one.renew(ctx)
	}
}

// Settle waits until each server that was started is connected or has failed, and returns the names of
// those that have not before ctx ends. It does not wait for those whose offer is declared.
func (s *Servers) Settle(ctx context.Context) (pending []string) {
	for _, one := range s.list {
		if !one.isAwaited() {
			continue
		}
		select {
		case <-one.settled():
		default:
			select {
			case <-one.settled():
			case <-ctx.Done():
				pending = append(pending, one.config.Name)
			}
		}
	}
	return pending
}

// Close ends all connections, and the programs that Start has started.
func (s *Servers) Close() {
	s.cancel(errClosed)
	s.wg.Wait()
}

// Withdraw removes all tools of the servers from the registry, after Close.
func (s *Servers) Withdraw() {
	for _, one := range s.list {
		s.withdraw(one)
	}
	s.o.Registry.Remove(resourceOwner)
}

// State is the state of a server.
type State string

// The states of a server.
const (
	Disconnected State = "disconnected"
	Idle         State = "idle" // not started yet: its offer is known from an earlier session
	Connecting   State = "connecting"
	Connected    State = "connected"
	Blocked      State = "blocked"  // the settings do not allow the server
	Disabled     State = "disabled" // the user has disabled it
)

// Status describes a server for people.
type Status struct {
	Config Config
	State  State
	// Err is why the server is not connected, nil if there is no reason.
	Err error
	// Tools are those of the server's tools that are used, Prompts the names of its prompts, Resources the ids of
	// its resources, and Templates those that have parts to fill in.
	Tools                         []ToolInfo
	Prompts, Resources, Templates []string
	// SignIn is the state of the sign-in to the server.
	SignIn oauth.State
}

// ToolInfo describes a tool of a server for people.
type ToolInfo struct {
	Name, Description string
	Schema            json.RawMessage
}

// Status returns the state of each server, sorted by name.
func (s *Servers) Status() []Status {
	list := make([]Status, len(s.list))
	for i, one := range s.list {
		list[i] = one.status()
	}
	return list
}

// Instructions returns the instructions for the model of servers whose offer is known, by name.
func (s *Servers) Instructions() (list []Instruction) {
	for _, one := range s.list {
		one.mu.Lock()
		if text := strings.TrimSpace(one.offer.Instructions); text != "" {
			list = append(list, Instruction{one.config.Name, text})
		}
		one.mu.Unlock()
	}
	return list
}

// Instruction is a server's text for the model about itself.
type Instruction struct{ Server, Text string }

func (s *Servers) changed() {
	s.offerResources()
	if s.o.Changed != nil {
		s.o.Changed()
	}
}

func (s *Servers) warn(text string) {
	if s.o.Warn != nil {
		s.o.Warn(text)
	}
}
