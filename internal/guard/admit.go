package guard

import (
	"context"
	"encoding/json"
	"fmt"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// validate makes an invocation of the model's arguments.
func (p *passage) validate(context.Context) *refusal {
	inv, err := p.build(p.args)
	if err != nil {
		return p.refuse(tool.Fail(tool.ErrInvalidParams, err.Error()))
	}
	p.inv = inv
	return nil
}

func (p *passage) build(args json.RawMessage) (tool.Invocation, error) {
	if err := checkKeys(p.spec.Schema, args); err != nil {
		return nil, err
	}
	return tool.Build(p.tool, args)
}

// policy asks the rules (spec/safety.md §2.10).
func (p *passage) policy(context.Context) *refusal {
	if p.call.Typed {
		p.verdict = policy.Allow
		return nil
	}
	v := p.opts.Policy.Check(p.policyCall())
	p.verdict = v.Decision
	switch v.Decision {
	case policy.Allow:
		return nil
	case policy.Ask:
		// A person's own command needs no second consent, unless it asks for
		// more than commands may.
		if p.call.FromClient && !has(p.args, "additional_permissions") {
			p.verdict = policy.Allow
			return nil
		}
		return p.needsPerson()
	}
	text := "Tool execution denied by policy."
	if v.Message != "" {
		text += " " + v.Message
	}
	return p.refuse(tool.Fail(tool.ErrPolicyViolation, text))
}

func (p *passage) policyCall() policy.Call {
	c := policyCall(p.tool, p.args, p.inv)
	c.Subagent = p.opts.Subagent
	return c
}

// PolicyCall returns a call of the main agent as rules see it.
func PolicyCall(t tool.Tool, args json.RawMessage) policy.Call {
	inv, err := tool.Build(t, args)
	if err != nil {
		inv = nil // what cannot be called touches nothing
	}
	return policyCall(t, args, inv)
}

func policyCall(t tool.Tool, args json.RawMessage, inv tool.Invocation) policy.Call {
	spec := t.Spec()
	c := policy.Call{Name: spec.Name, Aliases: spec.Aliases, Args: args}
	if inv != nil {
		for _, l := range inv.Locations() {
			c.Paths = append(c.Paths, l.Path)
		}
	}
	if r, ok := t.(Remote); ok {
		c.Server, c.Annotations = r.Server(), r.Annotations()
	}
	return c
}

// needsPerson refuses if a person must be asked and there is none.
func (p *passage) needsPerson() *refusal {
	if p.opts.Interactive {
		return nil
	}
	name := p.spec.DisplayName
	if name == "" {
		name = p.spec.Name
	}
	return p.refuse(tool.Fail(tool.ErrUnhandled, fmt.Sprintf(
		"Tool execution for %q requires user confirmation, which is not supported in non-interactive mode.", name)))
}

// hooks lets the user's programs stop, block, change or hold up the call
// (spec/tools.md §5.4). What they change must pass the policy again.
func (p *passage) hooks(ctx context.Context) *refusal {
	if p.opts.Hooks == nil {
		return nil
	}
	before := p.opts.Hooks.Before(ctx, p.call, p.spec, p.args)
	switch {
	case before.Stop:
		return p.refuse(tool.Fail(tool.ErrStopExecution, "Agent execution stopped by hook: "+before.Reason))
	case before.Block:
		return p.refuse(tool.Fail(tool.ErrPolicyViolation, "Tool execution blocked: "+before.Reason))
	}
	if before.Args != nil {
		if err := p.rebuild(before.Args); err != nil {
			return p.refuse(tool.Fail(tool.ErrInvalidParams, "Tool parameter modification by hook failed validation: "+err.Error()))
		}
		p.modified = true
		if no := p.policy(ctx); no != nil {
			return no
		}
	}
	if before.Ask {
		p.verdict = policy.Ask
		return p.needsPerson()
	}
	return nil
}

// rebuild puts other arguments in the place of the call's.
func (p *passage) rebuild(args json.RawMessage) error {
	inv, err := p.build(args)
	if err == nil {
		p.args, p.inv = args, inv
	}
	return err
}

// confirm asks a person, again for as long as they edit (spec/tools.md §5.5).
func (p *passage) confirm(ctx context.Context) *refusal {
	if err := p.doubt(ctx); err != nil {
		return p.refuse(tool.Fail(tool.ErrUnhandled, err.Error()))
	}
	for p.verdict == policy.Ask {
		details, err := p.inv.Confirmation(ctx)
		switch {
		case ctx.Err() != nil:
			return p.cancel(nil)
		case err != nil:
			return p.refuse(tool.Fail(tool.ErrUnhandled, err.Error()))
		case details == nil:
			return nil
		}
		switch d := details.(type) {
		case *tool.EditConfirmation:
			_, d.Modifiable = p.inv.(tool.Modifiable)
		case *tool.ExecConfirmation:
			d.UntrustedFlags, d.ModifiedBuildFiles = p.words, p.files
		}
		answer, err := p.ask(ctx, details)
		if err != nil {
			return p.cancel(shown(details))
		}
		if no := p.heed(ctx, details, answer); no != nil {
			return no
		}
	}
	return nil
}

// heed does what a person answered. The verdict remains Ask if they are to be
// asked again.
func (p *passage) heed(ctx context.Context, details tool.Confirmation, answer agent.Answer) *refusal {
	p.outcome = answer.Outcome
	switch answer.Outcome {
	case tool.ProceedOnce, tool.ModifyWithEditor,
		tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ProceedAlwaysServer, tool.ProceedAlwaysTool:
	default: // also what no face should say
		no := p.cancel(shown(details))
		if answer.Feedback != "" {
			no.result.Content = []llm.Part{llm.Text("The user did not want this, and says: " + answer.Feedback)}
		}
		return no
	}
	if answer.Content != nil {
		if no := p.edit(ctx, *answer.Content); no != nil {
			return no
		}
	}
	if a, ok := p.inv.(tool.Answerable); ok && answer.Reply != nil {
		a.Answer(*answer.Reply)
	}
	switch answer.Outcome {
	case tool.ModifyWithEditor:
		p.verdict = policy.Ask
		return nil
	case tool.ProceedOnce:
	default:
		if p.doubtful() || !p.opts.Policy.Remember(p.policyCall(), answer.Outcome) {
			p.outcome = tool.ProceedOnce
		}
	}
	p.dispel()
	p.verdict = policy.Allow
	return nil
}

// edit puts a person's content in the place of the model's. A rule that denies
// what came of it still counts.
func (p *passage) edit(ctx context.Context, content string) *refusal {
	m, ok := p.inv.(tool.Modifiable)
	if !ok {
		return p.refuse(tool.Fail(tool.ErrInvalidParams, "This call can't be modified."))
	}
	args, err := m.WithContent(content)
	if err == nil {
		err = p.rebuild(args)
	}
	if err != nil {
		return p.refuse(tool.Fail(tool.ErrInvalidParams, err.Error()))
	}
	return p.policy(ctx)
}

// shown is what stays on the screen of a confirmation that was refused.
func shown(details tool.Confirmation) tool.Display {
	if e, ok := details.(*tool.EditConfirmation); ok {
		return &e.DiffDisplay
	}
	return nil
}

func has(args json.RawMessage, key string) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(args, &members) // they were checked
	return members[key] != nil
}
