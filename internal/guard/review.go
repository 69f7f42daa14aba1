package guard

import (
	"context"

	"pollux/agent"
	"pollux/tool"
)

// review asks a person about changes of a call that do not stay without consent. If no user can answer, they do not. x is the last run, and
// before are those before it.
func (g *gatedCall) review(ctx context.Context, host agent.Host, x *agent.Execution, before []agent.Execution) {
	defer g.recoverPanic(func(r *tool.Result) { x.Result, x.Status = r, agent.Failed })
	for _, s := range g.opts.Around {
		if s.Review == nil {
			continue
		}
		r := s.Review(ctx, g.call, x)
		if r == nil {
			continue
		}
		settled := r.Settle(context.WithoutCancel(ctx), g.askAbout(ctx, host, r))
		x.Result = AppendText(x.Result, "\n\n["+settled.Text+"]")
		settled.apply(x)
		for i := range before {
			settled.apply(&before[i])
		}
	}
}

// apply leaves changes that stay taken back out of a run.
func (s *Settled) apply(x *agent.Execution) {
	if s.Changes != nil && x.Changes != nil {
		x.Changes = s.Changes(x.Changes)
	}
}

// askAbout returns a person's answer to a question about changes, "" for none.
func (g *gatedCall) askAbout(ctx context.Context, host agent.Host, r *Review) tool.Outcome {
	if !g.opts.Interactive || ctx.Err() != nil {
		return ""
	}
	details := &tool.InfoConfirmation{Title: "This runs programs later", Prompt: r.Text, IsReview: true}
	if r.Offer != nil {
		details.Offers = []tool.Offer{*r.Offer}
	}
	g.notify(ctx, details)
	answer, err := g.waitingFor(askOf(host))(ctx, g.call.Review(details))
	if err != nil || answer.Unattended {
		return ""
	}
	return answer.Outcome
}

// notify tells hooks that a person is asked about the call.
func (g *gatedCall) notify(ctx context.Context, details tool.Confirmation) {
	if g.opts.Hooks != nil {
		g.opts.Hooks.Notify(ctx, g.hookedCall(), details)
	}
}

// interrupt implements [Interrupt].
func (g *gatedCall) interrupt(ctx context.Context, details tool.Confirmation) (tool.Outcome, bool) {
	asking, stop := context.WithCancel(g.running.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	g.notify(asking, details)
	answer, err := g.running.ask(asking, g.call.Review(details))
	return answer.Outcome, err == nil && !answer.Unattended
}
