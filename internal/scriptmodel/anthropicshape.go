package scriptmodel

import (
	"maps"
	"strings"
)

func messagesShape() *shape {
	cache := orNull(byTag("type", map[string]*shape{"ephemeral": obj(map[string]*shape{"ttl": word("5m", "1h")})}))
	cached := func(fields map[string]*shape, required ...string) *shape {
		fields["cache_control"] = cache
		return obj(fields, required...)
	}
	text := cached(map[string]*shape{"text": is(str)}, "text")
	media := func(source map[string]*shape, more ...string) *shape {
		fields := map[string]*shape{"source": byTag("type", source)}
		for _, name := range more {
			fields[name] = orNull(is(str))
		}
		return cached(fields, "source")
	}
	url := obj(map[string]*shape{"url": is(str)}, "url")
	image := media(map[string]*shape{
		"base64": obj(map[string]*shape{
			"media_type": word("image/jpeg", "image/png", "image/gif", "image/webp"), "data": is(base64Bytes),
		}, "media_type", "data"),
		"url": url,
	})
	document := media(map[string]*shape{
		"base64": obj(map[string]*shape{"media_type": word("application/pdf"), "data": is(base64Bytes)}, "media_type", "data"),
		"text":   obj(map[string]*shape{"media_type": word("text/plain"), "data": is(str)}, "media_type", "data"),
		"url":    url,
	}, "title", "context")
	blocks := map[string]*shape{
		"text": text, "image": image, "document": document,
		"thinking":          obj(map[string]*shape{"thinking": is(str), "signature": is(str)}, "thinking", "signature"),
		"redacted_thinking": obj(map[string]*shape{"data": is(str)}, "data"),
		"tool_use":          cached(map[string]*shape{"id": is(str), "name": is(str), "input": obj(nil)}, "id", "name", "input"),
		"tool_result": cached(map[string]*shape{
			"tool_use_id": is(str), "is_error": is(boolean), "content": oneOf(is(str), arr(byTag("type", map[string]*shape{
				"text": text, "image": image, "document": document,
			}))),
		}, "tool_use_id"),
	}
	choice := func(fields map[string]*shape, required ...string) *shape {
		fields["disable_parallel_tool_use"] = is(boolean)
		return obj(fields, required...)
	}
	return obj(map[string]*shape{
		"model":      is(str),
		"max_tokens": between(integer, 1, 1e9),
		"messages": arr(obj(map[string]*shape{
			"role": word("user", "assistant"), "content": oneOf(is(str), arr(byTag("type", blocks))),
		}, "role", "content")),
		"system": oneOf(is(str), arr(byTag("type", map[string]*shape{"text": text}))),
		"tools": arr(cached(map[string]*shape{
			"type": word("custom"), "name": is(str), "description": is(str), "input_schema": obj(nil), "strict": is(boolean),
		}, "name", "input_schema")),
		"tool_choice": byTag("type", map[string]*shape{
			"auto": choice(map[string]*shape{}), "any": choice(map[string]*shape{}),
			"tool": choice(map[string]*shape{"name": is(str)}, "name"), "none": obj(map[string]*shape{}),
		}),
		"thinking": byTag("type", map[string]*shape{
			"enabled": obj(map[string]*shape{
				"budget_tokens": between(integer, 1024, 1e9), "display": word("summarized", "omitted"),
			}, "budget_tokens"),
			"adaptive": obj(map[string]*shape{"display": word("summarized", "omitted")}),
			"disabled": obj(map[string]*shape{}),
		}),
		"output_config": obj(map[string]*shape{
			"effort": word("low", "medium", "high", "xhigh", "max"),
			"format": byTag("type", map[string]*shape{"json_schema": obj(map[string]*shape{"schema": obj(nil)}, "schema")}),
		}),
		"temperature":       between(number, 0, 1),
		"top_p":             between(number, 0, 1),
		"top_k":             between(integer, 0, 1e6),
		"stop_sequences":    arr(is(str)),
		"stream":            is(boolean),
		"metadata":          obj(map[string]*shape{"user_id": is(str)}),
		"service_tier":      word("auto", "standard_only"),
		"anthropic_version": is(str),
	}, "model", "max_tokens", "messages")
}

// countShape is that of a request to count tokens.
func countShape() *shape {
	s := messagesShape()
	s.required = []string{"model", "messages"}
	fields := maps.Clone(s.fields)
	for _, name := range []string{"max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata", "service_tier"} {
		delete(fields, name)
	}
	s.fields = fields
	return s
}

// anthropicMisfit words what does not fit in a request.
func anthropicMisfit(m *misfit) *refusal {
	at := dotted(m.at)
	field := strings.TrimPrefix(at+"."+m.name, ".")
	switch m.what {
	case unknownField:
		return bad("%s: Extra inputs are not permitted", field)
	case missingField:
		return bad("%s: Field required", field)
	case wrongWord:
		return bad("%s: Input should be '%s'", at, strings.Join(m.want.words, "', '"))
	case tooSmall:
		return bad("%s: Input should be greater than or equal to %v", at, m.want.min)
	case tooLarge:
		return bad("%s: Input should be less than or equal to %v", at, m.want.max)
	case tooFew:
		return bad("%s: List should have at least %d item after validation, not 0", at, m.want.least)
	}
	kind := map[kind]string{
		object: "dictionary", tagged: "dictionary", array: "list", either: "string or list", str: "string",
		base64Bytes: "base64", number: "number", integer: "integer", boolean: "boolean",
	}[m.want.kind]
	return bad("%s: Input should be a valid %s", at, kind)
}

// dotted writes a path as the vendor does: messages.0.content.
func dotted(path string) string {
	return strings.NewReplacer("[", ".", "]", "").Replace(path)
}
