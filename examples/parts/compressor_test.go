package parts

import (
	"context"
	"fmt"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// forgetful keeps the last messages of a conversation and a line about the others. The compressor of Pollux
// (agent/compress) has a model write a summary instead.
type forgetful struct{ keep int }

func (f forgetful) Compress(_ context.Context, r agent.CompressRequest) ([]agent.Message, agent.Compression) {
	same := agent.Compression{Status: agent.CompressNoOp, Before: r.Tokens, After: r.Tokens}
	if len(r.History) <= 2*f.keep && !r.Force {
		return r.History, same
	}
	// A prompt begins a round: a result must not lose its call.
	at := len(r.History) - f.keep
	for at > 0 && !r.History[at].IsPrompt {
		at--
	}
	if at <= 0 {
		return r.History, same
	}
	note := fmt.Sprintf("%d older messages were removed.", at)
	short := append([]agent.Message{
		{Content: llm.User(llm.Text(note))}, {Content: llm.Model(llm.Text("Understood."))},
	}, r.History[at:]...)
	after := 0
	for _, m := range short {
		after += m.Content.Tokens()
	}
	return short, agent.Compression{Status: agent.CompressedOK, Before: r.Tokens, After: after}
}

// A compressor selects the part of a long conversation that a model remembers.
func Example_compressor() {
	a := agent.New(agent.Config{
		Model: "script", Gate: open{}, Tools: tool.NewRegistry(), Compressor: forgetful{keep: 2},
		Generator: &script{answers: []llm.Part{llm.Text("1"), llm.Text("2"), llm.Text("3"), llm.Text("4")}},
	})
	for _, prompt := range []string{"one", "two", "three", "four"} {
		for range a.Run(context.Background(), agent.TextPrompt(prompt)) {
		}
	}
	for _, m := range a.History() {
		fmt.Println(m.Content.Role+":", m.Content.Text())
	}
	// Output:
	// user: 4 older messages were removed.
	// model: Understood.
	// user: three
	// model: 3
	// user: four
	// model: 4
}
