package hook

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/process"
	"pollux/llm"
)

// Options configures a [Set]. Dir, SessionID, PlansDir, Environ, Allowed and Message must be set.
type Options struct {
	Hooks    []Hook
	Disabled Disabled

	Dir       string // working directory, absolute
	SessionID func() string
	// Transcript returns the path of the session's file, "" if there will be none; nil means none.
	Transcript func() string
	PlansDir   func() string
	// Environ returns the environment of the hooks of an origin.
	Environ  func(process.Origin) []string
	Launcher process.Launcher
	// Allowed reports whether hooks of settings with this source may run now.
	Allowed func(Source) bool
	// Configure sets the model of a request, and its dependent settings. The error explains why the
	// model is not available. nil knows no models that hooks may name.
	Configure func(req *llm.Request, model string) error
	// Mode returns the approval mode; nil is the default one.
	Mode func() string
	// Server describes an MCP server of the session, or of a subagent's own ones; nil knows none.
	Server func(name, subagent string) Server
	// Interactive is true if a person uses the session.
	Interactive bool
	// Message shows a message to the person. It may be called from several goroutines at once.
	Message func(text string)
	// Observe, if set, is called after each run of a hook, from several goroutines at once.
	Observe func(Call)
	// Around, if set, is called before the program of a hook starts, and end when it has ended, from several goroutines at once.
	Around func(ctx context.Context, h *Hook) (end func())
	// Running, if set, is called with the hooks that run, in the order of their beginning, when one of them begins or ends. It
	// must not wait.
	Running func([]Running)
	Log     *slog.Logger // nil discards
}

// Server is how an MCP server is reached, as hooks get it. It has no secrets: no variables and headers.
type Server struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Dir     string   `json:"cwd,omitempty"`
	URL     string   `json:"url,omitempty"`
}

// Disabled are the IDs of hooks that do not run.
type Disabled struct {
	All []string // hooks of all sources
	// Project are IDs that a project disables: hooks that protect the user from it run anyway.
	Project []string
}

// Has reports whether the hook does not run.
func (d Disabled) Has(h *Hook) bool {
	return slices.Contains(d.All, h.ID()) || h.IsProjectChoice() && slices.Contains(d.Project, h.ID())
}

// Call describes one run of a hook, for records.
type Call struct {
	*Result
	Input []byte
}

// Set is the hooks of a session. It implements [agent.Hooks] and [guard.Hooks]. Its methods may be
// called from several goroutines at once.
type Set struct {
	o       Options
	byEvent map[Event][]*Hook

	mu       sync.Mutex
	disabled Disabled
	patterns map[string]pattern
	request  cachedRequest
	warned   map[string]bool   // messages that are shown once per session
	contexts map[string]string // by id of a call: for the model, from hooks before the call
	runs     map[*Hook]int     // of hooks of Antigravity CLI

	running   runners
	leftovers process.Leftovers // hooks that left processes running
}

// cachedRequest is the last request to the model, as hooks get it.
type cachedRequest struct {
	of    *llm.Request
	json  json.RawMessage
	shown map[string]bool // messages to the person about the request
}

var (
	_ agent.Hooks        = (*Set)(nil)
	_ agent.ModelWatcher = (*Set)(nil)
	_ guard.Hooks        = (*Set)(nil)
)

// NewSet returns the set of the hooks in o.
func NewSet(o Options) *Set {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Set{o: o, byEvent: map[Event][]*Hook{}, patterns: map[string]pattern{}}
	for i := range o.Hooks {
		h := o.Hooks[i]
		if h.Timeout == 0 && h.Source == Runtime {
			h.Timeout = DefaultTimeout
		}
		s.byEvent[h.Event] = append(s.byEvent[h.Event], &h)
	}
	for _, hooks := range s.byEvent {
		sortBySource(hooks)
	}
	s.Disable(o.Disabled)
	return s
}

// Disable changes which hooks do not run, from now on.
func (s *Set) Disable(d Disabled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disabled = d
}

func (s *Set) isDisabled(h *Hook) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.IsDisabled || s.disabled.Has(h)
}

// Hooks returns all hooks, by event and in the order in which they run.
func (s *Set) Hooks() []Hook {
	var list []Hook
	for _, e := range Events() {
		for _, h := range s.byEvent[e] {
			one := *h
			one.IsDisabled = s.isDisabled(h)
			list = append(list, one)
		}
	}
	return list
}
