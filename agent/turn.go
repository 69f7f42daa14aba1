package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"pollux/llm"
	"pollux/llm/catalog"
)

// StreamRetry says how often an unusable answer is asked for again
// (spec/agent.md §11.4). The zero value is the default: 4 attempts, with 1, 2
// and 4 seconds between them.
type StreamRetry struct {
	Attempts int
	Delay    time.Duration // before the second attempt
	Linear   bool          // the delay stays the same (the seeds' rule)
}

func (s StreamRetry) orDefault() StreamRetry {
	return StreamRetry{
		Attempts: cmp.Or(s.Attempts, 4),
		Delay:    cmp.Or(s.Delay, time.Second),
		Linear:   s.Linear,
	}
}

// before returns the wait before this attempt, from 2.
func (s StreamRetry) before(attempt int) time.Duration {
	if s.Linear {
		return s.Delay
	}
	return s.Delay << (attempt - 2)
}

// answer is what a model turn came to: calls to run, a loop that was noticed,
// no usable answer, or nothing further to do.
type answer struct {
	calls   []*ToolCall
	loop    Loop
	invalid bool
}

// turn sends message with the history and takes in the answer: one model
// exchange with its retries. Only what is whole joins the history.
func (r *run) turn(ctx context.Context, message *llm.Content) (answer, error) {
	if err := r.announce(); err != nil {
		return answer{}, err
	}
	if r.cfg.LoopDetector != nil {
		if loop, found := r.cfg.LoopDetector.Turn(ctx, r.history.all); found {
			return answer{loop: loop}, nil
		}
	}
	if last := r.history.last(); !message.HasFunctionResponse() && last != nil && last.HasFunctionResponse() {
		r.push(ctx, Message{Content: llm.Model(llm.Text(interrupted))})
	}
	rep, err := r.send(ctx, message)
	if tooLong(err) {
		rep, err = r.sendShorter(ctx, message, rep, err)
	}
	switch {
	case errors.Is(err, errNoAnswer):
		return answer{invalid: true}, nil
	case err != nil:
		return answer{}, err
	case rep.loop.Kind != "":
		return answer{loop: rep.loop}, nil
	}
	r.commit(ctx, rep)
	return answer{calls: rep.calls}, r.report(rep)
}

// send asks with message at the end of the history. A message that got no
// answer is taken back; results of tools only if they may be sent again, for
// they are true in any case.
func (r *run) send(ctx context.Context, message *llm.Content) (*reply, error) {
	at, shown := len(r.history.all), r.shown
	r.push(ctx, Message{Content: message, Shown: shown})
	r.shown, r.results = "", nil

	rep, err := r.exchange(ctx, r.history.contents())
	isResult, again := message.HasFunctionResponse(), rep.loop.Kind != "" || tooLong(err)
	if err == nil && !again || isResult && !again {
		return rep, err
	}
	r.cut(ctx, at)
	if isResult {
		r.results = message
	}
	if tooLong(err) {
		r.shown = shown
	}
	return rep, err
}

// announce opens the turn for the consumer.
func (r *run) announce() error {
	if err := r.emit(TurnStarted{Turn: r.turns}); err != nil || r.announced {
		return err
	}
	r.announced = true
	return r.emit(ModelInfo{Model: r.chosen})
}

// errNoAnswer means that all attempts gave nothing usable.
var errNoAnswer = errors.New("the model gave no usable answer")

// exchange asks until there is a usable answer or no attempt is left. It returns
// the last attempt's reply, whatever came of it.
func (r *run) exchange(ctx context.Context, contents []*llm.Content) (*reply, error) {
	isResult := contents[len(contents)-1].HasFunctionResponse()
	var before *InvalidStream // what was wrong with the answer before
	for attempt := 1; ; attempt++ {
		rep, err := r.attempt(ctx, r.request(nudged(contents, before), attempt > 1))
		var bad *InvalidStream
		switch {
		case err == nil:
			rep.flush()
			if bad = rep.invalid(isResult); bad == nil || rep.loop.Kind != "" {
				return rep, nil
			}
		case ctx.Err() == nil && rep.resumable(err):
			bad = &InvalidStream{Type: "INCOMPLETE_STREAM", Message: err.Error()}
		default:
			return rep, err
		}
		if attempt == r.cfg.Retry.Attempts || rep.blocked != "" {
			if err != nil {
				return rep, err
			}
			return rep, cmp.Or(r.emit(*bad), errNoAnswer)
		}
		if r.cfg.LoopDetector != nil {
			r.cfg.LoopDetector.See(Retried{Cause: *bad}) // what it saw of the answer is void
		}
		if err := r.emit(Retried{Cause: *bad}); err != nil {
			return rep, err
		}
		if err := sleep(ctx, max(r.cfg.Retry.before(attempt+1), delayOf(err))); err != nil {
			return rep, err
		}
		before = bad
	}
}

// delayOf returns how long the vendor asks to wait, up to a minute: for more, the
// request that comes too early is told again.
func delayOf(err error) time.Duration {
	var e *llm.Error
	if !errors.As(err, &e) {
		return 0
	}
	return min(e.RetryAfter, time.Minute)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// nudged returns contents with, after an answer that held no text, a word to
// the model that text or a call is wanted. It goes to the end, so that the
// vendor's prompt cache still knows the rest.
func nudged(contents []*llm.Content, bad *InvalidStream) []*llm.Content {
	if bad == nil || bad.Type != "THINKING_ONLY_RESPONSE" && bad.Type != "NO_RESPONSE_TEXT" {
		return contents
	}
	nudge := llm.Text("[System: your last reply held no visible text and no tool call. Reply now with the final answer, or call a tool.]")
	contents = slices.Clone(contents)
	last := contents[len(contents)-1]
	if last.HasFunctionResponse() {
		return append(contents, llm.Model(llm.Text("[Tool execution completed.]")), llm.User(nudge))
	}
	contents[len(contents)-1] = llm.User(append(slices.Clip(last.Parts), nudge)...)
	return contents
}

// request makes the request for contents.
func (r *run) request(contents []*llm.Content, retry bool) *llm.Request {
	cfg := r.asks(r.chosen, retry)
	r.fixed = cfg.Tokens()
	return &llm.Request{
		Model: r.chosen, Contents: contents, Config: cfg, Use: llm.UseMain, PromptID: r.id,
		OnRetry: func(w llm.Retry) { _ = r.emit(Waiting{w}) }, // a consumer that left has cancelled the wait
		OnSwitch: func(s llm.Switch) {
			r.chosen = s.To
			_ = r.emit(Switched{s})
		},
	}
}

// Asks returns how the conversation asks a model: the system instruction, the
// tools and the sampling of its next request. What is asked beside it in the same
// way finds the conversation in the vendor's prompt cache.
func (a *Agent) Asks(model string) llm.Config { return a.asks(model, false) }

func (a *Agent) asks(model string, retry bool) llm.Config {
	cfg := a.cfg.Sampling(model, retry)
	if a.cfg.System != nil {
		cfg.SystemInstruction = a.cfg.System(model)
	}
	if set := a.toolSet(catalog.Modern(model)); len(set.Functions) > 0 {
		cfg.Tools = []*llm.ToolSet{set}
	}
	return cfg
}

// toolSet returns the declarations of the active tools. It is the same value
// until RefreshTools, so that it is encoded once.
func (a *Agent) toolSet(brief bool) *llm.ToolSet {
	a.mu.Lock()
	defer a.mu.Unlock()
	set := a.toolSets[brief]
	if set == nil {
		set = &llm.ToolSet{Functions: a.cfg.Tools.Declare(brief)}
		a.toolSets[brief] = set
	}
	return set
}

// attempt asks once and shows the answer as it comes.
func (r *run) attempt(ctx context.Context, req *llm.Request) (*reply, error) {
	rep := &reply{}
	if r.cfg.Hooks != nil {
		v, instead := r.cfg.Hooks.BeforeModel(ctx, req)
		if err := r.obey(v); err != nil && instead == nil {
			return rep, err
		}
		if instead != nil {
			return rep, cmp.Or(r.take(rep, instead, instead), r.endThought(rep))
		}
	}
	for chunk, err := range r.cfg.Generator.Stream(ctx, req) {
		if ctx.Err() != nil {
			return rep, context.Cause(ctx)
		}
		if err != nil {
			return rep, err
		}
		shown := chunk
		if r.cfg.Hooks != nil {
			v, other := r.cfg.Hooks.AfterModel(ctx, req, chunk)
			if other != nil {
				shown = other
			}
			if err := r.obey(v); err != nil {
				return rep, err
			}
		}
		if err := r.take(rep, chunk, shown); err != nil {
			return rep, err
		}
		if rep.loop.Kind != "" {
			return rep, nil
		}
	}
	return rep, r.endThought(rep)
}

// take adds a chunk to the reply and shows what of it is to be seen, thoughts
// before text. Tool calls wait until the reply is whole: one that is thrown
// away must not have shown calls that never run.
func (r *run) take(rep *reply, chunk, shown *llm.Response) error {
	rep.add(chunk)
	parts := shown.Parts()
	said := false // something that is no thought
	for i := range parts {
		p := &parts[i]
		if !p.Thought {
			said = said || !p.IsEmpty()
			continue
		}
		if err := r.think(rep, p); err != nil {
			return err
		}
	}
	if said {
		if err := r.endThought(rep); err != nil {
			return err
		}
	}
	if text := shown.Text(); text != "" {
		rep.shown = true
		return r.show(rep, Text{text})
	}
	return nil
}

// show emits an event of the answer, past the loop detector.
func (r *run) show(rep *reply, e Event) error {
	if r.cfg.LoopDetector != nil {
		if loop, found := r.cfg.LoopDetector.See(e); found {
			rep.loop = loop
			return nil
		}
	}
	return r.emit(e)
}

// commit makes a whole reply part of the conversation.
func (r *run) commit(ctx context.Context, rep *reply) {
	r.identify(rep)
	parts := rep.parts
	m := Message{Content: llm.Model(parts...), Thoughts: rep.thoughts, Usage: rep.usage, Model: r.chosen}
	r.tokens = r.count(rep.usage, m.Content)
	for _, call := range rep.calls {
		call.Room = max(0, r.limit()-r.tokens)
	}
	r.push(ctx, m)
	r.response += rep.visible()
}

// count returns how many tokens the last request was: as the model says, but if it
// says nothing, or what no tokenizer explains, as we guess, and with the answer to
// it, which is a part of the next one.
func (r *run) count(usage *llm.Usage, answer *llm.Content) int {
	const (
		factor  = 4      // between a guess and the truth
		unknown = 10_000 // tokens that a request may hold beside what we know of
		small   = 1000   // tokens that make no difference
	)
	guess := r.fixed + r.history.tokens
	if usage == nil || usage.Prompt <= 0 {
		return guess + answer.Tokens()
	}
	tooFew := usage.Prompt < guess/factor && guess > small
	tooMany := usage.Prompt > unknown && (usage.Prompt-unknown)/factor > guess
	if (tooFew || tooMany) && !r.history.media {
		return guess + answer.Tokens()
	}
	return usage.Prompt
}

// report closes the turn for the consumer.
func (r *run) report(rep *reply) error {
	if text := rep.citations(); text != "" {
		if err := r.emit(Citations{Text: text}); err != nil {
			return err
		}
	}
	for _, call := range rep.calls {
		if r.cfg.LoopDetector != nil {
			r.cfg.LoopDetector.See(ToolRequested{call})
		}
		if err := r.emit(ToolRequested{call}); err != nil {
			return err
		}
	}
	return r.emit(Finished{Reason: rep.reason, Usage: rep.usage})
}

// identify gives each call of a reply a name, an id of its own and arguments
// that can be sent back, and writes them into the reply's parts.
func (r *run) identify(rep *reply) {
	uses := map[string]int{} // of an id
	for i := range rep.parts {
		fc := rep.parts[i].FunctionCall
		if fc == nil {
			continue
		}
		c := *fc
		c.Name = cmp.Or(strings.TrimSpace(c.Name), "generic_tool")
		// On the wire the tool's name is taken off, so what is behind it must be unique.
		raw := strings.TrimPrefix(c.ID, c.Name+"__")
		if raw == "" {
			raw = fmt.Sprintf("%s_%d_%d", c.Name, r.cfg.Now().UnixMilli(), r.calls)
		}
		r.calls++
		for id := raw; uses[raw] > 0; {
			uses[id]++
			raw = fmt.Sprintf("%s_%d", id, uses[id])
		}
		uses[raw]++
		c.ID = c.Name + "__" + raw
		rep.calls = append(rep.calls, &ToolCall{ID: c.ID, Name: c.Name, Args: c.Args, PromptID: r.id})
		if !isObject(c.Args) {
			c.Args = nil // the vendor would refuse to see it again
		}
		rep.parts[i].FunctionCall = &c
	}
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

func newID() string { return uuid.NewString() }
