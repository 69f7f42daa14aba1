package hook

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/terminal"
)

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
				defer crash.Recover()
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
