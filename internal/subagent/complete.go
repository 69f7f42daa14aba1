package subagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"pollux/llm"
	"pollux/tool"
)

// completeTask is the name of the tool with which a subagent returns its result.
const completeTask = "complete_task"

// Completion is the tool complete_task of one run, and the result that the subagent has returned
// with it.
type Completion struct {
	spec   tool.Spec
	output *Output

	mu     sync.Mutex
	isDone bool
	result string
}

// NewCompletion returns the tool complete_task for a subagent with this output, nil for text.
func NewCompletion(o *Output) *Completion {
	c := &Completion{output: o, spec: tool.Spec{
		Name: completeTask, DisplayName: "Complete Task", Kind: tool.KindThink, Serial: true,
		Description: "Returns your final result and ends the task. This is the only way to finish.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"result":{"type":"string","description":"Everything that the agent that called you needs: it sees nothing else of your work."}},"required":["result"]}`),
	}}
	if o != nil {
		properties, _ := json.Marshal(map[string]json.RawMessage{o.Name: o.Schema}) // they are valid
		required, _ := json.Marshal([]string{o.Name})
		c.spec.Schema = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":%s,"required":%s}`, properties, required))
		c.spec.Accepted = json.RawMessage(`{"type":"object"}`) // Build checks the rest
		c.spec.Description += fmt.Sprintf(" The argument `%s` is an object: %s", o.Name, o.Description)
	}
	return c
}

// Result returns the first result of the subagent, and whether there is one.
func (c *Completion) Result() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.result, c.isDone
}

// Spec implements [tool.Tool].
func (c *Completion) Spec() *tool.Spec { return &c.spec }

// Build implements [tool.Tool].
func (c *Completion) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	if c.output != nil {
		err := tool.CheckArgs(c.spec.Schema, raw)
		if value, found := args[c.output.Name]; found {
			if err != nil {
				return nil, err
			}
			return &completeCall{c, c.output.Text(value)}, nil
		}
		if tool.CheckArgs(c.output.Schema, raw) == nil { // models leave out the argument around its members
			return &completeCall{c, c.output.Text(raw)}, nil
		}
		//lint:ignore ST1005 the text is a contract
		return nil, fmt.Errorf("Missing required argument '%s' for completion. %v", c.output.Name, err)
	}
	var text string
	if json.Unmarshal(args["result"], &text) != nil || strings.TrimSpace(text) == "" {
		//lint:ignore ST1005 the text is a contract
		return nil, errors.New(`Missing required "result" argument. You must provide your findings when calling complete_task.`)
	}
	return &completeCall{c, text}, nil
}

type completeCall struct {
	*Completion
	text string
}

func (*completeCall) Summary() string { return "Completing task and submitting results." }

func (*completeCall) Locations() []tool.Location { return nil }

func (c *completeCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Confirm: " + c.spec.DisplayName, Prompt: c.text}, nil
}

func (c *completeCall) Run(context.Context, tool.Host) *tool.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isDone {
		c.result, c.isDone = c.text, true
	}
	said := "Result submitted and task completed."
	if c.output != nil {
		said = "Output submitted and task completed."
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(said)}, Display: tool.TextDisplay(said),
		Data: map[string]any{"taskCompleted": true, "submittedOutput": c.text},
	}
}
