package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pollux/llm"
)

// steps prepare a turn, in this order. A step that ends the run emits an event with the reason and
// returns errOver.
var steps = []func(*run, context.Context, *turn) error{
	(*run).countTurn,
	(*run).route,
	(*run).settleTools,
	(*run).fit,
	(*run).addIDEContext,
	(*run).announce,
	(*run).checkTurn,
}

// countTurn counts one model request. It ends the run if the session has reached MaxTurns.
func (r *run) countTurn(context.Context, *turn) error {
	if limit := r.cfg.MaxTurns; limit != nil && r.conv.turnCount >= *limit {
		r.conv.isAtLimit = true
		return r.out.end(MaxTurns{Limit: *limit})
	}
	r.conv.turnCount++
	return nil
}

// route selects the model for all requests of the prompt.
func (r *run) route(ctx context.Context, t *turn) error {
	if r.model == "" && r.cfg.Router != nil {
		r.model = r.cfg.Router.Route(ctx, RouteRequest{History: r.conv.history.all, Prompt: t.message.content, Model: r.chosenModel(), PromptID: r.promptID})
	}
	r.model = cmp.Or(r.model, r.chosenModel())
	return nil
}

func (r *run) settleTools(ctx context.Context, _ *turn) error {
	r.cfg.Settle(ctx)
	return nil
}

func (r *run) fit(ctx context.Context, t *turn) error { return fitter{r.requester}.fit(ctx, t) }

// addIDEContext adds a message with the changes in the person's IDE before a prompt.
func (r *run) addIDEContext(ctx context.Context, t *turn) error {
	if r.cfg.IDE == nil || t.message.content.HasFunctionResponse() {
		return nil // a result must directly follow its call
	}
	if seen := r.cfg.IDE.Context(!r.conv.hasIDEContext); seen != "" {
		r.conv.push(ctx, Message{Content: llm.User(llm.Text(seen))})
	}
	r.conv.hasIDEContext = true
	return nil
}

// announce emits the first events of a turn.
func (r *run) announce(context.Context, *turn) error {
	if err := r.out.emit(TurnStarted{Turn: r.conv.turnCount}); err != nil || r.isAnnounced {
		return err
	}
	r.isAnnounced = true
	return r.out.emit(ModelInfo{Model: r.model})
}

// beforeAgent runs the BeforeAgent hook for a prompt with this text, and returns the prompt to send.
func (r *run) beforeAgent(ctx context.Context, m outgoing, prompt string) (outgoing, error) {
	r.cfg.LoopDetector.Reset(prompt)
	if r.cfg.Hooks == nil {
		return m, nil
	}
	v := r.cfg.Hooks.BeforeAgent(ctx, prompt)
	if v.Stop && !v.Block {
		r.conv.push(ctx, Message{Content: m.content, Shown: m.shown, IsPrompt: true})
	}
	if err := r.out.apply(v); err != nil {
		return outgoing{}, err
	}
	if v.Context != "" {
		escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context)
		m.content = llm.User(append(slices.Clip(m.content.Parts), llm.Text("<hook_context>"+escaped+"</hook_context>"))...)
	}
	return m, nil
}

// afterAgent runs the AfterAgent hook, with the person's prompt and the texts of the model since, and
// returns the prompt that the hook sends to the model, an empty one for none.
func (r *run) afterAgent(ctx context.Context) (outgoing, error) {
	if r.cfg.Hooks == nil {
		return outgoing{}, nil
	}
	v := r.cfg.Hooks.AfterAgent(ctx, r.prompt, cmp.Or(r.response, "[no response text]"), r.isHookPrompt)
	err := r.out.apply(v)
	if v.ClearContext {
		r.conv.clear(ctx)
	}
	if err == nil || !v.Block || v.Stop {
		return outgoing{}, err
	}
	if !r.budget.spend() {
		return outgoing{}, r.out.end(Exhausted{maxRequests})
	}
	r.isHookPrompt = true
	return r.beforeAgent(ctx, outgoing{content: llm.User(llm.Text(v.Reason))}, v.Reason)
}

// nextSpeaker returns a prompt to continue if there is a reminder, or if the NextSpeaker decides that the model does.
func (r *run) nextSpeaker(ctx context.Context) (outgoing, error) {
	if r.cfg.Reminder != nil && r.budget.continuations > 0 && !r.conv.hasWaiting() && ctx.Err() == nil {
		if text := r.cfg.Reminder(); text != "" {
			r.budget.spend()
			return outgoing{content: llm.User(llm.Text(text))}, nil
		}
	}
	if r.cfg.NextSpeaker == nil || r.conv.hasWaiting() || r.cfg.NextSpeaker.Next(ctx, r.conv.history.all) != llm.RoleModel {
		return outgoing{}, ctx.Err()
	}
	if !r.budget.spend() {
		return outgoing{}, r.out.end(Exhausted{maxRequests})
	}
	return outgoing{content: llm.User(llm.Text("Please continue."))}, nil
}
