package agent

import (
	"cmp"
	"context"
	"slices"

	"pollux/llm"
	"pollux/tool"
)

// requester sends the requests of a prompt to the model.
type requester struct {
	*Agent
	out      consumer
	promptID string
	model    string // of the next request
	response string // the text of all responses so far, for the AfterAgent hook
}

// RequestConfig returns the system instruction, the tools and the sampling parameters of the
// conversation's next request to a model. The vendor reads another request with the same
// configuration and the same history from its prompt cache.
func (a *Agent) RequestConfig(model string) llm.Config {
	return a.requestConfig(model, false, a.cfg.Tools.Snapshot())
}

func (a *Agent) requestConfig(model string, retry bool, tools *tool.Snapshot) llm.Config {
	cfg := a.cfg.Sampling(model, retry)
	form := a.cfg.Form(model, a.Window(model))
	if a.cfg.System != nil {
		cfg.SystemInstruction = a.cfg.System(form)
	}
	if set := a.declarations(model, tools); len(set.Functions) > 0 {
		cfg.Tools = []*llm.ToolSet{set}
	}
	return cfg
}

// declarations returns the declarations of tools in requests to a model.
func (a *Agent) declarations(model string, tools *tool.Snapshot) *llm.ToolSet {
	window := a.Window(model)
	return tools.Fitting(a.cfg.Form(model, window), a.cfg.ToolRoom(window))
}

// request returns the request for contents, which declares tools.
func (q *requester) request(contents []*llm.Content, tools *tool.Snapshot, retry bool) *llm.Request {
	cfg := q.requestConfig(q.model, retry, tools)
	q.conv.overhead = cfg.Tokens()
	return &llm.Request{
		Model: q.model, Contents: contents, Config: cfg, Use: q.cfg.Use, PromptID: q.promptID,
		OnRetry:   func(w llm.Retry) { _ = q.out.emit(Waiting{w}) }, // if the consumer has left, the wait is cancelled
		OnSilence: func(s llm.Silence) { _ = q.out.emit(Silent{s}) },
		OnSwitch: func(s llm.Switch) {
			q.model = s.To
			_ = q.out.emit(Switched{s})
		},
	}
}

// receive sends a request, adds the response to rep and shows it as it arrives.
func (q *requester) receive(ctx context.Context, req *llm.Request, rep *reply) error {
	if q.cfg.Hooks != nil {
		if err := q.applyVerdict(q.cfg.Hooks.BeforeModel(ctx, req)); err != nil {
			return err
		}
	}
	rep.model = req.Model // which a hook may have changed
	onSwitch := req.OnSwitch
	req.OnSwitch = func(s llm.Switch) {
		rep.model = s.To
		onSwitch(s)
	}
	for chunk, err := range q.cfg.Generator.Stream(ctx, req) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if q.cfg.Hooks != nil {
			v, other := q.cfg.Hooks.AfterModel(ctx, req, chunk)
			if err := q.applyVerdict(v, other); err != nil {
				return err
			}
			chunk = cmp.Or(other, chunk)
		}
		if err := rep.receive(chunk); err != nil {
			return err
		}
		if rep.loop.Kind != "" {
			return nil
		}
		if rep.isFull {
			break
		}
	}
	return rep.endThought()
}

// applyVerdict ends the run if the verdict of a hook around the model requires it. If the verdict
// blocks the response, applyVerdict emits the text of instead, which may be nil. The history does
// not get that text.
func (q *requester) applyVerdict(v Verdict, instead *llm.Response) error {
	text := instead.Text()
	if v.Stop || !v.Block || text == "" {
		return q.out.apply(v)
	}
	q.respond(text)
	for _, e := range []Event{
		Blocked{Reason: v.Reason, SystemMessage: v.SystemMessage},
		Text{text},
		Finished{Reason: cmp.Or(instead.FinishReason(), llm.FinishStop)},
	} {
		if err := q.out.emit(e); err != nil {
			return err
		}
	}
	return errOver
}

// respond adds the text of a turn to the response that the AfterAgent hook gets.
func (q *requester) respond(text string) {
	if q.response != "" && text != "" {
		q.response += "\n"
	}
	q.response += text
}

// withNudge returns contents with a request for text or a call, if the last response contained
// no text, or was cut off before it. It adds the request at the end, so that the rest is read
// from the vendor's prompt cache.
func withNudge(contents []*llm.Content, bad *InvalidStream) []*llm.Content {
	if bad == nil {
		return contents
	}
	nudge := llm.Part{}
	switch bad.Type {
	case "THINKING_ONLY_RESPONSE", "NO_RESPONSE_TEXT":
		nudge = llm.Text("[System: your last reply held no visible text and no tool call. Reply now with the final answer, or call a tool.]")
	case "MAX_TOKENS_EXCEEDED":
		nudge = llm.Text(cutText)
	default:
		return contents
	}
	contents = slices.Clone(contents)
	last := contents[len(contents)-1]
	if last.HasFunctionResponse() {
		return append(contents, llm.Model(llm.Text("[Tool execution completed.]")), llm.User(nudge))
	}
	contents[len(contents)-1] = llm.User(append(slices.Clip(last.Parts), nudge)...)
	return contents
}
