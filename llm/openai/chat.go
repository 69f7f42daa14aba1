package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

var (
	errNoAnswer = errors.New("it holds no choice")
	errEndless  = errors.New("it does not end")
)

// decode takes in a chunk, or an answer that was not streamed.
func (a *answer) decode(data []byte, whole bool) error {
	return httpwire.Decode(data, func(d *jx.Decoder) error {
		if a.t.Protocol == Responses {
			return a.responsesEvent(d, whole)
		}
		return a.chatChunk(d)
	})
}

// complete reports whether the service has said, in its events, that it was all.
func (a *answer) complete() bool { return a.t.Protocol == Responses && a.finish != "" }

func (a *answer) chatChunk(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return fmt.Errorf("unexpected %s", d.Next())
	}
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "choices":
			return httpwire.Elements(d, a.choice)
		case "usage":
			return a.chatUsage(d)
		case "id":
			return httpwire.SetString(d, &a.ID)
		case "model":
			return httpwire.SetString(d, &a.Model)
		case "citations": // xAI, Perplexity: addresses alone
			return httpwire.Elements(d, func(d *jx.Decoder) error {
				uri, err := httpwire.String(d)
				a.cite(llm.Citation{URI: uri})
				return err
			})
		case "x_groq":
			return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
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
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "index":
			return httpwire.SetCount(d, &index)
		case "delta", "message":
			if index > 0 { // only the first is ever used
				return d.Skip()
			}
			return a.message(d)
		case "finish_reason":
			return httpwire.SetString(d, &reason)
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
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "content":
			if d.Next() == jx.Array {
				return d.Arr(a.contentPart)
			}
			content, err = httpwire.String(d)
			return err
		case "reasoning_content":
			thoughts, err = httpwire.String(d)
			return err
		case "reasoning":
			fallback, err = httpwire.String(d)
			return err
		case "reasoning_details":
			raw, err := d.Raw()
			if err == nil && a.t.ReasoningOut == "reasoning_details" {
				a.kept.addDetails(raw)
			}
			return err
		case "tool_calls":
			return httpwire.Elements(d, a.toolCall)
		case "function_call": // the form before tool calls
			c := delta{index: -1}
			err := a.function(d, &c)
			a.calls.add(c)
			return err
		case "annotations":
			return httpwire.Elements(d, a.annotation)
		case "refusal":
			s, err := httpwire.String(d)
			a.addRefusal(s)
			return err
		}
		return d.Skip()
	})
	if thoughts == "" {
		thoughts = fallback
	}
	if thoughts != "" && len(a.Parts) > 0 { // it comes first, whatever the order of members
		held := a.Parts
		a.Parts = nil
		a.AddThought(thoughts)
		a.Parts = append(a.Parts, held...)
	} else {
		a.AddThought(thoughts)
	}
	a.AddText(content)
	return err
}

// annotation takes in a remark about the text: where it is from.
func (a *answer) annotation(d *jx.Decoder) error {
	var source llm.Citation
	var member func(d *jx.Decoder, key []byte) error
	member = func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "url_citation": // Responses has its members beside the type
			return httpwire.Members(d, member)
		case "url":
			return httpwire.SetString(d, &source.URI)
		case "title":
			return httpwire.SetString(d, &source.Title)
		}
		return d.Skip()
	}
	err := httpwire.Members(d, member)
	a.cite(source)
	return err
}

// contentPart takes in an element of a content that is a list.
func (a *answer) contentPart(d *jx.Decoder) error {
	if d.Next() == jx.String {
		s, err := httpwire.String(d)
		a.AddText(s)
		return err
	}
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "text":
			s, err := httpwire.String(d)
			a.AddText(s)
			return err
		case "thinking": // Mistral
			if d.Next() == jx.String {
				s, err := httpwire.String(d)
				a.AddThought(s)
				return err
			}
			return httpwire.Elements(d, func(d *jx.Decoder) error {
				return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
					if string(key) != "text" {
						return d.Skip()
					}
					s, err := httpwire.String(d)
					a.AddThought(s)
					return err
				})
			})
		case "refusal":
			s, err := httpwire.String(d)
			a.addRefusal(s)
			return err
		}
		return d.Skip()
	})
}

func (a *answer) toolCall(d *jx.Decoder) error {
	c := delta{index: -1}
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "index":
			return httpwire.SetCount(d, &c.index)
		case "id":
			c.id, err = httpwire.String(d)
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
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "name":
			c.name, err = httpwire.String(d)
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
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		seen = true
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			return httpwire.SetCount(d, &prompt)
		case "completion_tokens", "output_tokens":
			return httpwire.SetCount(d, &completion)
		case "total_tokens":
			return httpwire.SetCount(d, &total)
		case "completion_tokens_details", "output_tokens_details", "prompt_tokens_details", "input_tokens_details":
			return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
				switch string(key) {
				case "reasoning_tokens":
					return httpwire.SetCount(d, &thoughts)
				case "cached_tokens":
					return httpwire.SetCount(d, &cached)
				case "cache_write_tokens", "cache_creation_input_tokens": // DashScope's name
					return httpwire.SetCount(d, &written)
				}
				return d.Skip()
			})
		case "cached_tokens", "prompt_cache_hit_tokens":
			return httpwire.SetCount(d, &cached)
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
