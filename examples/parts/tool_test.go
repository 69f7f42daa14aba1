package parts

import (
	"context"
	"fmt"
	"go/token"
	"go/types"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// A calculator: the model writes the struct and reads the string.
type sum struct {
	Expression string `json:"expression" jsonschema:"such as 2 + 3 * 4"`
}

func calculate(_ context.Context, s sum) (string, error) {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, s.Expression)
	if err != nil || v.Value == nil {
		return "", fmt.Errorf("%q is no expression of numbers", s.Expression)
	}
	return v.Value.String(), nil
}

// A function becomes a tool.
func Example_tool() {
	calculator, err := tool.Func("calculator", "Evaluates an expression.", calculate, tool.ReadOnly)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := agent.New(agent.Config{
		Model: "script", Gate: open{}, Tools: tool.NewRegistry(calculator),
		Generator: &script{answers: []llm.Part{
			call("calculator", `{"expression": "2 + 3 * 4"}`),
			call("calculator", `{"expression": "two"}`),
			llm.Text("It is 14."),
		}},
	})
	say(a, "What is 2 + 3 * 4?")
	for _, m := range a.History() {
		for _, p := range m.Content.Parts {
			if p.FunctionResponse != nil {
				fmt.Printf("%s\n", p.FunctionResponse.Response)
			}
		}
	}
	// Output:
	// It is 14.
	// {"output":"14"}
	// {"error":"\"two\" is no expression of numbers"}
}
