package route

import (
	"context"
	"fmt"

	"pollux/agent"
	"pollux/llm/catalog"
)

// prompt is what a decision is made about.
type prompt struct {
	agent.Routing
	Choice
	auto bool
	err  error // why a strategy could not decide
}

// The strategies. A Decision without a model leaves it to the next one.

// fallback replaces a model that cannot answer.
func (r *Router) fallback(_ context.Context, p *prompt) Decision {
	if to := r.available(p.Model, p.PromptID); to != p.Model {
		return Decision{Model: to, Source: "fallback", Reasoning: p.Model + " cannot answer at present."}
	}
	return Decision{}
}

// override does as the user has said.
func (r *Router) override(_ context.Context, p *prompt) Decision {
	if p.auto {
		return Decision{}
	}
	return Decision{Model: p.Model, Source: "override", Reasoning: "The user has named it."}
}

// approvalMode plans with the larger model and implements with the faster one.
func (r *Router) approvalMode(_ context.Context, p *prompt) Decision {
	if r.o.Stage == nil {
		return Decision{}
	}
	switch r.o.Stage() {
	case Planning:
		return Decision{Model: p.Pro, Source: "approval-mode", Reasoning: "A plan is being made."}
	case Implementing:
		return Decision{Model: p.Flash, Source: "approval-mode", Reasoning: "An approved plan is carried out."}
	}
	return Decision{}
}

// classify leaves it to a small model's judgement of the prompt.
func (r *Router) classify(ctx context.Context, p *prompt) Decision {
	if !p.Judge || r.o.Generator == nil || p.Prompt == nil || p.Prompt.HasFunctionResponse() || p.Pro == p.Flash || !r.rested() {
		return Decision{}
	}
	question := r.binary
	if catalog.IsGemini(p.Model) && catalog.Modern(p.Model) && !r.o.Binary {
		question = r.numerical
	}
	d, err := question(ctx, p)
	r.judged(ctx, err)
	if err != nil {
		return Decision{Err: err}
	}
	if to := r.available(d.Model, p.PromptID); to != d.Model {
		return Decision{Err: fmt.Errorf("%s chose %s, which cannot answer at present", d.Source, d.Model)}
	}
	return d
}

// available returns the model that is asked where this one is meant.
func (r *Router) available(model, promptID string) string {
	if r.o.Select == nil {
		return model
	}
	return r.o.Select(model, promptID)
}
