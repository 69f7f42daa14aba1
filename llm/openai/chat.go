package openai

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

var (
	errNoChoice = errors.New("it holds no choice")
	errTooLong  = errors.New("it does not end")
)

// decode decodes a chunk, or a whole response if isWhole is set.
func (a *assembler) decode(data []byte, isWhole bool) error {
	return httpwire.Decode(data, func(d *jx.Decoder) error {
		if a.t.Protocol == Responses {
			return a.decodeResponsesEvent(d, isWhole)
		}
		return a.decodeChatChunk(d)
	})
}

// isComplete reports whether an event of the Responses protocol marked the end
// of the response.
func (a *assembler) isComplete() bool { return a.t.Protocol == Responses && a.finishReason != "" }

func (a *assembler) decodeChatChunk(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return fmt.Errorf("unexpected %s", d.Next())
	}
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "choices":
			return httpwire.Elements(d, a.decodeChoice)
		case "usage":
			return a.decodeUsage(d)
		case "id":
			return httpwire.SetString(d, &a.ID)
		case "model":
			return httpwire.SetString(d, &a.Model)
		case "citations": // xAI, Perplexity: URLs only
			return httpwire.Elements(d, func(d *jx.Decoder) error {
				uri, err := httpwire.String(d)
				a.addCitation(llm.Citation{URI: uri})
				return err
			})
		case "x_groq":
			return httpwire.Table{{"usage", a.decodeUsage}}.Decode(d)
		}
		return d.Skip()
	})
}

func (a *assembler) decodeChoice(d *jx.Decoder) error {
	index := 0
	reason := ""
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "index":
			return httpwire.SetCount(d, &index)
		case "delta":
			if index > 0 { // requests never ask for more than one choice
				return d.Skip()
			}
			err := a.decodeMessage(d)
			a.isStreamed = a.isStreamed || a.HasContent || len(a.calls.all) > 0
			return err
		case "message":
			if index > 0 || a.isStreamed && len(a.calls.all) > 0 {
				return d.Skip()
			}
			if a.isStreamed { // some services repeat all of it at the end
				return httpwire.Table{{"tool_calls", httpwire.Each(a.decodeToolCall)}}.Decode(d)
			}
			return a.decodeMessage(d)
		case "finish_reason":
			return httpwire.SetString(d, &reason)
		case "usage": // Moonshot
			return a.decodeUsage(d)
		case "error": // OpenRouter: the error of the upstream provider
			raw, err := d.Raw()
			if failed := errorInBody(append(append([]byte(`{"error":`), raw...), '}')); failed != nil && index == 0 {
				a.err = failed
			}
			return err
		}
		return d.Skip()
	})
	if err != nil || reason == "" || index > 0 {
		return err
	}
	switch strings.ToLower(reason) { // gateways to other protocols leave theirs in capitals
	case "stop", "tool_calls", "function_call", "end_turn", "eos", "stop_sequence":
		a.finishReason = llm.FinishStop
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		a.finishReason = llm.FinishMaxTokens
	case "content_filter", "sensitive", "safety":
		a.finishReason = llm.FinishSafety
	case "error", "error_finish",
		"insufficient_system_resource", // DeepSeek
		"network_error",                // Zhipu
		"abort":                        // vLLM, SGLang
		if a.err == nil {
			a.err = &llm.Error{Kind: llm.KindServer, Code: reason, Message: "The provider ended the response with an error"}
		}
	default:
		a.finishReason = llm.FinishUnspecified
	}
	return nil
}

// decodeMessage decodes a delta or a whole message.
func (a *assembler) decodeMessage(d *jx.Decoder) error {
	var content, thoughts string
	fallback := "" // "reasoning", an alias of reasoning_content; some servers send both
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "content":
			if d.Next() == jx.Array {
				return d.Arr(a.decodeContentPart)
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
				a.reasoning.add(raw)
			}
			return err
		case "tool_calls":
			return httpwire.Elements(d, a.decodeToolCall)
		case "function_call": // the predecessor of tool_calls
			c := callDelta{index: -1}
			err := c.decodeFunction(d)
			a.calls.add(c)
			return err
		case "annotations":
			return httpwire.Elements(d, a.decodeAnnotation)
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
	if thoughts != "" && len(a.Parts) > 0 { // thoughts come first, in any order of members
		parts := a.Parts
		a.Parts = nil
		a.AddThought(thoughts)
		a.Parts = append(a.Parts, parts...)
	} else {
		a.AddThought(thoughts)
	}
	a.AddText(content)
	return err
}

// decodeAnnotation decodes an annotation of the text and adds the source it
// cites.
func (a *assembler) decodeAnnotation(d *jx.Decoder) error {
	var source llm.Citation
	members := httpwire.Table{{"url", &source.URI}, {"title", &source.Title}}
	err := append(members, httpwire.Table{{"url_citation", members}}...).Decode(d) // in Responses these members are next to the type
	a.addCitation(source)
	return err
}

// decodeContentPart decodes an element of a content array.
func (a *assembler) decodeContentPart(d *jx.Decoder) error {
	if d.Next() == jx.String {
		s, err := httpwire.String(d)
		a.AddText(s)
		return err
	}
	return httpwire.Table{
		{"text", a.AddText},
		// Mistral
		{"thinking", func(d *jx.Decoder) error {
			if d.Next() == jx.String {
				s, err := httpwire.String(d)
				a.AddThought(s)
				return err
			}
			return httpwire.Elements(d, httpwire.Table{{"text", a.AddThought}}.Decode)
		}},
		{"refusal", a.addRefusal},
	}.Decode(d)
}

func (a *assembler) decodeToolCall(d *jx.Decoder) error {
	c := callDelta{index: -1}
	err := httpwire.Table{{"index", &c.index}, {"id", &c.id}, {"function", c.decodeFunction}}.Decode(d)
	a.calls.add(c)
	return err
}

// decodeFunction decodes the name and arguments of a call. Some servers send
// the arguments as an object instead of JSON text.
func (c *callDelta) decodeFunction(d *jx.Decoder) error {
	return httpwire.Table{
		{"name", func(name string) { c.name = strings.TrimSpace(name) }},
		{"arguments", func(d *jx.Decoder) (err error) {
			c.args, c.isComplete, err = decodeArguments(d)
			return err
		}},
	}.Decode(d)
}

// decodeArguments decodes the arguments of a call, JSON text or an object.
func decodeArguments(d *jx.Decoder) (args []byte, isObject bool, err error) {
	if d.Next() == jx.String {
		args, err = d.StrAppend(nil)
		return args, false, err
	}
	raw, err := d.Raw()
	return bytes.Clone(raw), true, err
}

// decodeUsage decodes the token counts of both protocols.
func (a *assembler) decodeUsage(d *jx.Decoder) error {
	var prompt, completion, total, thoughts, cached, written int
	details := httpwire.Table{
		{"reasoning_tokens", &thoughts},
		{"cached_tokens", &cached},
		{"cache_write_tokens", &written},
		{"cache_creation_input_tokens", &written}, // DashScope
	}
	usage := httpwire.Table{
		{"prompt_tokens", &prompt},
		{"input_tokens", &prompt},
		{"completion_tokens", &completion},
		{"output_tokens", &completion},
		{"total_tokens", &total},
		{"completion_tokens_details", details},
		{"output_tokens_details", details},
		{"prompt_tokens_details", details},
		{"input_tokens_details", details},
		{"cached_tokens", &cached},
		{"prompt_cache_hit_tokens", &cached},
	}
	hasUsage := false
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		hasUsage = true
		return usage.Member(d, key)
	})
	if err != nil || !hasUsage {
		return err
	}
	if prompt == 0 && completion == 0 { // only the total is given: assume that most of it is prompt
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
