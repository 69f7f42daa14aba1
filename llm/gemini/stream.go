package gemini

import (
	"bytes"
	"encoding/json"
	"iter"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// chunks yields the chunks of a streamed answer, each as soon as its frame is
// complete. An error is the last thing yielded.
func chunks(res *httpwire.Response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for event, err := range res.Events() {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case event.Unframed:
				unframed(res, event.Data, yield)
				return
			case bytes.Equal(event.Data, []byte("[DONE]")): // some gateways say goodbye
				continue
			}
			chunk, err := oneChunk(event.Data)
			if !yield(chunk, err) || err != nil {
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
		return nil, httpwire.Malformed("chunk", err, data)
	}
	return chunk, nil
}

// oneResponse decodes an answer that was not streamed.
func oneResponse(data []byte) (*llm.Response, error) {
	r := new(llm.Response)
	if err := r.UnmarshalJSON(data); err != nil {
		return nil, httpwire.Malformed("answer", err, data)
	}
	return r, nil
}

// unframed handles what is left of a body that is not an event stream: an error
// as JSON, the chunks as a JSON array (a gateway that ignores alt=sse), or
// something else.
func unframed(res *httpwire.Response, data []byte, yield func(*llm.Response, error) bool) {
	err := errorIn(data, true)
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
		chunk, err := oneChunk(one)
		if !yield(chunk, err) || err != nil {
			return
		}
	}
}
