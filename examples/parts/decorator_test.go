package parts

import (
	"context"
	"fmt"
	"iter"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// logged prints requests to a model and its responses. It embeds the model, so that it is one itself: decorators such
// as those of llm/retry and llm/fallback are wrapped around each other.
type logged struct{ llm.Generator }

func (l logged) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		fmt.Printf("-> %d message(s) to %s\n", len(req.Contents), req.Model)
		for chunk, err := range l.Generator.Stream(ctx, req) {
			if err != nil {
				fmt.Println("<- ", err)
			} else {
				fmt.Printf("<- %q %s\n", chunk.Text(), chunk.FinishReason())
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// A decorator adds something to any model.
func Example_decorator() {
	a := agent.New(agent.Config{
		Model: "script", Gate: open{}, Tools: tool.NewRegistry(),
		Generator: logged{&script{answers: []llm.Part{llm.Text("Hello."), llm.Text("Still here.")}}},
	})
	say(a, "Hi")
	say(a, "And now?")
	// Output:
	// -> 1 message(s) to script
	// <- "Hello." STOP
	// Hello.
	// -> 3 message(s) to script
	// <- "Still here." STOP
	// Still here.
}
