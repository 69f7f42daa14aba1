package toolserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
)

// Since protocol version 2026-07-28, a server sends no requests of its own. A question is the result of
// the call, which the client repeats with the answer; meanwhile the call waits.

// firstRounds is the first protocol version in which a question is the result of a call.
const firstRounds = "2026-07-28"

// usesRounds reports whether questions to a client are results of calls.
func usesRounds(client *sdk.ServerSession) bool {
	p := client.InitializeParams()
	return p == nil || p.ProtocolVersion >= firstRounds
}

// approvalID names the question in the result of a call, and its answer in the next one.
const approvalID = "approval"

// maxWait is how long a call waits for the answer of a client that does not come back.
const maxWait = 10 * time.Minute

// errNoAnswer means that a client has not repeated a call with the answer to its question.
var errNoAnswer = errors.New("the client did not answer in 10 minutes")

// waitingCall is a call that asks its client, and waits for the answer between two requests.
type waitingCall struct {
	name      string
	args      json.RawMessage
	questions chan *sdk.ElicitParams
	answers   chan *sdk.ElicitResult
	result    chan *sdk.CallToolResult
	cancel    context.CancelCauseFunc
	expiry    *time.Timer // ends the call if no answer comes
}

func (c *waitingCall) ask(ctx context.Context, q *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	select {
	case c.questions <- q:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case a := <-c.answers:
		return a, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// waitingCalls are the calls that wait for answers, by the state that the client sends back.
type waitingCalls struct {
	mu    sync.Mutex
	calls map[string]*waitingCall
}

// put keeps a call and returns its state.
func (w *waitingCalls) put(c *waitingCall) string {
	state := rand.Text()
	w.mu.Lock()
	defer w.mu.Unlock()
	c.expiry = time.AfterFunc(maxWait, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.calls, state)
		c.cancel(errNoAnswer)
	})
	if w.calls == nil {
		w.calls = map[string]*waitingCall{}
	}
	w.calls[state] = c
	return state
}

// take returns and removes the call with a state if the client repeats the same call, else nil.
func (w *waitingCalls) take(p *sdk.CallToolParamsRaw) *waitingCall {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.calls[p.RequestState]
	if c == nil || c.name != p.Name || !bytes.Equal(c.args, p.Arguments) || !c.expiry.Stop() {
		return nil
	}
	delete(w.calls, p.RequestState)
	return c
}

// callInRounds runs a call of a client whose questions are results: until its end, or until the next question.
func (f *face) callInRounds(ctx context.Context, r *sdk.CallToolRequest, run func(context.Context, elicit) *sdk.CallToolResult) *sdk.CallToolResult {
	var c *waitingCall
	if r.Params.RequestState == "" {
		c = f.start(r, run)
	} else if c = f.waiting.take(r.Params); c == nil {
		return failed("No call waits for this answer. Call the tool again.")
	} else {
		a, ok := r.Params.InputResponses[approvalID].(*sdk.ElicitResult)
		if !ok {
			a = &sdk.ElicitResult{Action: "cancel"}
		}
		c.answers <- a
	}
	select {
	case q := <-c.questions:
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{approvalID: q}, RequestState: f.waiting.put(c)}
	case result := <-c.result:
		return result
	case <-ctx.Done():
		c.cancel(context.Cause(ctx))
		return <-c.result
	}
}

// start begins a call that outlives the request.
func (f *face) start(r *sdk.CallToolRequest, run func(context.Context, elicit) *sdk.CallToolResult) *waitingCall {
	ctx, cancel := context.WithCancelCause(f.calls)
	c := &waitingCall{
		name: r.Params.Name, args: r.Params.Arguments, cancel: cancel,
		questions: make(chan *sdk.ElicitParams), answers: make(chan *sdk.ElicitResult, 1), result: make(chan *sdk.CallToolResult, 1),
	}
	f.running.Go(func() {
		defer crash.Recover()
		defer cancel(nil)
		c.result <- run(ctx, c.ask)
	})
	return c
}
