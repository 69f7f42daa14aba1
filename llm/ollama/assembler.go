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

// assembler builds a response from the lines of a stream. [assembler.Chunk] and
// [assembler.finalChunk] return the chunks.
type assembler struct {
	m               *model
	minPromptTokens int // lower bound of the prompt's tokens

	chatwire.Assembler
	calls                      int
	promptTokens, outputTokens int // -1 if not sent
	doneReason                 string
	isDone                     bool
	isError                    bool // the last line contained an error
}

func newAssembler(m *model, minPromptTokens int) *assembler {
	return &assembler{m: m, minPromptTokens: minPromptTokens, promptTokens: -1, outputTokens: -1, Assembler: chatwire.Assembler{Splitter: think.Splitter{Opened: m.startsInThought, MayBeOpened: think.MayBeOpened(m.name)}}}
}

// chunks yields the chunks of a streamed response, each as soon as its line is
// complete. An error is the last value yielded.
func (a *assembler) chunks(res *httpwire.Response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for line, err := range res.Lines() {
			if err == nil {
				err = a.addLine(line)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if a.isDone {
				break
			}
			if c := a.Chunk(); c != nil && !yield(c, nil) {
				return
			}
		}
		if a.isDone {
			res.Drain()
		}
		yield(a.finalChunk())
	}
}

// decodeWhole returns the response in data, the body of a request without
// streaming.
func (a *assembler) decodeWhole(data []byte) (*llm.Response, error) {
	a.IsWhole = true
	if err := a.addLine(data); err != nil {
		return nil, err
	}
	if !a.HasContent && !a.isDone {
		return nil, httpwire.Malformed("answer", errors.New("it holds no message"), data)
	}
	a.isDone = true
	return a.finalChunk()
}

// addLine decodes a line of a stream, or a whole response.
func (a *assembler) addLine(data []byte) error {
	err := httpwire.Decode(data, a.decode)
	switch {
	case err != nil:
		return httpwire.Malformed("chunk", err, data)
	case a.isError:
		return lineError(data, a.m.name)
	}
	return nil
}

func (a *assembler) decode(d *jx.Decoder) error {
	if t := d.Next(); t != jx.Object {
		return errors.New("unexpected " + t.String())
	}
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "message":
			return a.decodeMessage(d)
		case "model":
			return httpwire.SetString(d, &a.Model)
		case "done":
			if d.Next() == jx.Bool {
				a.isDone, err = d.Bool()
				return err
			}
		case "done_reason":
			return httpwire.SetString(d, &a.doneReason)
		case "prompt_eval_count":
			return decodeCount(d, &a.promptTokens)
		case "eval_count":
			return decodeCount(d, &a.outputTokens)
		case "error":
			a.isError = true
		}
		return d.Skip()
	})
}

// decodeCount decodes a number of tokens and ignores other values.
func decodeCount(d *jx.Decoder, to *int) error {
	if d.Next() != jx.Number {
		return d.Skip()
	}
	return httpwire.SetCount(d, to)
}

// decodeMessage decodes the message of a line. Thoughts come first, in any
// order of members.
func (a *assembler) decodeMessage(d *jx.Decoder) error {
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
				c, err := decodeToolCall(d)
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
		a.HasContent = true
		a.Parts = append(a.Parts, calls...)
	}
	return err
}

// maxCalls is the limit on tool calls in one response.
const maxCalls = 1000

// decodeToolCall decodes a call. It returns nil if the call has neither name
// nor arguments.
func decodeToolCall(d *jx.Decoder) (*llm.FunctionCall, error) {
	c := &llm.FunctionCall{}
	err := httpwire.Table{
		{"id", &c.ID},
		{"function", httpwire.Table{
			{"name", func(name string) { c.Name = httpwire.CalledName(name) }},
			{"arguments", func(d *jx.Decoder) (err error) {
				c.Args, err = decodeArguments(d)
				return err
			}},
		}},
	}.Decode(d)
	if err != nil || c.Name == "" && len(c.Args) == 0 {
		return nil, err
	}
	if len(c.Args) == 0 {
		c.Args = json.RawMessage(`{}`)
	}
	return c, nil
}

// decodeArguments decodes the arguments of a call: an object, or JSON text in a
// string as some versions send it. Text that is not JSON and cannot be repaired
// is returned as a JSON string: the tool then rejects it and the model gets the
// error.
func decodeArguments(d *jx.Decoder) (json.RawMessage, error) {
	if d.Next() == jx.String {
		s, err := httpwire.String(d)
		if s = strings.TrimSpace(s); err != nil || s == "" || s == "null" {
			return json.RawMessage(`{}`), err
		}
		if s[0] == '{' && json.Valid([]byte(s)) {
			return json.RawMessage(s), nil
		}
		if fixed, ok := laxjson.ParseObject(s); ok {
			return fixed, nil
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

// finalChunk returns the last chunk: finish reason and usage. The error is an
// [*llm.Error] if the response broke off.
func (a *assembler) finalChunk() (*llm.Response, error) {
	a.Flush()
	switch {
	case !a.isDone:
		return nil, &llm.Error{
			Kind: llm.KindNetwork, Code: "ERR_STREAM_PREMATURE_CLOSE", Err: io.ErrUnexpectedEOF,
			Message: "Ollama ended the stream before the end of the response",
		}
	case !a.HasContent && (a.doneReason == "load" || a.doneReason == "unload"):
		return nil, &llm.Error{
			Kind: llm.KindServer, Code: a.doneReason,
			Message: "Ollama was loading or unloading the model and sent no response",
		}
	}
	r := a.LastChunk()
	r.Candidates[0].FinishReason = finishReason(a.doneReason)
	r.Usage = a.usage()
	return r, nil
}

func finishReason(reason string) llm.FinishReason {
	switch reason {
	case "stop", "": // servers before 2024 send none
		return llm.FinishStop
	case "length":
		return llm.FinishMaxTokens
	}
	return llm.FinishUnspecified
}

// usage returns the token counts, or nil if the server sent none. A server that
// had the whole prompt in its cache sends no prompt count; usage then reports
// the lower bound.
func (a *assembler) usage() *llm.Usage {
	if a.promptTokens < 0 && a.outputTokens < 0 {
		return nil
	}
	u := &llm.Usage{Prompt: a.promptTokens, Candidates: max(a.outputTokens, 0)}
	if a.promptTokens < 0 {
		u.Prompt = a.minPromptTokens
	}
	u.Total = u.Prompt + u.Candidates
	return u
}
