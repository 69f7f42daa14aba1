package parts

import (
	"context"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// guide adds the date to each prompt, refuses prompts with a key, and has the model go on until it has named a file.
type guide struct{}

var _ agent.Hooks = guide{}

func (guide) BeforeAgent(_ context.Context, prompt string) agent.Verdict {
	if strings.Contains(prompt, "sk-") {
		return agent.Verdict{Block: true, Reason: "The prompt has a key."}
	}
	return agent.Verdict{Context: "Today is Monday."}
}

func (guide) AfterAgent(_ context.Context, _, response string, again bool) agent.Verdict {
	if again || strings.Contains(response, ".go") {
		return agent.Verdict{}
	}
	return agent.Verdict{Block: true, Reason: "In which file?"}
}

func (guide) BeforeModel(_ context.Context, req *llm.Request) (agent.Verdict, *llm.Response) {
	fmt.Printf("[%s]\n", req.Contents[len(req.Contents)-1].Text())
	return agent.Verdict{}, nil
}

func (guide) AfterModel(context.Context, *llm.Request, *llm.Response) (agent.Verdict, *llm.Response) {
	return agent.Verdict{}, nil
}

func (guide) PreCompress(context.Context, agent.CompressTrigger) {}

// Hooks see every request and decide how a run goes on. Hooks around tools belong to the gate.
func Example_hook() {
	a := agent.New(agent.Config{
		Model: "script", Gate: open{}, Tools: tool.NewRegistry(), Hooks: guide{},
		Generator: &script{answers: []llm.Part{llm.Text("In the parser."), llm.Text("In parse.go.")}},
	})
	say(a, "Where is the bug?")
	for event := range a.Run(context.Background(), agent.TextPrompt("Use sk-123")) {
		if e, ok := event.(agent.Blocked); ok {
			fmt.Println("Blocked:", e.Reason)
		}
	}
	// Output:
	// [Where is the bug?<hook_context>Today is Monday.</hook_context>]
	// In the parser.
	// [In which file?<hook_context>Today is Monday.</hook_context>]
	// In parse.go.
	// Blocked: The prompt has a key.
}
