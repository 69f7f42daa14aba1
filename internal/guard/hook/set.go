package hook

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/process"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// Options configures a [Set]. Dir, SessionID, PlansDir, Environ, Allowed and Message must be set.
type Options struct {
	Hooks []Hook
	// Disabled are the IDs of hooks that do not run.
	Disabled []string

	Dir       string // working directory, absolute
	SessionID func() string
	PlansDir  func() string
	// Environ returns the environment of hooks: of those that a project configures, or of others.
	Environ  func(ofProject bool) []string
	Launcher process.Launcher
	// Allowed reports whether hooks of settings with this source may run now.
	Allowed func(Source) bool
	// Configure sets the model of a request, and what depends on it; nil ignores models that
	// hooks name.
	Configure func(req *llm.Request, model string)
	// Interactive is true if a person uses the session.
	Interactive bool
	// Message shows a message to the person. It may be called from several goroutines at once.
	Message func(text string)
	// Observe, if set, is called after each run of a hook, from several goroutines at once.
	Observe func(Call)
	Log     *slog.Logger // nil discards
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
	disabled map[string]bool
	patterns map[string]pattern
	left     []*process.Process // of hooks that left processes running
	request  cachedRequest
}

// cachedRequest is the last request to the model, as hooks get it.
type cachedRequest struct {
	of    *llm.Request
	json  []byte
	shown map[string]bool // messages to the person about the request
}

var (
	_ agent.Hooks = (*Set)(nil)
	_ guard.Hooks = (*Set)(nil)
)

// NewSet returns the set of these hooks.
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

// Disable makes the hooks with these IDs those that do not run, from now on.
func (s *Set) Disable(ids []string) {
	disabled := map[string]bool{}
	for _, id := range ids {
		disabled[id] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disabled = disabled
}

func (s *Set) isDisabled(h *Hook) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disabled[h.ID()]
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

// fire runs the hooks of an event that match the target, and returns their merged output; nil for
// none.
func (s *Set) fire(ctx context.Context, e Event, at target, input any) Output {
	hooks, sequential := s.plan(e, at)
	if len(hooks) == 0 || ctx.Err() != nil {
		return nil
	}
	began := time.Now()
	encoded := encode(input)
	results := make([]*Result, len(hooks))
	if sequential {
		for i, h := range hooks {
			results[i] = s.runObserved(ctx, h, encoded)
			if r := results[i]; !r.Failed() && r.Output != nil {
				in, _ := parseJSON(string(encoded))
				encoded = encode(chain(e, in, r.Output))
			}
		}
	} else {
		const most = 32 // at the same time
		slots := make(chan struct{}, most)
		var wg sync.WaitGroup
		for i, h := range hooks {
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				results[i] = s.runObserved(ctx, h, encoded)
			})
		}
		wg.Wait()
	}
	if ctx.Err() != nil {
		return nil // the run has ended
	}
	merged := merge(e, outputsOf(results))
	s.report(e, results, merged, time.Since(began))
	return merged
}

func outputsOf(results []*Result) []Output {
	outputs := make([]Output, len(results))
	for i, r := range results {
		outputs[i] = r.Output
	}
	return outputs
}

func (s *Set) runObserved(ctx context.Context, h *Hook, input []byte) *Result {
	r := s.run(ctx, h, input)
	s.o.Log.Debug("hook", "event", h.Event, "hook", h.ID(), "duration", r.Duration, "status", r.Status, "read", r.Reading, "err", r.Err)
	if s.o.Observe != nil {
		s.o.Observe(Call{r, input})
	}
	return r
}

// report shows the person which hooks have failed, and what hooks have to say.
func (s *Set) report(e Event, results []*Result, merged Output, took time.Duration) {
	var failed []string
	for _, r := range results {
		if r.Failed() && !(r.Code == 2 && r.Output.isBlocking() && e.isBlockable()) { // which is how a hook blocks
			failed = append(failed, brief(r.Hook.ID()))
		}
		if text := r.Output.text("systemMessage"); text != "" && s.o.Interactive {
			s.say(e, brief(r.Hook.ID())+": "+text)
		}
	}
	if text := merged.text("systemMessage"); text != "" && !s.o.Interactive && !merged.is("suppressOutput", "true") {
		s.say(e, "Hook system message: "+text)
	}
	if len(failed) == 0 {
		return
	}
	names := strings.Join(failed, ", ")
	s.o.Log.Warn(fmt.Sprintf("Hook execution for %s: %d succeeded, %d failed (%s), total duration: %dms",
		e, len(results)-len(failed), len(failed), names, took.Milliseconds()))
	s.say(e, fmt.Sprintf("Hook(s) [%s] failed for event %s. To see why, run: pollux hooks test %s", names, e, e))
}

// maxMessage is the maximum length of a message to the person, in characters.
const maxMessage = 4000

// say shows a message, with all lines but the first indented, so that they cannot pass for lines of
// Pollux. Around requests to the model, it shows each message once per request.
func (s *Set) say(e Event, text string) {
	switch e {
	case BeforeModel, BeforeToolSelection, AfterModel:
		s.mu.Lock()
		isShown := s.request.shown[text]
		if s.request.shown == nil {
			s.request.shown = map[string]bool{}
		}
		s.request.shown[text] = true
		s.mu.Unlock()
		if isShown {
			return
		}
	}
	s.o.Message(strings.ReplaceAll(terminal.Cut(text, maxMessage), "\n", "\n  "))
}

// brief returns the beginning of a name that may be a whole script.
func brief(name string) string {
	const most = 80
	name, _, isLong := strings.Cut(name, "\n")
	if len(name) > most {
		name, isLong = strings.ToValidUTF8(name[:most], ""), true
	}
	if isLong {
		name += "..."
	}
	return name
}

// has reports whether there are hooks for an event.
func (s *Set) has(e Event) bool { return len(s.byEvent[e]) > 0 }

// SessionStart runs when a conversation starts. The verdict has a Context for the model and a
// SystemMessage for the person.
func (s *Set) SessionStart(ctx context.Context, source StartSource) agent.Verdict {
	if !s.has(SessionStart) {
		return agent.Verdict{}
	}
	o := s.fire(ctx, SessionStart, target{trigger: string(source)}, sourceInput{s.base(SessionStart), source})
	return agent.Verdict{Context: o.specific().text("additionalContext"), SystemMessage: o.text("systemMessage")}
}

// SessionEnd runs when a conversation ends.
func (s *Set) SessionEnd(ctx context.Context, reason EndReason) {
	if s.has(SessionEnd) {
		s.fire(ctx, SessionEnd, target{trigger: string(reason)}, reasonInput{s.base(SessionEnd), reason})
	}
}

// BeforeAgent implements [agent.Hooks].
func (s *Set) BeforeAgent(ctx context.Context, prompt string) agent.Verdict {
	if !s.has(BeforeAgent) {
		return agent.Verdict{}
	}
	o := s.fire(ctx, BeforeAgent, target{}, promptInput{s.base(BeforeAgent), prompt})
	v := o.verdict()
	v.Context, v.SystemMessage = o.specific().text("additionalContext"), o.text("systemMessage")
	return v
}

// AfterAgent implements [agent.Hooks].
func (s *Set) AfterAgent(ctx context.Context, prompt, response string, again bool) agent.Verdict {
	if !s.has(AfterAgent) {
		return agent.Verdict{}
	}
	o := s.fire(ctx, AfterAgent, target{}, responseInput{s.base(AfterAgent), prompt, response, again})
	v := o.verdict()
	v.SystemMessage = o.text("systemMessage")
	v.ClearContext = (v.Stop || v.Block) && o.specific().is("clearContext", "true")
	return v
}

// PreCompress implements [agent.Hooks].
func (s *Set) PreCompress(ctx context.Context, trigger agent.CompressTrigger) {
	if s.has(PreCompress) {
		s.fire(ctx, PreCompress, target{trigger: string(trigger)}, triggerInput{s.base(PreCompress), string(trigger)})
	}
}

// BeforeModel implements [agent.Hooks]. It also fires BeforeToolSelection.
func (s *Set) BeforeModel(ctx context.Context, req *llm.Request) (agent.Verdict, *llm.Response) {
	s.mu.Lock()
	s.request = cachedRequest{}
	s.mu.Unlock()
	if s.has(BeforeModel) {
		o := s.fire(ctx, BeforeModel, target{}, modelInput{base: s.base(BeforeModel), Request: encode(encodeRequest(req))})
		v := o.verdict()
		specific := o.specific()
		switch {
		case v.Block:
			return v, decodeResponse(specific.object("llm_response"), nil)
		case v.Stop:
			return v, nil
		}
		if change := specific.object("llm_request"); change != nil {
			applyRequest(req, change, s.o.Configure)
		}
	}
	if s.has(BeforeToolSelection) {
		o := s.fire(ctx, BeforeToolSelection, target{}, modelInput{base: s.base(BeforeToolSelection), Request: encode(encodeRequest(req))})
		if c := o.specific().object("toolConfig"); c != nil {
			req.Config.ToolConfig = &llm.ToolConfig{Mode: c.text("mode"), Allowed: c.texts("allowedFunctionNames")}
		}
	}
	return agent.Verdict{}, nil
}

// AfterModel implements [agent.Hooks].
func (s *Set) AfterModel(ctx context.Context, req *llm.Request, chunk *llm.Response) (agent.Verdict, *llm.Response) {
	if !s.has(AfterModel) {
		return agent.Verdict{}, nil
	}
	o := s.fire(ctx, AfterModel, target{}, modelInput{
		base: s.base(AfterModel), Request: s.encodedRequest(req), Response: encodeResponse(chunk),
	})
	return o.verdict(), decodeResponse(o.specific().object("llm_response"), chunk)
}

// encodedRequest returns a request as hooks get it. It encodes it once.
func (s *Set) encodedRequest(req *llm.Request) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.request.of != req {
		s.request.of, s.request.json = req, encode(encodeRequest(req))
	}
	return s.request.json
}

// Before implements [guard.Hooks].
func (s *Set) Before(ctx context.Context, c guard.HookedCall) guard.BeforeTool {
	if !s.has(BeforeTool) {
		return guard.BeforeTool{}
	}
	in := s.toolInput(BeforeTool, c)
	o := s.fire(ctx, BeforeTool, target{tool: in.Tool}, in)
	v := o.verdict()
	b := guard.BeforeTool{Stop: v.Stop, Block: v.Block, Reason: v.Reason}
	if b.Ask = o.text("decision") == "ask"; b.Ask {
		b.Message = o.text("systemMessage")
	}
	if args := o.specific().object("tool_input"); args != nil {
		b.Args = encode(args)
	}
	return b
}

// After implements [guard.Hooks].
func (s *Set) After(ctx context.Context, c guard.HookedCall, result *tool.Result) guard.AfterTool {
	if !s.has(AfterTool) {
		return guard.AfterTool{}
	}
	in := s.toolInput(AfterTool, c)
	in.Result = describeResult(result)
	o := s.fire(ctx, AfterTool, target{tool: in.Tool}, in)
	v := o.verdict()
	specific := o.specific()
	a := guard.AfterTool{Stop: v.Stop, Block: v.Block, Reason: v.Reason, Context: specific.text("additionalContext")}
	if tail := specific.object("tailToolCallRequest"); tail.text("name") != "" {
		a.Tail = &guard.Tail{Name: tail.text("name"), Args: []byte("{}")}
		if args := tail.object("args"); args != nil {
			a.Tail.Args = encode(args)
		}
	}
	return a
}

// Notify implements [guard.Hooks].
func (s *Set) Notify(ctx context.Context, c guard.HookedCall, details tool.Confirmation) {
	if !s.has(Notification) {
		return
	}
	message, fields := describeQuestion(c, details)
	s.fire(ctx, Notification, target{}, notificationInput{s.base(Notification), "ToolPermission", message, fields})
}

// verdict returns the stop or block of a merged output.
func (o Output) verdict() agent.Verdict {
	switch {
	case o.isStopping():
		return agent.Verdict{Stop: true, Reason: o.reason()}
	case o.isBlocking():
		return agent.Verdict{Block: true, Reason: o.reason()}
	}
	return agent.Verdict{}
}
