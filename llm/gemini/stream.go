package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// chunks yields the chunks of a streamed response, each when its frame is complete.
// It stops after an error. If the connection breaks behind the chunk with the finish reason, the response is complete.
func chunks(res *httpwire.Response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		isFinished := false
		for event, err := range res.Events() {
			switch {
			case isFinished && isNetworkError(err):
				return
			case err != nil:
				yield(nil, err)
				return
			case event.Unframed:
				yieldUnframed(res, event.Data, yield)
				return
			case bytes.Equal(event.Data, []byte("[DONE]")): // some gateways send it as last frame
				continue
			}
			chunk, err := decodeChunk(event.Data)
			if !yield(chunk, err) || err != nil {
				return
			}
			isFinished = chunk.FinishReason() != ""
		}
	}
}

func isNetworkError(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindNetwork
}

// decodeChunk decodes the data of a frame. If the frame reports an error, decodeChunk
// returns it.
func decodeChunk(data []byte) (*llm.Response, error) {
	if err := reportedError(data, false); err != nil {
		return nil, err
	}
	chunk := new(llm.Response)
	if err := chunk.UnmarshalJSON(data); err != nil {
		return nil, httpwire.Malformed("chunk", err, data)
	}
	return chunk, nil
}

// decodeResponse decodes a response that was not streamed.
func decodeResponse(data []byte) (*llm.Response, error) {
	r := new(llm.Response)
	if err := r.UnmarshalJSON(data); err != nil {
		return nil, httpwire.Malformed("answer", err, data)
	}
	return r, nil
}

// yieldUnframed yields the chunks or the error in data, a body that is not an event
// stream. It may be an error object, a JSON array of chunks (from a gateway that
// ignores alt=sse), or invalid.
func yieldUnframed(res *httpwire.Response, data []byte, yield func(*llm.Response, error) bool) {
	err := reportedError(data, true)
	if err == nil {
		err = res.CheckJSON(data)
	}
	if err != nil {
		yield(nil, err)
		return
	}
	all := []json.RawMessage{data}
	if data = bytes.TrimSpace(data); data[0] == '[' {
		all = nil
		if err := json.Unmarshal(data, &all); err != nil {
			yield(nil, httpwire.Malformed("answer", err, data))
			return
		}
	}
	for _, one := range all {
		chunk, err := decodeChunk(one)
		if !yield(chunk, err) || err != nil {
			return
		}
	}
}
