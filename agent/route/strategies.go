package route

import (
	"context"
	"fmt"

	"pollux/agent"
	"pollux/llm/catalog"
)

// request is the input of a strategy.
type request struct {
	agent.RouteRequest
	Choice
	isAuto bool
	err    error // first error of the strategies so far
}

// The strategies. A strategy that does not apply returns a Decision without a model.

// fallback replaces an unavailable model.
func (r *Router) fallback(_ context.Context, p *request) Decision {
	if to := r.available(p.Model, p.PromptID); to != p.Model {
		return Decision{Model: to, Source: "fallback", Reasoning: p.Model + " cannot answer at present."}
	}
	return Decision{}
}

// override returns the model that the user has selected.
func (r *Router) override(_ context.Context, p *request) Decision {
	if p.isAuto {
		return Decision{}
	}
	return Decision{Model: p.Model, Source: "override", Reasoning: "The user has named it."}
}

// approvalMode returns the pro model to make a plan and the flash model to implement it.
func (r *Router) approvalMode(_ context.Context, p *request) Decision {
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

// classify asks a small model about the prompt.
func (r *Router) classify(ctx context.Context, p *request) Decision {
	if !p.UseClassifier || r.o.Generator == nil || p.Prompt == nil || p.Prompt.HasFunctionResponse() || p.Pro == p.Flash || !r.isClassifierReady() {
		return Decision{}
	}
	question := r.classifyBinary
	if catalog.IsGemini(p.Model) && catalog.IsModern(p.Model) && !r.o.Binary {
		question = r.classifyScore
	}
	d, err := question(ctx, p)
	r.recordResult(ctx, err)
	if err != nil {
		return Decision{Err: err}
	}
	if to := r.available(d.Model, p.PromptID); to != d.Model {
		return Decision{Err: fmt.Errorf("%s chose %s, which cannot answer at present", d.Source, d.Model)}
	}
	return d
}

// available returns the model, or its replacement if it is unavailable.
func (r *Router) available(model, promptID string) string {
	if r.o.Select == nil {
		return model
	}
	return r.o.Select(model, promptID)
}
