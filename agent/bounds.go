package agent

import (
	"encoding/json"

	"pollux/llm"
)

// The bounds of a response. A model in a loop, or a broken server, could go on without end.
const (
	maxCalls = 1000
	maxArgs  = 64 << 20 // bytes of the arguments of all calls
	maxCall  = 4 << 20  // bytes of the arguments of a call; no model writes as much on purpose
	maxReply = 1 << 30  // bytes of everything
	// maxNesting bounds the nesting of arguments. They become part of requests and of records, whose readers
	// have limits of their own.
	maxNesting = 500
)

// exceed counts a part and reports whether the response exceeds its bounds with it. The response ends
// there. A call is emptied and does not run; refusal is the text for the model about it.
func (rep *reply) exceed(p *llm.Part) bool {
	rep.size += len(p.Text)
	if p.FunctionCall != nil {
		rep.callCount++
		rep.argsSize += len(p.FunctionCall.Args)
	}
	what := ""
	switch {
	case rep.callCount > maxCalls:
		what = "Your reply makes more than 1,000 calls."
	case p.FunctionCall != nil && len(p.FunctionCall.Args) > maxCall:
		what = "The arguments of this call are larger than 4 MB."
	case p.FunctionCall != nil && llm.IsNested(p.FunctionCall.Args, maxNesting):
		what = "The arguments of this call are nested more than 500 deep."
	case rep.argsSize > maxArgs:
		what = "The arguments of the calls in your reply are larger than 64 MB."
	case rep.size+rep.argsSize > maxReply:
		what = "Your reply is larger than 1 GB."
	default:
		return false
	}
	rep.isFull, rep.reason = true, llm.FinishMaxTokens
	if p.FunctionCall != nil {
		rep.refusal = "Not run. " + what + " It was cut off at this call. " + shorterText
		call := *p.FunctionCall
		call.Args = json.RawMessage("{}")
		p.FunctionCall = &call
	}
	return true
}
