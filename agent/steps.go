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

// The steps of a run, in the order in which run.go calls them. A step that ends the run emits
// an event with the reason and returns errOver.

// beforeAgent runs the BeforeAgent hook for a prompt with this text, and returns the prompt to send.
func (r *run) beforeAgent(ctx context.Context, message *llm.Content, prompt string) (*llm.Content, error) {
	if r.cfg.LoopDetector != nil {
		r.cfg.LoopDetector.Reset(prompt)
	}
	if r.cfg.Hooks == nil {
		return message, nil
	}
	v := r.cfg.Hooks.BeforeAgent(ctx, prompt)
	if v.Stop && !v.Block {
		r.conv.push(ctx, Message{Content: message, Shown: r.shown, IsPrompt: true})
	}
	if err := r.out.apply(v); err != nil {
		return nil, err
	}
	if v.Context == "" {
		return message, nil
	}
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context)
	return llm.User(append(slices.Clip(message.Parts), llm.Text("<hook_context>"+escaped+"</hook_context>"))...), nil
}

// afterAgent runs the AfterAgent hook, with the person's prompt and all that the model said since, and returns the
// prompt that the hook sends to the model, nil for none.
func (r *run) afterAgent(ctx context.Context) (*llm.Content, error) {
	if r.cfg.Hooks == nil {
		return nil, nil
	}
	response := r.response
	if response == "" {
		response = "[no response text]"
	}
	v := r.cfg.Hooks.AfterAgent(ctx, r.prompt, response, r.isHookPrompt)
	err := r.out.apply(v)
	if v.ClearContext {
		r.conv.clear(ctx)
	}
	if err == nil || !v.Block || v.Stop || r.continuations == 0 {
		return nil, err
	}
	r.continuations--
	r.isHookPrompt = true
	return r.beforeAgent(ctx, llm.User(llm.Text(v.Reason)), v.Reason)
}

// countTurn counts one model request. It ends the run if the session has reached MaxTurns.
func (r *run) countTurn() error {
	if limit := r.cfg.MaxTurns; limit != nil && r.conv.turnCount >= *limit {
		r.conv.isAtLimit = true
		return r.out.end(MaxTurns{Limit: *limit})
	}
	r.conv.turnCount++
	return nil
}

// compressIfLong compresses the history if the compressor finds it too long.
func (r *run) compressIfLong(ctx context.Context) error {
	_, err := r.shorten(ctx, CompressRequest{})
	return err
}

// shorten runs the compressor on the history and reports whether the history is shorter now. o
// says how urgent that is.
func (r *run) shorten(ctx context.Context, o CompressRequest) (bool, error) {
	o.Model, o.PromptID = r.model, r.promptID
	c, err := r.compress(ctx, CompressAuto, o)
	if err != nil || !c.Shorter() {
		return false, err
	}
	return true, r.out.emit(Compressed{c})
}

// compress runs the compressor on the history. It sets the fields of o that describe the
// history.
func (a *Agent) compress(ctx context.Context, trigger CompressTrigger, o CompressRequest) (Compression, error) {
	if a.cfg.Compressor == nil || len(a.conv.history.all) == 0 {
		return Compression{Status: CompressNoOp}, nil
	}
	if a.cfg.Hooks != nil {
		a.cfg.Hooks.PreCompress(ctx, trigger)
	}
	o.History, o.Tokens, o.Limit, o.Fixed = a.conv.history.all, a.conv.tokens, a.Window(o.Model), a.conv.fixed()
	history, c := a.cfg.Compressor.Compress(ctx, o)
	if ctx.Err() != nil {
		return Compression{}, context.Cause(ctx)
	}
	if c.Shorter() {
		a.conv.replace(ctx, history, c.After)
		a.conv.hasIDEContext = false
	}
	return c, nil
}

// mask replaces old tool output in the history, if the masker finds that it saves enough.
func (r *run) mask(ctx context.Context) error {
	if r.cfg.Masker == nil {
		return nil
	}
	history, saved := r.cfg.Masker.Mask(ctx, r.conv.history.all, r.Window(r.model))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if saved > 0 {
		r.conv.replace(ctx, history, max(0, r.conv.tokens-saved))
	}
	return nil
}

// addIDEContext adds a message with the changes in the person's IDE before a prompt.
func (r *run) addIDEContext(ctx context.Context, message *llm.Content) {
	if r.cfg.IDE == nil || message.HasFunctionResponse() {
		return // a result must directly follow its call
	}
	if seen := r.cfg.IDE.Context(!r.conv.hasIDEContext); seen != "" {
		r.conv.push(ctx, Message{Content: llm.User(llm.Text(seen))})
	}
	r.conv.hasIDEContext = true
}

// route selects the model for all requests of the prompt.
func (r *run) route(ctx context.Context, message *llm.Content) {
	if r.model == "" && r.cfg.Router != nil {
		r.model = r.cfg.Router.Route(ctx, RouteRequest{History: r.conv.history.all, Prompt: message, Model: r.chosenModel(), PromptID: r.promptID})
	}
	r.model = cmp.Or(r.model, r.chosenModel())
}

// breakLoop warns the model after the first loop of a prompt and ends the run after the
// second. The text of a response that was cut off is void.
func (r *run) breakLoop(ans answer, message *llm.Content) (*llm.Content, error) {
	if r.hasRecovered || r.continuations == 0 {
		return nil, r.out.end(LoopDetected{Kind: ans.loop.Kind})
	}
	if ans.isCut {
		if err := r.out.emit(Retried{Cause: InvalidStream{"LOOP_DETECTED", ans.loop.Detail}}); err != nil {
			return nil, err
		}
	}
	r.hasRecovered = true
	r.continuations--
	r.cfg.LoopDetector.Reset(r.prompt)
	return llm.User(append(slices.Clip(message.Parts), llm.Text(loopWarning(ans.loop)))...), nil
}

// loopWarning returns the warning for the model about a loop.
func loopWarning(loop Loop) string {
	return fmt.Sprintf("System: Potential loop detected. Details: %s. Step back: say what you have "+
		"learned so far, why it does not get you further, and what you will do differently. Then do that, or, "+
		"if the task cannot be done, say so.", strings.TrimSuffix(cmp.Or(loop.Detail, loop.Kind), "."))
}

// continueInvalid returns a prompt to continue after an unusable response, if
// Config.ContinueInvalid is set, once per run.
func (r *run) continueInvalid() (*llm.Content, error) {
	if !r.cfg.ContinueInvalid || r.hasRecovered || r.continuations == 0 {
		return nil, errOver
	}
	r.hasRecovered = true
	r.continuations--
	return llm.User(llm.Text("System: Please continue.")), nil
}

// nextSpeaker returns a prompt to continue if the NextSpeaker decides that the model does.
func (r *run) nextSpeaker(ctx context.Context) (*llm.Content, error) {
	if r.cfg.NextSpeaker == nil || r.continuations == 0 || r.conv.hasWaiting() || r.cfg.NextSpeaker.Next(ctx, r.conv.history.all) != llm.RoleModel {
		return nil, ctx.Err()
	}
	r.continuations--
	return llm.User(llm.Text("Please continue.")), nil
}

// runCalls runs the calls of a response and returns their results as the next message, after those
// that the response has already.
func (r *run) runCalls(ctx context.Context, calls []*ToolCall) (*llm.Content, error) {
	b := &batch{requester: r.requester, tools: r.tools, refused: r.warnings}
	finished, err := b.run(ctx, calls)
	results, records := &llm.Content{Role: llm.RoleUser}, make([]CallRecord, 0, len(finished))
	if r.results != nil {
		results.Parts, records = slices.Clone(r.results.Parts), slices.Clone(r.records)
	}
	if r.partial > 0 {
		r.conv.cut(ctx, r.partial)
		r.partial = 0
	}
	cancelled, stop, text := true, (*tool.Error)(nil), ""
	for _, f := range finished {
		results.Parts = append(results.Parts, f.Response...)
		records = append(records, r.callRecord(f))
		cancelled = cancelled && f.Status == CallCancelled && len(f.Result.Content) == 0
		if e := f.Result.Error; e != nil && e.Type == tool.ErrStopExecution {
			stop = e
		}
		text = cmp.Or(f.Result.Answer, text)
		if r.cfg.LoopDetector != nil && f.Status == CallCancelled && f.Began.IsZero() {
			r.cfg.LoopDetector.Observe(f)
		}
	}
	r.results, r.records = results, records
	switch {
	case err != nil:
		return nil, err
	case stop != nil:
		return nil, r.out.end(Stopped{Reason: stop.Message, ByTool: true})
	case cancelled:
		return nil, r.out.end(Cancelled{})
	case text != "":
		return nil, r.answer(ctx, text)
	}
	return results, nil
}

// answer ends the run with an answer that a tool gave.
func (r *run) answer(ctx context.Context, text string) error {
	r.conv.push(ctx, Message{Content: r.results}, r.records...)
	r.results = nil
	r.conv.push(ctx, Message{Content: llm.Model(llm.Text(text))})
	r.respond(text)
	return r.out.end(Text{text})
}

// callRecord returns the journal's record of a finished call.
func (r *run) callRecord(f ToolFinished) CallRecord {
	record := CallRecord{
		ID: f.Call.ID, Name: f.Call.Name, Args: f.Call.Args, Status: f.Status,
		Description: f.Summary(), Display: f.Result.Display, AgentID: f.Result.AgentID, HasRun: f.HasRun(), IsInterrupted: f.IsInterrupted,
		Executions: withoutContent(f.Executions),
		Ended:      f.Began.Add(f.Duration), Active: f.Active,
	}
	if t, ok := r.cfg.Tools.Lookup(f.Call.Name); ok {
		record.Plain = t.Spec().Plain
	}
	return record
}

// withoutContent returns records without what the model got, which is in the history.
func withoutContent(list []Execution) []Execution {
	list = slices.Clone(list)
	for i := range list {
		list[i].Result = &tool.Result{Display: list[i].Result.Display}
	}
	return list
}

// settle completes the history when a run ends, so that every call has its response. It keeps
// results that were not sent, and adds a cancelled result for each call without one. Prompts
// that joined a request without a response wait again.
func (r *run) settle(ctx context.Context) {
	r.conv.returnWaiting(r.joined)
	if r.results != nil {
		r.conv.push(ctx, Message{Content: r.results}, r.records...)
		return
	}
	r.conv.settle(ctx, r.isInterrupted(ctx))
}

// chosenModel returns the model for the next prompt.
func (a *Agent) chosenModel() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}
