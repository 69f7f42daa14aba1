package openai

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
)

var (
	errNoAnswer = errors.New("it holds no choice")
	errEndless  = errors.New("it does not end")
)

// decode takes in a chunk, or an answer that was not streamed.
func (a *answer) decode(data []byte, whole bool) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	var err error
	if a.t.Protocol == Responses {
		err = a.responsesEvent(d, whole)
	} else {
		err = a.chatChunk(d)
	}
	if err != nil {
		return err
	}
	if err := d.Skip(); err != io.EOF {
		return errors.New("text after the end of the JSON value")
	}
	return nil
}

// complete reports whether the service has said, in its events, that it was all.
func (a *answer) complete() bool { return a.t.Protocol == Responses && a.finish != "" }

// fields calls member for each member of an object that is not null. Anything
// but an object is passed over.
func fields(d *jx.Decoder, member func(d *jx.Decoder, key []byte) error) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		if d.Next() == jx.Null {
			return d.Skip()
		}
		return member(d, key)
	})
}

// elements calls element for each element of an array, or for a value that
// stands where one is due.
func elements(d *jx.Decoder, element func(d *jx.Decoder) error) error {
	if d.Next() != jx.Array {
		return element(d)
	}
	return d.Arr(element)
}

// words decodes a string; anything else is passed over.
func words(d *jx.Decoder) (string, error) {
	if d.Next() != jx.String {
		return "", d.Skip()
	}
	s, err := d.Str()
	return strings.ToValidUTF8(s, "\ufffd"), err
}

// same decodes a string into to, which mostly is that already.
func same(d *jx.Decoder, to *string) error {
	if d.Next() != jx.String {
		return d.Skip()
	}
	b, err := d.StrBytes()
	if err == nil && string(b) != *to {
		*to = strings.ToValidUTF8(string(b), "\ufffd")
	}
	return err
}

// number decodes a count as services write them: 12, 12.0, "12".
func number(d *jx.Decoder, to *int) error {
	if k := d.Next(); k != jx.Number && k != jx.String {
		return d.Skip()
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	if f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64); err == nil && f == f {
		*to = int(min(max(f, 0), 1<<53))
	}
	return nil
}

func (a *answer) chatChunk(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return fmt.Errorf("unexpected %s", d.Next())
	}
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "choices":
			return elements(d, a.choice)
		case "usage":
			return a.chatUsage(d)
		case "id":
			return same(d, &a.id)
		case "model":
			return same(d, &a.model)
		case "citations": // xAI, Perplexity: addresses alone
			return elements(d, func(d *jx.Decoder) error {
				uri, err := words(d)
				a.cite(llm.Citation{URI: uri})
				return err
			})
		case "x_groq":
			return fields(d, func(d *jx.Decoder, key []byte) error {
				if string(key) == "usage" {
					return a.chatUsage(d)
				}
				return d.Skip()
			})
		}
		return d.Skip()
	})
}

func (a *answer) choice(d *jx.Decoder) error {
	index := 0
	reason := ""
	err := fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "index":
			return number(d, &index)
		case "delta", "message":
			if index > 0 { // only the first is ever used
				return d.Skip()
			}
			return a.message(d)
		case "finish_reason":
			return same(d, &reason)
		case "usage": // Moonshot
			return a.chatUsage(d)
		case "error": // OpenRouter, of what its provider said
			raw, err := d.Raw()
			if failed := errorIn(append(append([]byte(`{"error":`), raw...), '}')); failed != nil && index == 0 {
				a.failure = failed
			}
			return err
		}
		return d.Skip()
	})
	if err != nil || reason == "" || index > 0 {
		return err
	}
	switch reason {
	case "stop", "tool_calls", "function_call", "end_turn", "eos", "stop_sequence":
		a.finish = llm.FinishStop
	case "length", "max_tokens", "model_length":
		a.finish = llm.FinishMaxTokens
	case "content_filter", "sensitive":
		a.finish = llm.FinishSafety
	case "error", "error_finish":
		if a.failure == nil {
			a.failure = &llm.Error{Kind: llm.KindServer, Code: reason, Message: "the model's server broke the answer off with an error"}
		}
	default:
		a.finish = llm.FinishUnspecified
	}
	return nil
}

// message takes in a delta, or a whole message.
func (a *answer) message(d *jx.Decoder) error {
	var content, thoughts string
	fallback := "" // the other name of reasoning_content; some servers send both
	err := fields(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "content":
			if d.Next() == jx.Array {
				return d.Arr(a.contentPart)
			}
			content, err = words(d)
			return err
		case "reasoning_content":
			thoughts, err = words(d)
			return err
		case "reasoning":
			fallback, err = words(d)
			return err
		case "reasoning_details":
			raw, err := d.Raw()
			if err == nil && a.t.ReasoningOut == "reasoning_details" {
				a.kept.addDetails(raw)
			}
			return err
		case "tool_calls":
			return elements(d, a.toolCall)
		case "function_call": // the form before tool calls
			c := delta{index: -1}
			err := a.function(d, &c)
			a.calls.add(c)
			return err
		case "annotations":
			return elements(d, a.annotation)
		case "refusal":
			s, err := words(d)
			a.addRefusal(s)
			return err
		}
		return d.Skip()
	})
	if thoughts == "" {
		thoughts = fallback
	}
	if thoughts != "" && len(a.parts) > 0 { // it comes first, whatever the order of members
		held := a.parts
		a.parts = nil
		a.addThought(thoughts)
		a.parts = append(a.parts, held...)
	} else {
		a.addThought(thoughts)
	}
	a.addText(content)
	return err
}

// annotation takes in a remark about the text: where it is from.
func (a *answer) annotation(d *jx.Decoder) error {
	var source llm.Citation
	var member func(d *jx.Decoder, key []byte) error
	member = func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "url_citation": // Responses has its members beside the type
			return fields(d, member)
		case "url":
			return same(d, &source.URI)
		case "title":
			return same(d, &source.Title)
		}
		return d.Skip()
	}
	err := fields(d, member)
	a.cite(source)
	return err
}

// contentPart takes in an element of a content that is a list.
func (a *answer) contentPart(d *jx.Decoder) error {
	if d.Next() == jx.String {
		s, err := words(d)
		a.addText(s)
		return err
	}
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "text":
			s, err := words(d)
			a.addText(s)
			return err
		case "thinking": // Mistral
			if d.Next() == jx.String {
				s, err := words(d)
				a.addThought(s)
				return err
			}
			return elements(d, func(d *jx.Decoder) error {
				return fields(d, func(d *jx.Decoder, key []byte) error {
					if string(key) != "text" {
						return d.Skip()
					}
					s, err := words(d)
					a.addThought(s)
					return err
				})
			})
		case "refusal":
			s, err := words(d)
			a.addRefusal(s)
			return err
		}
		return d.Skip()
	})
}

func (a *answer) toolCall(d *jx.Decoder) error {
	c := delta{index: -1}
	err := fields(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "index":
			return number(d, &c.index)
		case "id":
			c.id, err = words(d)
			return err
		case "function":
			return a.function(d, &c)
		}
		return d.Skip()
	})
	a.calls.add(c)
	return err
}

// function takes in a call's name and arguments, which some servers send as an
// object rather than its text.
func (a *answer) function(d *jx.Decoder, c *delta) error {
	return fields(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "name":
			c.name, err = words(d)
			c.name = strings.TrimSpace(c.name)
			return err
		case "arguments":
			if d.Next() == jx.String {
				c.args, err = d.StrAppend(nil)
				return err
			}
			raw, err := d.Raw()
			c.args, c.whole = append([]byte(nil), raw...), true
			return err
		}
		return d.Skip()
	})
}

// chatUsage takes in the counts (spec/agent.md §4).
func (a *answer) chatUsage(d *jx.Decoder) error {
	var prompt, completion, total, thoughts, cached, written int
	seen := false
	err := fields(d, func(d *jx.Decoder, key []byte) error {
		seen = true
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			return number(d, &prompt)
		case "completion_tokens", "output_tokens":
			return number(d, &completion)
		case "total_tokens":
			return number(d, &total)
		case "completion_tokens_details", "output_tokens_details", "prompt_tokens_details", "input_tokens_details":
			return fields(d, func(d *jx.Decoder, key []byte) error {
				switch string(key) {
				case "reasoning_tokens":
					return number(d, &thoughts)
				case "cached_tokens":
					return number(d, &cached)
				case "cache_write_tokens", "cache_creation_input_tokens": // DashScope's name
					return number(d, &written)
				}
				return d.Skip()
			})
		case "cached_tokens", "prompt_cache_hit_tokens":
			return number(d, &cached)
		}
		return d.Skip()
	})
	if err != nil || !seen {
		return err
	}
	if prompt == 0 && completion == 0 { // only the sum is told: most of it is prompt
		completion = total * 3 / 10
		prompt = total - completion
	}
	if total == 0 {
		total = prompt + completion
	}
	a.usage = &llm.Usage{
		Prompt: prompt, Candidates: max(completion-thoughts, 0), Thoughts: thoughts, CachedContent: cached, CacheWrite: written, Total: total,
	}
	return nil
}
