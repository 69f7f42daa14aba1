package hook

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/terminal"
)

// firing is the result of the hooks of an event.
type firing struct {
	Output         // merged, nil for none
	refusal string // why an output cannot be applied, "" if all can
}

// verdict returns the stop or block of the firing. An output that cannot be applied blocks.
func (f firing) verdict() agent.Verdict {
	switch {
	case f.isStopping():
		return agent.Verdict{Stop: true, Reason: f.reason()}
	case f.isBlocking():
		return agent.Verdict{Block: true, Reason: f.reason()}
	case f.refusal != "":
		return agent.Verdict{Block: true, Reason: f.refusal}
	}
	return agent.Verdict{}
}

// fire runs the hooks of an event that match the target, and returns the result. own are the members of the input
// that other events do not have.
func (s *Set) fire(ctx context.Context, e Event, at target, own map[string]any) firing {
	hooks, sequential := s.plan(e, at)
	if len(hooks) == 0 || ctx.Err() != nil {
		return firing{}
	}
	began := time.Now()
	in := s.input(e, own)
	encoded := encodeInput(in)
	results := make([]*Result, len(hooks))
	if sequential {
		for i, h := range hooks {
			end := s.begin(h, i+1, len(hooks))
			results[i] = s.runObserved(ctx, h, in, encoded)
			end()
			if r := results[i]; !r.Failed() && r.Output != nil {
				in = chain(e, in, r.Output)
				encoded = encodeInput(in)
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
				defer crash.Recover()
				defer s.begin(h, 1, 1)()
				results[i] = s.runObserved(ctx, h, in, encoded)
			})
		}
		wg.Wait()
	}
	if ctx.Err() != nil {
		return firing{} // the run has ended
	}
	f := firing{Output: merge(e, outputsOf(results))}
	for _, r := range results {
		if r.Refusal != "" {
			f.refusal = fmt.Sprintf("The result of the hook %s for %s cannot be applied: %s", brief(r.Hook.ID()), e, r.Refusal)
			break
		}
	}
	s.report(e, results, f, time.Since(began))
	return f
}

func outputsOf(results []*Result) []Output {
	outputs := make([]Output, len(results))
	for i, r := range results {
		outputs[i] = r.Output
	}
	return outputs
}

// runObserved runs a hook with the input of the event, which encoded is as JSON. A hook that gets one event as
// several ones runs once for each of them.
func (s *Set) runObserved(ctx context.Context, p planned, in Output, encoded []byte) *Result {
	switch {
	case p.Dialect == Antigravity && p.Event == AfterModel && !isEnd(in):
		return &Result{Hook: p.Hook, Reading: ReadNothing}
	case p.Dialect == Antigravity:
		p.in = in
		return s.observe(ctx, p, encodeInput(s.antigravityInput(p, in)))
	case !p.Dialect.isLikeClaude():
		return s.observe(ctx, p, encoded)
	}
	var results []*Result
	for _, one := range s.claudeInputs(p.Hook, p.at, p.name, in) {
		results = append(results, s.observe(ctx, p, encodeInput(one)))
	}
	if len(results) == 1 {
		return results[0]
	}
	whole := *results[0]
	whole.Output = merge(p.Event, outputsOf(results))
	for _, r := range results[1:] {
		whole.Refusal, whole.Notes = cmp.Or(whole.Refusal, r.Refusal), append(whole.Notes, r.Notes...)
		if !whole.Failed() {
			whole.Err, whole.Status, whole.Code = r.Err, r.Status, r.Code
		}
	}
	return &whole
}

func (s *Set) observe(ctx context.Context, p planned, input []byte) *Result {
	r := s.run(ctx, p, input)
	s.o.Log.Debug("hook", "event", p.Event, "hook", p.ID(), "duration", r.Duration, "status", r.Status, "read", r.Reading, "err", r.Err)
	if s.o.Observe != nil {
		s.o.Observe(Call{r, input})
	}
	return r
}

// report shows the person failed hooks and the messages of hooks.
func (s *Set) report(e Event, results []*Result, merged firing, took time.Duration) {
	var failed []string
	for _, r := range results {
		for _, note := range r.Notes {
			s.warnOnce(fmt.Sprintf("Warning: The hook %s for %s %s", brief(r.Hook.ID()), e, note))
		}
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
		if !s.isFirst(&s.request.shown, text) {
			return
		}
	}
	s.show(text)
}

// warnOnce shows a message once per session.
func (s *Set) warnOnce(text string) {
	if s.isFirst(&s.warned, text) {
		s.show(text)
	}
}

// isFirst adds a text to a set of messages, and reports whether it was not in it.
func (s *Set) isFirst(shown *map[string]bool, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *shown == nil {
		*shown = map[string]bool{}
	}
	isShown := (*shown)[text]
	(*shown)[text] = true
	return !isShown
}

func (s *Set) show(text string) {
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
