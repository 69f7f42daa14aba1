package agent

import (
	"context"
	"encoding/json"
	"slices"

	"pollux/tool"
)

// PreparedCall is a tool call as it would run: the tool, the arguments, and the invocation built of
// both. It never changes. A hook that rewrites the arguments, a person who edits them, and a hook that
// continues the call with another one each result in a new PreparedCall. Rules, questions, the run
// and the record all use the same PreparedCall, so that none of them can be about another call.
type PreparedCall struct {
	call    *ToolCall
	tool    tool.Tool
	args    json.RawMessage
	inv     tool.Invocation
	changes []Author

	locations []tool.Location
}

// Author is one who determined the arguments of a call. The values appear in JSON.
type Author string

// The authors of changes to the arguments that the model wrote.
const (
	AuthorHook Author = "hook"
	AuthorUser Author = "user"
	AuthorGate Author = "gate" // a call that runs again with more permission
)

// Prepare checks the arguments of a call and builds the invocation. args are those of the call, with
// the names and types of the tool's schema.
func Prepare(call *ToolCall, t tool.Tool, args json.RawMessage) (*PreparedCall, error) {
	return (&PreparedCall{call: call, tool: t}).build(args)
}

// Rewrite returns the same call with other arguments, which by has written.
func (p *PreparedCall) Rewrite(args json.RawMessage, by Author) (*PreparedCall, error) {
	next, err := p.build(args)
	if err != nil {
		return nil, err
	}
	next.changes = append(slices.Clone(p.changes), by)
	return next, nil
}

// Again returns the same call, to run it once more.
func (p *PreparedCall) Again() (*PreparedCall, error) { return p.build(p.args) }

// build returns the call with an invocation of args.
func (p *PreparedCall) build(args json.RawMessage) (*PreparedCall, error) {
	inv, err := tool.Build(p.tool, args)
	if err != nil {
		return nil, err
	}
	next := *p
	next.args, next.inv, next.locations = args, inv, inv.Locations()
	return &next, nil
}

// Call returns the call of the model, with the name and the arguments that the model wrote. For a call
// with which a hook continues another one, it is the call that the hook wrote.
func (p *PreparedCall) Call() *ToolCall { return p.call }

// Tool returns the tool.
func (p *PreparedCall) Tool() tool.Tool { return p.tool }

// Args returns the arguments that run, with the names and types of the tool's schema.
func (p *PreparedCall) Args() json.RawMessage { return p.args }

// Invocation returns the invocation built of the tool and the arguments.
func (p *PreparedCall) Invocation() tool.Invocation { return p.inv }

// Locations returns the files that the call reads or changes, as far as they are known. Unlike
// [tool.Invocation].Locations it may be called while the call runs.
func (p *PreparedCall) Locations() []tool.Location { return p.locations }

// Summary describes the call in one line.
func (p *PreparedCall) Summary() string { return p.inv.Summary() }

// ChangedBy returns who changed the arguments after they were written, in order.
func (p *PreparedCall) ChangedBy() []Author { return p.changes }

// Record returns the record of the call before it runs, and before anything is known about its end.
func (p *PreparedCall) Record(d Decision) Execution {
	return Execution{
		Name: p.tool.Spec().Name, Args: p.args, Requested: p.call.Requested, ChangedBy: p.changes,
		Decision: d, Summary: p.inv.Summary(),
	}
}

// Run runs the invocation and returns its result, which is never nil. Questions that it asks are about
// this call. Gates call it once.
func (p *PreparedCall) Run(ctx context.Context, host Host) *tool.Result {
	h := host.Tool
	h.Ask = nil
	if host.Ask != nil {
		h.Ask = func(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
			return host.Ask(ctx, &Question{about: []*PreparedCall{p}, details: details})
		}
	}
	if result := p.inv.Run(ctx, h); result != nil {
		return result
	}
	return tool.Fail(tool.ErrUnhandled, "The tool returned nothing.")
}

// Host connects a running call to its caller. All fields may be zero.
type Host struct {
	// Tool is passed to the tool, except for its Ask.
	Tool tool.Host
	// Ask asks a person about a call with which a hook continues this one, and asks the questions of
	// the tool. If it is nil, no one can be asked.
	Ask Ask
	// Continues is called when another call begins to run: one with which a hook continues this one, or this one
	// again with more permission; nil ignores that.
	Continues func(*PreparedCall)
}

// Approval returns the question whether this call may run, nil if it needs no answer. complete gets the
// confirmation of the invocation, which may be nil, and returns the one to show.
func (p *PreparedCall) Approval(ctx context.Context, complete func(tool.Confirmation) tool.Confirmation) (*Question, error) {
	details, err := p.inv.Confirmation(ctx)
	if err != nil {
		return nil, err
	}
	if details = complete(details); details == nil {
		return nil, nil
	}
	return &Question{about: []*PreparedCall{p}, details: details, isApproval: true}, nil
}

// Review returns a question about the effects of this call, which has run.
func (p *PreparedCall) Review(details tool.Confirmation) *Question {
	return &Question{about: []*PreparedCall{p}, details: details}
}

// Question is a question to a person about the calls that run after the answer, that ask it, or that have run. Only
// [PreparedCall.Approval], [PreparedCall.Run], [PreparedCall.Review] and [JoinQuestions] make one, so that it cannot be about another call than
// the one that runs.
type Question struct {
	about      []*PreparedCall
	details    tool.Confirmation
	isApproval bool
}

// JoinQuestions returns one question for several. Its answer is the answer to each of them.
func JoinQuestions(list []*Question, details tool.Confirmation) *Question {
	joint := &Question{details: details, isApproval: true}
	for _, q := range list {
		joint.about = append(joint.about, q.about...)
		joint.isApproval = joint.isApproval && q.isApproval
	}
	return joint
}

// About returns the calls that the question is about, at least one.
func (q *Question) About() []*PreparedCall { return q.about }

// Details is the text of the question for the person.
func (q *Question) Details() tool.Confirmation { return q.details }

// IsApproval reports whether the answer decides if the calls run. Otherwise they run, and ask for
// something that they need, or have run.
func (q *Question) IsApproval() bool { return q.isApproval }

// Ask asks a person a question and waits for the answer. It returns an error only if no answer can
// arrive any more, because ctx or the call has ended.
type Ask func(ctx context.Context, q *Question) (tool.Answer, error)
