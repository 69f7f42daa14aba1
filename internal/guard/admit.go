package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/reach"
	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/tool"
)

// validate builds the invocation from the arguments of the model. From then on the arguments
// have the names and types of the tool's schema, so that rules, hooks and the tool see the same.
func (g *gatedCall) validate(context.Context) *refusal {
	err := g.build(dropWait(g.spec.Schema, g.written.Args), func(args json.RawMessage) (*agent.PreparedCall, error) {
		return agent.Prepare(g.written, g.tool, args)
	})
	if err != nil {
		return g.refuse(tool.Fail(tool.ErrInvalidParams, err.Error()))
	}
	return nil
}

// policy applies the policy rules.
func (g *gatedCall) policy(context.Context) *refusal {
	if g.written.Typed {
		g.verdict, g.decision = policy.Allow, agent.Decision{By: agent.DecidedByClient}
		return nil
	}
	v := g.checkRules()
	g.verdict, g.isUnasked = v.Decision, v.Decision == policy.Allow && v.IsLifted && !g.written.FromClient
	g.decision = agent.Decision{By: agent.DecidedByPolicy, Reason: v.Reason}
	switch v.Decision {
	case policy.Allow:
		if g.requestsMore() {
			g.verdict = policy.Ask
		}
		return nil
	case policy.Ask:
		// A person's own command needs no further approval, unless it requests additional
		// permissions.
		if g.written.FromClient && !hasMember(g.call.Args(), "additional_permissions") {
			g.verdict, g.decision = policy.Allow, agent.Decision{By: agent.DecidedByClient}
			return nil
		}
		return g.requirePerson(v.Reason)
	}
	text := "Tool execution denied by policy."
	for _, more := range [...]string{v.Message, v.Reason} {
		if more != "" {
			text += " " + more
		}
	}
	return g.refuse(tool.Fail(tool.ErrPolicyViolation, text))
}

// requestsMore reports whether the call asks for a permission that only a person can give, and there is one.
func (g *gatedCall) requestsMore() bool {
	if !g.opts.Interactive || !hasMember(g.call.Args(), "additional_permissions") {
		return false
	}
	p := g.foresee(&tool.Reach{})
	return p != nil && p.IsRequested
}

// checkRules returns the decision of the policy rules about the call. A call that is relayed to a server must also
// be allowed under its own name.
func (g *gatedCall) checkRules() policy.Verdict {
	if _, isRelayed := tool.As[tool.Relayed](g.call.Invocation()); isRelayed {
		own := policyTool(g.tool)
		own.Args, own.Subagent = g.call.Args(), g.opts.Subagent
		if v := g.opts.Policy.Check(own); v.Decision != policy.Allow {
			return v
		}
	}
	return g.opts.Policy.Check(g.policyCall())
}

func (g *gatedCall) policyCall() policy.Call {
	c := PreparedPolicyCall(g.call)
	c.Subagent = g.opts.Subagent
	return c
}

// PreparedPolicyCall returns a prepared call of the main agent in the form that policy rules check.
func PreparedPolicyCall(p *agent.PreparedCall) policy.Call {
	return policyCall(p.Tool(), p.Args(), p.Invocation())
}

// PolicyCall returns a call of the main agent in the form that policy rules check.
func PolicyCall(t tool.Tool, args json.RawMessage) policy.Call {
	args = argmap.Common().Read(t.Spec().Name, t.Spec().Schema, args).Args
	inv, err := tool.Build(t, args)
	if err != nil {
		inv = nil // an invalid call has no locations
	}
	return policyCall(t, args, inv)
}

// CallWithoutFiles is [PolicyCall] for a tool whose calls name no files, and arguments that match its schema. It
// costs less, because it does not build the call.
func CallWithoutFiles(t tool.Tool, args json.RawMessage) policy.Call { return policyCall(t, args, nil) }

func policyCall(t tool.Tool, args json.RawMessage, inv tool.Invocation) policy.Call {
	if r, ok := tool.As[tool.Relayed](inv); ok {
		t = r.Remote()
	}
	c := policyTool(t)
	c.Args = args
	if inv != nil {
		for _, l := range inv.Locations() {
			c.Paths = append(c.Paths, l.Path)
		}
	}
	return c
}

// Hidden reports whether a tool should be hidden from the model of a subagent, "" for the main agent,
// because no call of it could be allowed. It is meant for tool.Registry.Hide.
func Hidden(e *policy.Engine, t tool.Tool, subagent string) bool {
	return e.Hidden(toolOf(t, subagent))
}

// HiddenReason returns why [Hidden] hides a tool, and the way to allow it.
func HiddenReason(e *policy.Engine, t tool.Tool, subagent string) string {
	return e.HiddenReason(toolOf(t, subagent))
}

// toolOf returns a subagent's call of a tool without arguments.
func toolOf(t tool.Tool, subagent string) policy.Call {
	c := policyTool(t)
	c.Subagent = subagent
	return c
}

// policyTool returns the part of a call that is about its tool.
func policyTool(t tool.Tool) policy.Call {
	spec := t.Spec()
	c := policy.Call{Name: spec.Name, Aliases: spec.Aliases}
	if r, ok := tool.As[tool.Remote](t); ok {
		c.Server, c.RemoteName, c.Annotations = r.Server(), r.RemoteName(), r.Annotations()
		c.Description, c.Schema = spec.Description, spec.Schema
		if p, ok := tool.As[tool.Private](t); ok {
			c.ServerOf = p.Subagent()
		}
	}
	return c
}

// requirePerson refuses the call if no person is there to answer. reason explains why approval
// is needed, "" for no explanation.
func (g *gatedCall) requirePerson(reason string) *refusal {
	if g.opts.Interactive {
		return nil
	}
	text := fmt.Sprintf("Tool execution for %q requires user confirmation, which is not supported in non-interactive mode.", g.displayName())
	if reason != "" {
		text += " " + reason
	}
	return g.refuse(tool.Fail(tool.ErrUnhandled, text))
}

// rewrite replaces the call by one with other arguments, unless these are invalid.
func (g *gatedCall) rewrite(args json.RawMessage, by agent.Author) error {
	return g.build(args, func(args json.RawMessage) (*agent.PreparedCall, error) { return g.call.Rewrite(args, by) })
}

// build prepares the call with arguments, unless they are invalid. From then on the arguments have
// the names and types of the tool's schema.
func (g *gatedCall) build(args json.RawMessage, prepare func(json.RawMessage) (*agent.PreparedCall, error)) error {
	read := argmap.Common().Read(g.spec.Name, g.spec.Schema, args)
	call, err := prepare(read.Args)
	if err == nil {
		g.call, g.reading = call, read
	}
	return err
}

// confirm asks a person for approval, if it is needed. It asks again after each edit.
func (g *gatedCall) confirm(ctx context.Context) *refusal {
	if err := g.findWarnings(ctx); err != nil {
		return g.refuse(tool.Fail(tool.ErrUnhandled, err.Error()))
	}
	for g.verdict == policy.Ask {
		q, err := g.call.Approval(ctx, g.complete)
		switch {
		case ctx.Err() != nil:
			return g.cancel(nil)
		case err != nil:
			return g.refuse(tool.Fail(tool.ErrUnhandled, err.Error()))
		case q == nil:
			return nil
		}
		g.notify(ctx, q.Details())
		answer, err := g.waitingFor(g.ask)(ctx, q)
		if err != nil {
			return g.cancel(refusedDisplay(q.Details()))
		}
		if _, isOfModel := q.Details().(*tool.QuestionConfirmation); !isOfModel && !answer.Unattended {
			g.decision.By = agent.DecidedByUser
		}
		if no := g.applyAnswer(ctx, q.Details(), answer); no != nil {
			return no
		}
	}
	return nil
}

// complete adds the gate's findings about the call to its details for a person. It returns nil if
// no question is needed.
func (g *gatedCall) complete(details tool.Confirmation) tool.Confirmation {
	switch d := details.(type) {
	case nil:
		if !g.hooked.IsRequired && !g.written.MustAsk && g.quotedFrom == "" && g.again == nil {
			return nil
		}
		return &tool.InfoConfirmation{Title: "Confirm: " + g.displayName(), Prompt: g.call.Summary(), Approval: g.approval("", nil)}
	case *tool.EditConfirmation:
		_, d.Modifiable = tool.As[tool.Modifiable](g.call.Invocation())
		d.Approval = g.approval("", nil)
	case *tool.ExecConfirmation:
		d.UntrustedFlags, d.ModifiedBuildFiles = g.untrustedWords, g.changedFiles
		d.Approval = g.approval(d.Command, nil)
	case *tool.InfoConfirmation:
		d.Approval = g.approval("", d.URLs)
	case *tool.RemoteConfirmation:
		d.Approval = g.approval("", nil)
	}
	return details
}

// approval returns the gate's findings about the call for a person. command is the one of a shell
// call, urls are the addresses that the call will fetch.
func (g *gatedCall) approval(command string, urls []string) tool.Approval {
	c, p := g.policyCall(), g.opts.Policy
	a := tool.Approval{Hooked: g.hooked, Quoted: g.quotedFrom, Reach: reach.Of(reach.Call{
		Command: command, Dir: p.Dir(c), Paths: c.Paths, URLs: urls, Inside: p.Inside,
	})}
	if g.permission = g.foresee(&a.Reach); g.permission != nil {
		a.Permission = g.permission.Text
	}
	a.Reason, a.IsUsual = p.Question(c)
	switch isOnce := a.Once() || g.hasWarnings(); {
	case g.again != nil:
		a.Reason, a.IsUsual, a.IsRetry = g.again.Reason, false, true
		a.Servers = append(a.Servers, g.again.Servers...)
		if !isOnce {
			a.Offers = g.again.Offers
		}
	case !isOnce:
		a.Offers = p.Offers(c)
	}
	return a
}

func (g *gatedCall) displayName() string { return cmp.Or(g.spec.DisplayName, g.spec.Name) }

// applyAnswer applies a person's answer. If the verdict is Ask afterwards, confirm asks again.
func (g *gatedCall) applyAnswer(ctx context.Context, details tool.Confirmation, answer tool.Answer) *refusal {
	g.outcome = answer.Outcome
	switch answer.Outcome {
	case tool.ProceedOnce, tool.ModifyWithEditor,
		tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ProceedAlwaysServer, tool.ProceedAlwaysTool:
	default: // also unknown outcomes
		no := g.cancel(refusedDisplay(details))
		switch {
		case answer.Unattended:
			no.result.Error = &tool.Error{Type: tool.ErrUnhandled, Message: "Not run: this call needs the user's approval, and no user can be asked."}
		case answer.Feedback != "":
			no.result.Content = []llm.Part{llm.Text(answer.Feedback)}
		}
		return no
	}
	if answer.Content != nil {
		if no := g.edit(ctx, *answer.Content); no != nil {
			return no
		}
	}
	if a, ok := tool.As[tool.Answerable](g.call.Invocation()); ok && answer.Reply != nil {
		a.Answer(*answer.Reply)
	}
	switch answer.Outcome {
	case tool.ModifyWithEditor:
		g.verdict = policy.Ask
		return nil
	case tool.ProceedOnce:
	default:
		if !g.remember(answer.Outcome) {
			g.outcome = tool.ProceedOnce
		}
	}
	g.acceptWarnings()
	if g.permission != nil && !answer.ByRules {
		g.permission.Give(g.outcome)
	}
	g.verdict, g.isUnasked = policy.Allow, false
	return nil
}

// remember applies a lasting answer, and reports whether it lasts.
func (g *gatedCall) remember(o tool.Outcome) bool {
	switch {
	case g.hooked.IsRequired || g.hasWarnings():
		return false
	case g.again == nil:
		return g.opts.Policy.Remember(g.policyCall(), o)
	case g.quotedFrom != "" || g.hooked.Once() || !slices.ContainsFunc(g.again.Offers, func(offer tool.Offer) bool { return offer.Outcome == o }):
		return false
	}
	g.again.Remember(o)
	return true
}

// edit replaces the content that the model proposed by a person's content. A rule that denies
// the edited call still applies.
func (g *gatedCall) edit(ctx context.Context, content string) *refusal {
	m, ok := tool.As[tool.Modifiable](g.call.Invocation())
	if !ok {
		return g.refuse(tool.Fail(tool.ErrInvalidParams, "This call can't be modified."))
	}
	args, err := m.WithContent(content)
	if err == nil {
		err = g.rewrite(args, agent.AuthorUser)
	}
	if err != nil {
		return g.refuse(tool.Fail(tool.ErrInvalidParams, err.Error()))
	}
	return g.policy(ctx)
}

// refusedDisplay returns the part of a refused confirmation that stays visible.
func refusedDisplay(details tool.Confirmation) tool.Display {
	if e, ok := details.(*tool.EditConfirmation); ok {
		return &e.DiffDisplay
	}
	return nil
}

// hasMember reports whether args has a member key that is not null.
func hasMember(args json.RawMessage, key string) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(args, &members) // args are valid JSON
	return members[key] != nil
}
