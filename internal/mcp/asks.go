package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/mcp/form"
	"pollux/tool"
)

// capabilities returns the requests of the server that this client can answer.
func (s *server) capabilities() *sdk.ClientCapabilities {
	//lint:ignore SA1019 servers of today ask for roots
	c := &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{ListChanged: true}}
	if s.all.o.HasPerson {
		c.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
		if s.all.o.Sample != nil {
			//lint:ignore SA1019 servers of today ask for samples
			c.Sampling = &sdk.SamplingCapabilities{}
		}
	}
	return c
}

// answer is middleware for requests of the server. The SDK's own handlers check schemas more strictly than
// servers write them, and declare a capability even if it is refused.
func (s *server) answer(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch p := req.GetParams().(type) {
		case *sdk.ElicitParams:
			return s.elicit(ctx, p)
		//lint:ignore SA1019 servers of today ask for samples
		case *sdk.CreateMessageWithToolsParams:
			return s.sample(ctx, p)
		}
		return next(ctx, method, req)
	}
}

// metaOrder is where a message has the order of the fields of a form, see [keepOrder].
const metaOrder = "pollux/order"

// keepOrder adds the order of the fields of a form to the request that asks for it, because the SDK decodes
// the form into maps.
func keepOrder(msg jsonrpc.Message) {
	r, ok := msg.(*jsonrpc.Request)
	if !ok || r.Method != "elicitation/create" {
		return
	}
	var params map[string]json.RawMessage
	var schema struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(r.Params, &params) != nil || json.Unmarshal(params["requestedSchema"], &schema) != nil {
		return
	}
	meta := map[string]json.RawMessage{}
	_ = json.Unmarshal(params["_meta"], &meta) // other values are replaced
	meta[metaOrder], _ = json.Marshal(form.Order(schema.Properties))
	params["_meta"], _ = json.Marshal(meta)
	if whole, err := json.Marshal(params); err == nil {
		r.Params = whole
	}
}

// fieldOrder returns the order that keepOrder has added.
func fieldOrder(meta sdk.Meta) (names []string) {
	list, _ := meta[metaOrder].([]any)
	for _, one := range list {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// admitQuestion waits until the server may ask a person: one question at a time, during a request of ours,
// and not too often. It returns the person, a context that ends with the request, and a function to call
// after the answer; or why the server may not ask.
func (s *server) admitQuestion(ctx context.Context) (ask tool.Ask, _ context.Context, done func(), why string) {
	running := s.errands.all()
	if len(running) == 0 {
		return nil, nil, nil, "it did so while nothing was asked of it"
	}
	e := running[len(running)-1]
	switch {
	case e.ask == nil:
		return nil, nil, nil, "no person is here to answer"
	case !e.count():
		return nil, nil, nil, fmt.Sprintf("it asks for more than %d things during one call", maxAsked)
	case s.pending.Add(1) > maxPending:
		s.pending.Add(-1)
		return nil, nil, nil, fmt.Sprintf("it asks for more than %d things at once", maxPending)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.ctx, func() { cancel(context.Cause(e.ctx)) })
	release := s.errands.hold()
	leave := func() {
		release()
		stop()
		cancel(nil)
		s.pending.Add(-1)
	}
	select {
	case s.turn <- struct{}{}:
		return e.ask, ctx, func() { <-s.turn; leave() }, ""
	case <-ctx.Done():
		leave()
		return nil, nil, nil, "the call has ended"
	}
}

// warnOnce warns the user, but not again with the same text.
func (s *server) warnOnce(text string) {
	s.mu.Lock()
	was := s.warned[text]
	s.warned[text] = true
	s.mu.Unlock()
	if !was {
		s.all.warn(text)
	}
}
