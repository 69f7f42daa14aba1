package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
	"pollux/llm/laxjson"
	"pollux/llm/think"
)

// answer is a model's answer while it comes in. Lines are fed to it; what it has
// is taken out as chunks.
type answer struct {
	m    *model
	load int // tokens that the prompt has at the least

	chatwire.Answer
	calls          int
	prompt, output int // tokens, -1 where not told
	reason         string
	done           bool
	failed         bool // a line says that it is an error
}

func newAnswer(m *model, load int) *answer {
	return &answer{m: m, load: load, prompt: -1, output: -1, Answer: chatwire.Answer{Splitter: think.Splitter{Opened: m.opened}}}
}

// stream yields the chunks of a streamed answer, each as soon as its line is
// complete. An error is the last thing yielded.
func (a *answer) stream(res *httpwire.Response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for line, err := range res.Lines() {
			if err == nil {
				err = a.line(line)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if a.done {
				break
			}
			if c := a.Chunk(); c != nil && !yield(c, nil) {
				return
			}
		}
		if a.done {
			res.Drain()
		}
		yield(a.last())
	}
}

// whole returns an answer that was not streamed.
func (a *answer) whole(data []byte) (*llm.Response, error) {
	a.Whole = true
	if err := a.line(data); err != nil {
		return nil, err
	}
	if !a.Any && !a.done {
		return nil, httpwire.Malformed("answer", errors.New("it holds no message"), data)
	}
	a.done = true
	return a.last()
}

// line takes in a line of the stream, or an answer that was not streamed.
func (a *answer) line(data []byte) error {
	err := httpwire.Decode(data, a.decode)
	switch {
	case err != nil:
		return httpwire.Malformed("chunk", err, data)
	case a.failed:
		return lineError(data, a.m.name)
	}
	return nil
}

func (a *answer) decode(d *jx.Decoder) error {
	if t := d.Next(); t != jx.Object {
		return errors.New("unexpected " + t.String())
	}
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "message":
			return a.message(d)
		case "model":
			return httpwire.SetString(d, &a.Model)
		case "done":
			if d.Next() == jx.Bool {
				a.done, err = d.Bool()
				return err
			}
		case "done_reason":
			return httpwire.SetString(d, &a.reason)
		case "prompt_eval_count":
			return count(d, &a.prompt)
		case "eval_count":
			return count(d, &a.output)
		case "error":
			a.failed = true
		}
		return d.Skip()
	})
}

// count decodes a number of tokens; the text of one tells nothing.
func count(d *jx.Decoder, to *int) error {
	if d.Next() != jx.Number {
		return d.Skip()
	}
	return httpwire.SetCount(d, to)
}

// message takes in what a line adds to the message. The thought comes first,
// whatever the order of members.
func (a *answer) message(d *jx.Decoder) error {
	var content, thought string
	var calls []llm.Part
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "content":
			content, err = httpwire.String(d)
			return err
		case "thinking":
			thought, err = httpwire.String(d)
			return err
		case "tool_calls":
			return httpwire.Elements(d, func(d *jx.Decoder) error {
				c, err := toolCall(d)
				if c != nil {
					calls = append(calls, llm.Part{FunctionCall: c})
				}
				return err
			})
		}
		return d.Skip()
	})
	a.AddThought(thought)
	a.AddText(content)
	if a.calls += len(calls); a.calls > maxCalls {
		return errors.New("there is no end to its calls")
	}
	if len(calls) > 0 {
		a.Any = true
		a.Parts = append(a.Parts, calls...)
	}
	return err
}

// maxCalls bounds the calls of one answer.
const maxCalls = 1000

// toolCall takes in a call, nil where it calls nothing.
func toolCall(d *jx.Decoder) (*llm.FunctionCall, error) {
	c := &llm.FunctionCall{}
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "id":
			c.ID, err = httpwire.String(d)
			return err
		case "function":
			return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
				switch string(key) {
				case "name":
					c.Name, err = httpwire.String(d)
					c.Name = strings.TrimSpace(c.Name)
					return err
				case "arguments":
					c.Args, err = arguments(d)
					return err
				}
				return d.Skip()
			})
		}
		return d.Skip()
	})
	if err != nil || c.Name == "" && len(c.Args) == 0 {
		return nil, err
	}
	if len(c.Args) == 0 {
		c.Args = json.RawMessage(`{}`)
	}
	return c, nil
}

// arguments decodes the arguments of a call: an object, or its text as some
// versions send it. What nothing can be made of is returned as a string: as that
// is no object, the tool is not run and the model is told why.
func arguments(d *jx.Decoder) (json.RawMessage, error) {
	if d.Next() == jx.String {
		s, err := httpwire.String(d)
		if s = strings.TrimSpace(s); err != nil || s == "" || s == "null" {
			return json.RawMessage(`{}`), err
		}
		if s[0] == '{' && json.Valid([]byte(s)) {
			return json.RawMessage(s), nil
		}
		if mended, ok := laxjson.Object(s); ok {
			return mended, nil
		}
		return llm.AppendString(nil, s), nil
	}
	raw, err := d.Raw()
	if err != nil {
		return nil, err
	}
	if !json.Valid(raw) { // the decoder is less strict
		return nil, errors.New("the arguments of a call are not JSON")
	}
	return bytes.ToValidUTF8(raw, []byte("\ufffd")), nil
}

// last returns the end of the answer: why it ended and what it cost.
func (a *answer) last() (*llm.Response, error) {
	a.Flush()
	switch {
	case !a.done:
		return nil, &llm.Error{
			Kind: llm.KindNetwork, Code: "ERR_STREAM_PREMATURE_CLOSE", Err: io.ErrUnexpectedEOF,
			Message: "fetch failed: the model's server ended the stream before the end of the answer",
		}
	case !a.Any && (a.reason == "load" || a.reason == "unload"):
		return nil, &llm.Error{
			Kind: llm.KindServer, Code: a.reason,
			Message: "the model's server did not answer: it was busy with loading or unloading the model",
		}
	}
	r := a.LastChunk()
	r.Candidates[0].FinishReason = finishReason(a.reason)
	r.Usage = a.usage()
	return r, nil
}

func finishReason(reason string) llm.FinishReason {
	switch reason {
	case "stop", "": // servers of before 2024 give none
		return llm.FinishStop
	case "length":
		return llm.FinishMaxTokens
	}
	return llm.FinishUnspecified
}

// usage is what the answer cost, nil where the server does not say. One that had
// the whole prompt in its cache leaves out what it was: then it is what we know.
func (a *answer) usage() *llm.Usage {
	if a.prompt < 0 && a.output < 0 {
		return nil
	}
	u := &llm.Usage{Prompt: a.prompt, Candidates: max(a.output, 0)}
	if a.prompt < 0 {
		u.Prompt = a.load
	}
	u.Total = u.Prompt + u.Candidates
	return u
}
