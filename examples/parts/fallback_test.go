package parts

import (
	"context"
	"fmt"
	"iter"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/llm/retry"
	"pollux/tool"
)

// busy is a service whose model "large" has no capacity.
type busy struct{ llm.Generator }

func (busy) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		fmt.Println("asked:", req.Model)
		if req.Model == "large" {
			yield(nil, &llm.Error{Kind: llm.KindServer, Status: 503, Message: "The model is overloaded."})
			return
		}
		yield(answer(llm.Text("I stand in.")), nil)
	}
}

// A failed request is repeated, and then goes to another model.
func Example_fallback() {
	retried := retry.Wrap(busy{}, retry.Options{MaxAttempts: 3, InitialDelay: time.Millisecond})
	model := fallback.Wrap(retried, fallback.Options{Chain: func(model string) fallback.Chain {
		silently := map[fallback.Kind]fallback.Action{fallback.Transient: fallback.Silent, fallback.Unknown: fallback.Silent}
		return fallback.Chain{{Model: model, Actions: silently}, {Model: "small", LastResort: true}}
	}})
	say(agent.New(agent.Config{Model: "large", Gate: open{}, Tools: tool.NewRegistry(), Generator: model}), "Hi")
	// Output:
	// asked: large
	// asked: large
	// asked: large
	// asked: small
	// I stand in.
}
