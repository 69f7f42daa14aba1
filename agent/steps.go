package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// The steps of a run, in the order in which run.go calls them. A step that
// ends the run says so with an event and returns errOver.

// open runs the BeforeAgent hook and returns the prompt to send.
func (r *run) open(ctx context.Context, message *llm.Content) (*llm.Content, error) {
	if r.cfg.LoopDetector != nil {
		r.cfg.LoopDetector.Reset(r.prompt)
	}
	if r.cfg.Hooks == nil {
		return message, nil
	}
	v := r.cfg.Hooks.BeforeAgent(ctx, r.prompt)
	if v.Stop && !v.Block {
		r.push(ctx, Message{Content: message, Shown: r.shown})
	}
	if err := r.obey(v); err != nil {
		return nil, err
	}
	if v.Context == "" {
		return message, nil
	}
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context)
	return llm.User(append(slices.Clip(message.Parts), llm.Text("<hook_context>"+escaped+"</hook_context>"))...), nil
}

// close runs the AfterAgent hook and returns what it sends back to the model.
func (r *run) close(ctx context.Context) (*llm.Content, error) {
	if r.cfg.Hooks == nil {
		return nil, nil
	}
	response := r.response
	if response == "" {
		response = "[no response text]"
	}
	v := r.cfg.Hooks.AfterAgent(ctx, r.prompt, response, r.again)
	err := r.obey(v)
	if v.ClearContext {
		r.forgetAll(ctx)
	}
	if err == nil || !v.Block || v.Stop || r.more == 0 {
		return nil, err
	}
	r.more--
	r.again = true
	r.prompt, r.response = v.Reason, ""
	return r.open(ctx, llm.User(llm.Text(v.Reason)))
}

// obey turns a verdict into the event that tells of it.
func (r *run) obey(v Verdict) error {
	switch {
	case v.Stop:
		return r.end(Stopped{Reason: v.Reason, SystemMessage: v.SystemMessage, ContextCleared: v.ClearContext})
	case v.Block:
		return r.end(Blocked{Reason: v.Reason, SystemMessage: v.SystemMessage})
	}
	return nil
}

// end emits the event that ends the run.
func (r *run) end(e Event) error {
	if err := r.emit(e); err != nil {
		return err
	}
	return errOver
}

// countTurn counts one model request and ends a session that has had its fill.
func (r *run) countTurn() error {
	if limit := r.cfg.MaxTurns; limit != nil && r.turns >= *limit {
		return r.end(MaxTurns{Limit: *limit})
	}
	r.turns++
	return nil
}

// compress shortens the history if it has grown too long.
func (r *run) compress(ctx context.Context) error {
	_, err := r.shorten(ctx, false)
	return err
}

// shorten has the history compressed, where the compressor sees a need or is
// made to, and reports whether it is shorter now.
func (r *run) shorten(ctx context.Context, force bool) (bool, error) {
	c, err := r.condense(ctx, force, "")
	if err != nil || !c.Shorter() {
		return false, err
	}
	return true, r.emit(Compressed{c})
}

// condense does so, and says what came of it.
func (r *run) condense(ctx context.Context, force bool, focus string) (Compression, error) {
	if r.cfg.Compressor == nil || len(r.history.all) == 0 {
		return Compression{Status: CompressNoOp}, nil
	}
	history, c := r.cfg.Compressor.Compress(ctx, Overlong{
		History: r.history.all, Model: r.chosen, Tokens: r.tokens, Limit: r.limit(),
		Force: force, Focus: focus, PromptID: r.id,
	})
	if ctx.Err() != nil {
		return Compression{}, context.Cause(ctx)
	}
	if !c.Shorter() {
		return c, nil
	}
	r.replace(ctx, history)
	r.tokens, r.looked = c.After, false
	if r.start == len(r.history.all) {
		r.before = r.tokens
	}
	return c, nil
}

// mask puts old outputs of tools out of the model's sight, where that saves enough.
func (r *run) mask(ctx context.Context) error {
	if r.cfg.Masker == nil {
		return nil
	}
	history, saved := r.cfg.Masker.Mask(ctx, r.history.all)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if saved > 0 {
		r.replace(ctx, history)
		r.tokens = max(0, r.tokens-saved)
	}
	return nil
}

// look says before a prompt what the person has open, as far as it has changed.
func (r *run) look(ctx context.Context, message *llm.Content) {
	if r.cfg.Editor == nil || message.HasFunctionResponse() {
		return // nothing may stand between a call and its result
	}
	if seen := r.cfg.Editor.Look(!r.looked); seen != "" {
		c := llm.User(llm.Text(seen))
		r.push(ctx, Message{Content: c})
		r.tokens += c.Tokens()
	}
	r.looked = true
}

// fit refuses a request that is larger than what the model has left, even when
// the history has been compressed for it.
func (r *run) fit(ctx context.Context, message *llm.Content) error {
	limit := r.limit()
	if limit == 0 {
		return nil
	}
	need := message.Tokens()
	if slices.ContainsFunc(message.Parts, isMedia) {
		// Media cannot be told by its size; only the vendor knows.
		req := &llm.Request{Model: r.chosen, Contents: []*llm.Content{message}, Use: llm.UseMain, PromptID: r.id}
		if n, err := r.cfg.Generator.CountTokens(ctx, req); err == nil {
			need = n
		}
	}
	left := limit - r.tokens
	if left < need && need < limit { // it may fit behind a shorter history
		if _, err := r.shorten(ctx, true); err != nil {
			return err
		}
		left = limit - r.tokens
	}
	if left < need {
		return r.end(Overflow{Estimate: need, Remaining: left})
	}
	return nil
}

func isMedia(p llm.Part) bool { return p.InlineData != nil || p.FileData != nil }

// holdsMedia reports whether a part is media or a result with some.
func holdsMedia(p llm.Part) bool {
	return isMedia(p) || p.FunctionResponse != nil && slices.ContainsFunc(p.FunctionResponse.Parts, isMedia)
}

// route picks the model that answers this prompt: one for all of its requests.
func (r *run) route(ctx context.Context, message *llm.Content) {
	if r.chosen == "" && r.cfg.Router != nil {
		r.chosen = r.cfg.Router.Route(ctx, Routing{History: r.history.all, Prompt: message, Model: r.model, PromptID: r.id})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chosen = cmp.Or(r.chosen, r.model)
}

// breakLoop answers the first loop of a prompt with a word of warning and the
// second with the end.
func (r *run) breakLoop(loop Loop, message *llm.Content) (*llm.Content, error) {
	if r.recovered || r.more == 0 {
		return nil, r.end(LoopDetected{Kind: loop.Kind})
	}
	r.recovered = true
	r.more--
	r.cfg.LoopDetector.Reset(r.prompt)
	warning := fmt.Sprintf("System: Potential loop detected. Details: %s. Step back: say what you have "+
		"learned so far, why it does not get you further, and what you will do differently. Then do that, or, "+
		"if the task cannot be done, say so.", strings.TrimSuffix(cmp.Or(loop.Detail, loop.Kind), "."))
	return llm.User(append(slices.Clip(message.Parts), llm.Text(warning))...), nil
}

// goOnInvalid asks the model once more after an unusable answer, if so configured.
func (r *run) goOnInvalid() (*llm.Content, error) {
	if !r.cfg.ContinueInvalid || r.recovered || r.more == 0 {
		return nil, errOver
	}
	r.recovered = true
	r.more--
	return llm.User(llm.Text("System: Please continue.")), nil
}

// nextSpeaker returns the prompt that makes the model go on, if it should.
func (r *run) nextSpeaker(ctx context.Context) (*llm.Content, error) {
	if r.cfg.NextSpeaker == nil || r.more == 0 || r.cfg.NextSpeaker.Next(ctx, r.history.all) != llm.RoleModel {
		return nil, ctx.Err()
	}
	r.more--
	return llm.User(llm.Text("Please continue.")), nil
}

// act runs the calls of an answer and returns their results as the next message.
func (r *run) act(ctx context.Context, calls []*ToolCall) (*llm.Content, error) {
	finished, err := r.schedule(ctx, calls)
	results := &llm.Content{Role: llm.RoleUser}
	cancelled, stop := true, (*tool.Error)(nil)
	for _, f := range finished {
		results.Parts = append(results.Parts, f.Response...)
		cancelled = cancelled && f.Status == CallCancelled && len(f.Result.Content) == 0
		if e := f.Result.Error; e != nil && e.Type == tool.ErrStopExecution {
			stop = e
		}
	}
	r.results = results
	switch {
	case err != nil:
		return nil, err
	case stop != nil:
		return nil, r.end(Stopped{Reason: stop.Message})
	case cancelled:
		return nil, r.end(Cancelled{})
	}
	return results, nil
}

// settle leaves a history in which every call has its response, wherever the
// run was cut off: results that were not sent any more are kept, and calls
// that never ran are said to be cancelled.
func (r *run) settle(ctx context.Context) {
	if r.results != nil {
		r.push(ctx, Message{Content: r.results})
		return
	}
	last := r.history.last()
	if last == nil {
		return
	}
	results := &llm.Content{Role: llm.RoleUser}
	for _, c := range last.FunctionCalls() {
		call := &ToolCall{ID: c.ID, Name: c.Name}
		results.Parts = append(results.Parts, cancelledParts(call, nil, "Operation cancelled")...)
	}
	if len(results.Parts) > 0 {
		r.push(ctx, Message{Content: results})
	}
}

// push adds a message to the history, the journal first.
func (r *run) push(ctx context.Context, m Message) {
	if m.ID == "" {
		m.ID = newID()
	}
	if m.Time.IsZero() {
		m.Time = r.cfg.Now()
	}
	if r.cfg.Journal != nil {
		// What cannot be written down is still worth answering; the journal
		// itself has warned. A cancelled run is written down too.
		_ = r.cfg.Journal.Append(context.WithoutCancel(ctx), m)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.add(m)
}

// cut takes back the messages from index n on.
func (r *run) cut(ctx context.Context, n int) {
	if n >= len(r.history.all) {
		return
	}
	if m := slices.IndexFunc(r.history.all[n:], r.journaled); m >= 0 {
		_ = r.cfg.Journal.Rewind(context.WithoutCancel(ctx), r.history.all[n+m].ID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.cut(n)
}

// journaled reports whether the journal, if there is one, knows a message of the
// history: all but those that open it.
func (r *run) journaled(m Message) bool {
	return r.cfg.Journal != nil && !slices.ContainsFunc(r.cfg.Context, func(c Message) bool { return c.Content == m.Content })
}

// replace puts another history in the place of this one.
func (r *run) replace(ctx context.Context, messages []Message) {
	kept := 0
	for kept < len(messages) && kept < len(r.history.all) && messages[kept].Content == r.history.all[kept].Content {
		kept++
	}
	if kept < r.start { // what led to the prompt, and with it the prompt, cannot be told apart any more
		r.start = len(messages)
	}
	r.cut(ctx, kept)
	for _, m := range messages[kept:] {
		r.push(ctx, m)
	}
}

// forget takes the prompt and all that came of it back.
func (r *run) forget(ctx context.Context) {
	r.cut(ctx, r.start)
	r.tokens, r.results = r.before, nil
}

// forgetAll starts the conversation anew.
func (r *run) forgetAll(ctx context.Context) {
	r.cut(ctx, len(r.cfg.Context))
	r.tokens = r.history.tokens
}
