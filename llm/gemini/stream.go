package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"pollux/llm"
)

// chunks yields the chunks of a streamed answer, each as soon as its frame is
// complete. An error is the last thing yielded.
func chunks(ctx context.Context, res *response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		f := newFrames(res.body)
		defer f.release()
		for n := 0; ; n++ {
			data, err := f.next()
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			switch err {
			case nil:
				if bytes.Equal(data, []byte("[DONE]")) { // some gateways say goodbye
					continue
				}
				chunk, err := oneChunk(data)
				if !yield(chunk, err) || err != nil {
					return
				}
			case io.EOF:
				return
			case errUnframed:
				unframed(ctx, res, f, yield)
				return
			default:
				yield(nil, res.streamError(ctx, err, n))
				return
			}
		}
	}
}

// oneChunk decodes the data of a frame. An error that the service reports in
// one is that error, though the answer began with status 200.
func oneChunk(data []byte) (*llm.Response, error) {
	if err := errorIn(data, false); err != nil {
		return nil, err
	}
	chunk := new(llm.Response)
	if err := chunk.UnmarshalJSON(data); err != nil {
		return nil, malformed("chunk", err, data)
	}
	return chunk, nil
}

// oneResponse decodes an answer that was not streamed.
func oneResponse(data []byte) (*llm.Response, error) {
	r := new(llm.Response)
	if err := r.UnmarshalJSON(data); err != nil {
		return nil, malformed("answer", err, data)
	}
	return r, nil
}

// unframed handles what is left of a body that is not an event stream: an error
// as JSON, the chunks as a JSON array (a gateway that ignores alt=sse), or a
// page that some proxy put there.
func unframed(ctx context.Context, res *response, f *frames, yield func(*llm.Response, error) bool) {
	data, err := f.rest(maxFrame)
	if err != nil {
		yield(nil, res.streamError(ctx, err, 0))
		return
	}
	if err := errorIn(data, true); err != nil {
		yield(nil, err)
		return
	}
	data = bytes.TrimSpace(data)
	var all []json.RawMessage
	switch {
	case data[0] == '<':
		yield(nil, res.webPage(data))
		return
	case !json.Valid(data):
		yield(nil, incomplete(data))
		return
	case data[0] == '{':
		all = []json.RawMessage{data}
	default:
		if err := json.Unmarshal(data, &all); err != nil {
			yield(nil, malformed("answer", err, data))
			return
		}
	}
	for _, one := range all {
		chunk, err := oneChunk(one)
		if !yield(chunk, err) || err != nil {
			return
		}
	}
}

// webPage is the error of a page where an answer was due: no later try, but
// another address helps.
func (r *response) webPage(page []byte) error {
	return &llm.Error{
		Kind: llm.KindOther, Body: clip(page, maxErrorBody),
		Message: fmt.Sprintf("%s answered with a web page instead of a model's answer: %q. Is the base URL right?", r.host, clip(page, 80)),
	}
}

// streamError says what went wrong with a stream after its n-th frame.
func (r *response) streamError(ctx context.Context, err error, n int) error {
	switch err {
	case errLeftover:
		if n == 0 && !strings.HasPrefix(r.ctype, "text/event-stream") {
			return &llm.Error{
				Kind:    llm.KindOther,
				Message: fmt.Sprintf("%s answered with %s instead of a model's answer. Is the base URL right?", r.host, kindOf(r.ctype)),
			}
		}
		return incomplete(nil)
	case errHuge:
		return tooLarge()
	}
	return r.networkError(ctx, "read the answer from", err)
}

func kindOf(ctype string) string {
	if ctype == "" {
		return "something of no content type"
	}
	return ctype
}

// incomplete is the error of a stream that ended inside a frame. The words are
// a contract (spec/agent.md §3).
func incomplete(rest []byte) error {
	return &llm.Error{
		Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream", Body: clip(rest, maxErrorBody),
	}
}

func tooLarge() error {
	return &llm.Error{Kind: llm.KindServer, Message: fmt.Sprintf("the model's server sent more than %d MB in one piece", maxFrame>>20)}
}

// malformed is the error of an answer that is not what the protocol says.
func malformed(what string, err error, data []byte) error {
	return &llm.Error{
		Kind: llm.KindServer, Code: "MALFORMED_RESPONSE", Body: clip(data, maxErrorBody),
		Message: fmt.Sprintf("the model's server sent a malformed %s: %v", what, err), Err: err,
	}
}

// clip returns at most n bytes of data, whole characters only.
func clip(data []byte, n int) string {
	if len(data) > n {
		data = data[:n]
	}
	return strings.ToValidUTF8(string(data), "")
}
