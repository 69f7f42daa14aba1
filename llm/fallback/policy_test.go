package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/fallback"
)

// auto returns the chain for a session with an API key and the model "auto".
func auto(model string) fallback.Chain {
	key := catalog.KeyAccess()
	return fallback.Chains{Google: &key, IsAuto: true}.ForModel(model)
}

func status(kind llm.ErrorKind, status int) error {
	return &llm.Error{Kind: kind, Status: status, Message: kind.String()}
}

// TestHeadless checks how the built-in chains react to each failure without a user
// to ask, for the model "auto" and for one that the user has named.
func TestHeadless(t *testing.T) {
	t.Parallel()
	key := catalog.KeyAccess()
	for _, c := range []struct {
		name     string
		failure  error
		auto     string // models asked
		named    string
		planning string
	}{
		{"busy", status(llm.KindRateLimit, 429), pro31 + " " + flash3, pro31, pro31 + " " + flash3},
		{"overloaded", status(llm.KindServer, 503), pro31 + " " + flash3, pro31, pro31 + " " + flash3},
		{"broken", status(llm.KindServer, 500), pro31, pro31, pro31 + " " + flash3},
		{"no quota", status(llm.KindQuota, 429), pro31, pro31, pro31 + " " + flash3},
		{"no room", status(llm.KindCapacity, 429), pro31, pro31, pro31 + " " + flash3},
		{"no such model", status(llm.KindModelNotFound, 404), pro31, pro31, pro31 + " " + flash3},
		{"no network", status(llm.KindNetwork, 0), pro31, pro31, pro31},
		{"a bad request", status(llm.KindBadRequest, 400), pro31, pro31, pro31},
		{"too long", status(llm.KindContextWindow, 400), pro31, pro31, pro31},
	} {
		for how, in := range map[string]struct {
			chains fallback.Chains
			want   string
		}{
			"auto":     {fallback.Chains{Google: &key, IsAuto: true}, c.auto},
			"named":    {fallback.Chains{Google: &key}, c.named},
			"planning": {fallback.Chains{Google: &key, IsPlanning: true}, c.planning},
		} {
			h := &fakeModels{errs: map[string][]error{pro31: {c.failure}}}
			g := fallback.Wrap(h, fallback.Options{Chain: in.chains.ForModel})
			_, err := ask(t.Context(), g, "stream", &llm.Request{Model: pro31, PromptID: "1", Use: llm.UseMain})
			switched := strings.Contains(in.want, " ")
			if got := h.models(); got != in.want || switched != (err == nil) {
				t.Errorf("%s, %s: asked %s, want %s; error %v", c.name, how, got, in.want, err)
			}
			// A failure that was returned to the caller is not recorded.
			if _, err := ask(t.Context(), g, "stream", &llm.Request{Model: pro31, PromptID: "1"}); !switched && (err != nil || h.models() != pro31) {
				t.Errorf("%s, %s: the model is not asked again: %v", c.name, how, err)
			}
		}
	}
}

// The state in a policy decides for how long the stand-in answers.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind                           llm.ErrorKind
		state                          fallback.State
		again, nextPrompt, soon, later string // the first model asked
	}{
		{llm.KindRateLimit, fallback.StickyRetry, "b", "a", "a", "a"},
		{llm.KindRateLimit, fallback.Unavailable, "b", "b", "b", "a"},
		{llm.KindRateLimit, fallback.Available, "a", "a", "a", "a"},
		{llm.KindQuota, fallback.Unavailable, "b", "b", "b", "b"},
		{llm.KindQuota, fallback.StickyRetry, "b", "a", "a", "a"},
		{llm.KindModelNotFound, fallback.Unavailable, "b", "b", "b", "b"},
		{llm.KindCapacity, fallback.Unavailable, "b", "b", "b", "a"},
		{llm.KindServer, fallback.Unavailable, "b", "b", "b", "a"},
	} {
		t.Run(fmt.Sprint(c.kind, " ", c.state), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				states := map[fallback.Kind]fallback.State{}
				for _, k := range []fallback.Kind{fallback.Terminal, fallback.Transient, fallback.NotFound, fallback.Unknown} {
					states[k] = c.state
				}
				own := fallback.SilentChain("a", "b")
				own[0].States = states
				h := &fakeModels{errs: map[string][]error{"a": {fails(c.kind)}}}
				g := fallback.Wrap(h, fallback.Options{Chain: func(string) fallback.Chain { return own }})
				step := func(prompt, want string) {
					t.Helper()
					if got := g.Select("a", prompt); got != want {
						t.Errorf("prompt %s: selected %s, want %s", prompt, got, want)
					}
					if _, err := ask(t.Context(), g, "stream", &llm.Request{Model: "a", PromptID: prompt}); err != nil || h.models() != want {
						t.Errorf("prompt %s: not %s: %v", prompt, want, err)
					}
				}
				if _, err := ask(t.Context(), g, "stream", &llm.Request{Model: "a", PromptID: "1"}); err != nil || h.models() != "a b" {
					t.Fatal(err)
				}
				step("1", c.again)
				step("2", c.nextPrompt)
				time.Sleep(29 * time.Second)
				step("3", c.soon)
				time.Sleep(2 * time.Second)
				step("4", c.later)
				g.Reset()
				step("1", "a")
			})
		})
	}
}

// TestAuxiliaryRequests checks that a temporary failure of an auxiliary request does
// not switch the model of the conversation.
func TestAuxiliaryRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind llm.ErrorKind
		want string // the model that goes on
	}{
		{llm.KindRateLimit, "a"},
		{llm.KindServer, "a"},
		{llm.KindNetwork, "a"},
		{llm.KindCapacity, "a"},
		{llm.KindQuota, "other/b"},
		{llm.KindModelNotFound, "other/b"},
	} {
		h := &fakeModels{errs: map[string][]error{"a": {fails(c.kind)}}}
		g := fallback.Wrap(h, fallback.Options{Chain: chain})
		if _, err := ask(t.Context(), g, "generate", &llm.Request{Model: "a", PromptID: "1", Use: llm.UseCompressor}); err != nil || h.models() != "a other/b" {
			t.Fatal(err)
		}
		if got := g.Select("a", "1"); got != c.want {
			t.Errorf("after %s %s goes on, want %s", c.kind, got, c.want)
		}
	}
}

// TestAttempts checks that a policy limits the attempts at its model, that a stricter
// request keeps its own limit, and that Standby is set if another model can answer.
func TestAttempts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked int
		use   llm.Use
		hand  bool
		want  string
	}{
		{0, llm.UseMain, false, "3 false, 10 false"},
		{1, llm.UseMain, false, "1 false, 1 false"},
		{20, llm.UseMain, false, "3 false, 10 false"},
		{0, llm.UseMain, true, "3 true, 10 true"},
		{0, llm.UseRouter, true, "3 false, 10 false"},
	} {
		h := &fakeModels{errs: map[string][]error{pro31: {fails(llm.KindRateLimit)}}}
		o := fallback.Options{Chain: auto}
		if c.hand {
			o.Handler = func(context.Context, fallback.Failure) fallback.Intent { return fallback.Stop }
		}
		req := &llm.Request{Model: pro31, PromptID: "1", Use: c.use, MaxAttempts: c.asked}
		if _, err := fallback.Wrap(h, o).Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range h.asked {
			got = append(got, fmt.Sprint(r.MaxAttempts, r.Standby))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("asked for %d: %s, want %s", c.asked, got, c.want)
		}
		if req.MaxAttempts != c.asked || req.Standby {
			t.Error("the caller's request has changed")
		}
	}
}

// TestHandler checks the questions to the user and the results of each decision.
func TestHandler(t *testing.T) {
	t.Parallel()
	named := func(model string) fallback.Chain {
		key := catalog.KeyAccess()
		return fallback.Chains{Google: &key}.ForModel(model)
	}
	for _, c := range []struct {
		name     string
		model    string
		failure  llm.ErrorKind
		use      llm.Use
		intent   fallback.Intent
		question string // to the handler, "" for none
		asked    string
		after    string // for the next prompt
	}{
		{"switch", pro31, llm.KindQuota, llm.UseMain, fallback.RetryAlways, "terminal " + flash3, pro31 + " " + flash3, flash3},
		{"switch permanently after a rate limit", pro31, llm.KindRateLimit, llm.UseSubagent, fallback.RetryAlways, "transient " + flash3, pro31 + " " + flash3, flash3},
		{"keep trying", pro31, llm.KindServer, llm.UseMain, fallback.RetryOnce, "transient " + flash3, pro31 + " " + pro31, pro31},
		{"stop", pro31, llm.KindQuota, "", fallback.Stop, "terminal " + flash3, pro31, pro31},
		{"later", pro31, llm.KindQuota, llm.UseMain, fallback.RetryLater, "terminal " + flash3, pro31, pro31},
		{"unknown decision", pro31, llm.KindQuota, llm.UseMain, "upgrade", "terminal " + flash3, pro31, pro31},
		{"not found", pro31, llm.KindModelNotFound, llm.UseMain, fallback.RetryAlways, "not_found " + flash3, pro31 + " " + flash3, flash3},
		{"no stand-in, retry", "mine", llm.KindRateLimit, llm.UseMain, fallback.RetryOnce, "transient ", "mine mine", "mine"},
		{"no stand-in, switch", "mine", llm.KindRateLimit, llm.UseMain, fallback.RetryAlways, "transient ", "mine", "mine"},
		{"a question of Pollux's own", pro31, llm.KindQuota, llm.UseRouter, fallback.RetryAlways, "", pro31, pro31},
		{"no network", pro31, llm.KindNetwork, llm.UseMain, fallback.RetryAlways, "", pro31, pro31},
		{"a bad key", pro31, llm.KindUnauthorized, llm.UseMain, fallback.RetryAlways, "", pro31, pro31},
	} {
		for _, how := range methods {
			h := &fakeModels{errs: map[string][]error{c.model: {fails(c.failure)}}}
			question := ""
			g := fallback.Wrap(h, fallback.Options{Chain: named, Handler: func(_ context.Context, f fallback.Failure) fallback.Intent {
				question = string(f.Kind) + " " + f.To
				if f.Model != c.model || f.Err == nil {
					t.Errorf("%s: %+v", c.name, f)
				}
				return c.intent
			}})
			_, err := ask(t.Context(), g, how, &llm.Request{Model: c.model, PromptID: "1", Use: c.use})
			if got := h.models(); question != c.question || got != c.asked || (err == nil) != strings.Contains(c.asked, " ") {
				t.Errorf("%s, %s: question %q, asked %s, error %v", c.name, how, question, got, err)
			}
			if _, err := ask(t.Context(), g, how, &llm.Request{Model: c.model, PromptID: "2"}); err != nil || h.models() != c.after {
				t.Errorf("%s, %s: not %s for the next prompt: %v", c.name, how, c.after, err)
			}
			g.Reset()
			if _, err := ask(t.Context(), g, how, &llm.Request{Model: c.model, PromptID: "3"}); err != nil || h.models() != c.model {
				t.Errorf("%s, %s: the model is not asked after a reset: %v", c.name, how, err)
			}
		}
	}
}

// TestHandlerEnds checks that a question ends on cancellation, and that the number of
// questions is limited.
func TestHandlerEnds(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, how := range methods {
		ctx, cancel := context.WithCancelCause(t.Context())
		h := &fakeModels{errs: map[string][]error{"a": slices.Repeat([]error{fails(llm.KindQuota)}, 1000)}}
		asked, interrupt := 0, true
		g := fallback.Wrap(h, fallback.Options{Handler: func(context.Context, fallback.Failure) fallback.Intent {
			if asked++; interrupt {
				cancel(gone)
			}
			return fallback.RetryOnce
		}})
		if _, err := ask(ctx, g, how, &llm.Request{Model: "a"}); !errors.Is(err, gone) || h.models() != "a" {
			t.Errorf("%s: %v", how, err)
		}
		asked, interrupt = 0, false
		if _, err := ask(t.Context(), g, how, &llm.Request{Model: "a"}); err == nil || asked != 100 {
			t.Errorf("%s: asked %d times, error %v", how, asked, err)
		}
	}
}

// TestHandlerConcurrent checks that requests that fail at the same time ask one after the other, and that those behind a switch
// follow it without a question. A request that is cancelled waits for no other one's question.
func TestHandlerConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, answers := 0, make(chan fallback.Intent)
		chain := fallback.Chain{{Model: "a"}, {Model: "b"}}
		h := &fakeModels{errs: map[string][]error{"a": slices.Repeat([]error{fails(llm.KindQuota)}, 100)}}
		g := fallback.Wrap(h, fallback.Options{
			Chain:   func(string) fallback.Chain { return chain },
			Handler: func(context.Context, fallback.Failure) fallback.Intent { asked++; return <-answers },
		})
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		failed, done := make(chan error), make(chan error)
		for range 3 {
			go func() {
				_, err := g.Generate(t.Context(), &llm.Request{Model: "a"})
				done <- err
			}()
		}
		synctest.Wait()
		go func() {
			_, err := g.Generate(ctx, &llm.Request{Model: "a"})
			failed <- err
		}()
		synctest.Wait()
		if asked != 1 {
			t.Fatalf("%d questions at once", asked)
		}
		cancel(gone)
		if err := <-failed; !errors.Is(err, gone) {
			t.Errorf("the cancelled request ends with %v", err)
		}
		answers <- fallback.Stop
		if err := <-done; err == nil {
			t.Error("no error after stop")
		}
		answers <- fallback.RetryAlways
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
		g.Reset()
		go func() {
			_, err := g.Generate(t.Context(), &llm.Request{Model: "a"})
			done <- err
		}()
		answers <- fallback.Stop // after the reset there is a question again
		if err := <-done; err == nil {
			t.Error("no error after a reset")
		}
	})
}

// TestAnyChain checks with random chains, failures and decisions that a request ends,
// asks only models of its chain, reports each switch, and returns the error of the
// last model.
func TestAnyChain(t *testing.T) {
	t.Parallel()
	models := []string{"a", "b", "c", "d"}
	kinds := []fallback.Kind{fallback.Terminal, fallback.Transient, fallback.NotFound, fallback.Unknown, fallback.Unreachable}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(models)
		chains := map[string]fallback.Chain{}
		for _, m := range models {
			for range rapid.IntRange(0, 5).Draw(rt, "length") {
				p := fallback.Policy{Model: name.Draw(rt, "model"), LastResort: rapid.Bool().Draw(rt, "last"), Actions: map[fallback.Kind]fallback.Action{}, States: map[fallback.Kind]fallback.State{}}
				for _, k := range kinds {
					p.Actions[k] = rapid.SampledFrom([]fallback.Action{"", fallback.Ask, fallback.Silent}).Draw(rt, "action")
					p.States[k] = rapid.SampledFrom([]fallback.State{fallback.Unavailable, fallback.StickyRetry, fallback.Available}).Draw(rt, "state")
				}
				chains[m] = append(chains[m], p)
			}
		}
		intents := rapid.SampledFrom([]fallback.Intent{fallback.RetryAlways, fallback.RetryOnce, fallback.Stop, fallback.RetryLater})
		h := &fakeModels{errs: map[string][]error{}}
		people := 0
		g := fallback.Wrap(h, fallback.Options{
			Chain: func(m string) fallback.Chain { return chains[m] },
			Handler: func(context.Context, fallback.Failure) fallback.Intent {
				people++
				return intents.Draw(rt, "intent")
			},
		})
		for range rapid.IntRange(1, 6).Draw(rt, "requests") {
			for _, m := range models {
				h.errs[m] = nil
				for range rapid.IntRange(0, 4).Draw(rt, "failures") {
					h.errs[m] = append(h.errs[m], fails(rapid.SampledFrom([]llm.ErrorKind{
						llm.KindQuota, llm.KindCapacity, llm.KindRateLimit, llm.KindModelNotFound, llm.KindServer, llm.KindNetwork, llm.KindBadRequest,
					}).Draw(rt, "kind")))
				}
			}
			h.asked, people = nil, 0
			now := name.Draw(rt, "asked for")
			chain := chains[now]
			req := &llm.Request{Model: now, PromptID: rapid.SampledFrom([]string{"", "1", "2"}).Draw(rt, "prompt"), OnSwitch: func(s llm.Switch) {
				if s.From != now || s.To == now || s.Err == nil {
					rt.Fatalf("reported %+v, but %s was asked", s, now)
				}
				now = s.To
			}}
			want := g.Select(req.Model, req.PromptID)
			text, err := ask(rt.Context(), g, rapid.SampledFrom(methods).Draw(rt, "how"), req)
			if len(h.asked) == 0 || h.asked[0].Model != want || len(h.asked) > 1+len(chain)+people {
				rt.Fatalf("asked %s, selected %s, people %d times", h.models(), want, people)
			}
			for _, r := range h.asked {
				if r.Model != req.Model && !slices.ContainsFunc(chain, func(p fallback.Policy) bool { return p.Model == r.Model }) {
					rt.Fatalf("asked %s, which is not in %v", r.Model, chain)
				}
			}
			if last := h.asked[len(h.asked)-1].Model; err == nil && text != "I am "+last || last != now {
				rt.Fatalf("%q of %s, reported %s", text, last, now)
			}
		}
	})
}

// Concurrent prompts share the health of the models.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	g := fallback.Wrap(busyModels{}, fallback.Options{Chain: chain})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			req := &llm.Request{Model: "a", PromptID: fmt.Sprint(i % 5)}
			for range 50 {
				if _, err := g.Generate(t.Context(), req); err != nil {
					t.Error(err)
				}
				g.Select("a", req.PromptID)
			}
			g.Reset()
		})
	}
	wg.Wait()
}

// busyModels is a generator in which model a is always busy. It records nothing.
type busyModels struct{ llm.Generator }

func (busyModels) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	if req.Model == "a" {
		return nil, fails(llm.KindRateLimit)
	}
	return answer(req.Model), nil
}
