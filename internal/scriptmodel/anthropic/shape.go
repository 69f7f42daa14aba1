package anthropic

import (
	"maps"
	"strings"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

func messagesShape() *shape.Shape {
	cache := shape.Nullable(shape.TaggedBy("type", map[string]*shape.Shape{"ephemeral": shape.Object(map[string]*shape.Shape{"ttl": shape.Word("5m", "1h")})}))
	cached := func(fields map[string]*shape.Shape, required ...string) *shape.Shape {
		fields["cache_control"] = cache
		return shape.Object(fields, required...)
	}
	text := cached(map[string]*shape.Shape{"text": shape.Is(shape.String)}, "text")
	media := func(source map[string]*shape.Shape, more ...string) *shape.Shape {
		fields := map[string]*shape.Shape{"source": shape.TaggedBy("type", source)}
		for _, name := range more {
			fields[name] = shape.Nullable(shape.Is(shape.String))
		}
		return cached(fields, "source")
	}
	url := shape.Object(map[string]*shape.Shape{"url": shape.Is(shape.String)}, "url")
	image := media(map[string]*shape.Shape{
		"base64": shape.Object(map[string]*shape.Shape{
			"media_type": shape.Word("image/jpeg", "image/png", "image/gif", "image/webp"), "data": shape.Is(shape.Base64),
		}, "media_type", "data"),
		"url": url,
	})
	document := media(map[string]*shape.Shape{
		"base64": shape.Object(map[string]*shape.Shape{"media_type": shape.Word("application/pdf"), "data": shape.Is(shape.Base64)}, "media_type", "data"),
		"text":   shape.Object(map[string]*shape.Shape{"media_type": shape.Word("text/plain"), "data": shape.Is(shape.String)}, "media_type", "data"),
		"url":    url,
	}, "title", "context")
	blocks := map[string]*shape.Shape{
		"text": text, "image": image, "document": document,
		"thinking":          shape.Object(map[string]*shape.Shape{"thinking": shape.Is(shape.String), "signature": shape.Is(shape.String)}, "thinking", "signature"),
		"redacted_thinking": shape.Object(map[string]*shape.Shape{"data": shape.Is(shape.String)}, "data"),
		"tool_use":          cached(map[string]*shape.Shape{"id": shape.Is(shape.String), "name": shape.Is(shape.String), "input": shape.Object(nil)}, "id", "name", "input"),
		"tool_result": cached(map[string]*shape.Shape{
			"tool_use_id": shape.Is(shape.String), "is_error": shape.Is(shape.Boolean), "content": shape.OneOf(shape.Is(shape.String), shape.ListOf(shape.TaggedBy("type", map[string]*shape.Shape{
				"text": text, "image": image, "document": document,
			}))),
		}, "tool_use_id"),
	}
	choice := func(fields map[string]*shape.Shape, required ...string) *shape.Shape {
		fields["disable_parallel_tool_use"] = shape.Is(shape.Boolean)
		return shape.Object(fields, required...)
	}
	return shape.Object(map[string]*shape.Shape{
		"model":      shape.Is(shape.String),
		"max_tokens": shape.Between(shape.Integer, 1, 1e9),
		"messages": shape.ListOf(shape.Object(map[string]*shape.Shape{
			"role": shape.Word("user", "assistant"), "content": shape.OneOf(shape.Is(shape.String), shape.ListOf(shape.TaggedBy("type", blocks))),
		}, "role", "content")),
		"system": shape.OneOf(shape.Is(shape.String), shape.ListOf(shape.TaggedBy("type", map[string]*shape.Shape{"text": text}))),
		"tools": shape.ListOf(cached(map[string]*shape.Shape{
			"type": shape.Word("custom"), "name": shape.Is(shape.String), "description": shape.Is(shape.String), "input_schema": shape.Object(nil), "strict": shape.Is(shape.Boolean),
		}, "name", "input_schema")),
		"tool_choice": shape.TaggedBy("type", map[string]*shape.Shape{
			"auto": choice(map[string]*shape.Shape{}), "any": choice(map[string]*shape.Shape{}),
			"tool": choice(map[string]*shape.Shape{"name": shape.Is(shape.String)}, "name"), "none": shape.Object(map[string]*shape.Shape{}),
		}),
		"thinking": shape.TaggedBy("type", map[string]*shape.Shape{
			"enabled": shape.Object(map[string]*shape.Shape{
				"budget_tokens": shape.Between(shape.Integer, 1024, 1e9), "display": shape.Word("summarized", "omitted"),
			}, "budget_tokens"),
			"adaptive": shape.Object(map[string]*shape.Shape{"display": shape.Word("summarized", "omitted")}),
			"disabled": shape.Object(map[string]*shape.Shape{}),
		}),
		"output_config": shape.Object(map[string]*shape.Shape{
			"effort": shape.Word("low", "medium", "high", "xhigh", "max"),
			"format": shape.TaggedBy("type", map[string]*shape.Shape{"json_schema": shape.Object(map[string]*shape.Shape{"schema": shape.Object(nil)}, "schema")}),
		}),
		"temperature":       shape.Between(shape.Number, 0, 1),
		"top_p":             shape.Between(shape.Number, 0, 1),
		"top_k":             shape.Between(shape.Integer, 0, 1e6),
		"stop_sequences":    shape.ListOf(shape.Is(shape.String)),
		"stream":            shape.Is(shape.Boolean),
		"metadata":          shape.Object(map[string]*shape.Shape{"user_id": shape.Is(shape.String)}),
		"service_tier":      shape.Word("auto", "standard_only"),
		"anthropic_version": shape.Is(shape.String),
	}, "model", "max_tokens", "messages")
}

// countShape returns the shape of a request to count tokens.
func countShape() *shape.Shape {
	s := messagesShape()
	s.Required = []string{"model", "messages"}
	fields := maps.Clone(s.Fields)
	for _, name := range []string{"max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata", "service_tier"} {
		delete(fields, name)
	}
	s.Fields = fields
	return s
}

// mismatchError returns the vendor's error for a request that does not have the right shape.
func mismatchError(m *shape.Mismatch) *protocol.Error {
	at := dotted(m.Path)
	field := strings.TrimPrefix(at+"."+m.Name, ".")
	switch m.Reason {
	case shape.UnknownField:
		return invalid("%s: Extra inputs are not permitted", field)
	case shape.MissingField:
		return invalid("%s: Field required", field)
	case shape.WrongWord:
		return invalid("%s: Input should be '%s'", at, strings.Join(m.Want.Words, "', '"))
	case shape.TooSmall:
		return invalid("%s: Input should be greater than or equal to %v", at, m.Want.Min)
	case shape.TooLarge:
		return invalid("%s: Input should be less than or equal to %v", at, m.Want.Max)
	case shape.TooFew:
		return invalid("%s: List should have at least %d item after validation, not 0", at, m.Want.MinItems)
	}
	kind := map[shape.Kind]string{
		shape.ObjectKind: "dictionary", shape.Tagged: "dictionary", shape.ArrayKind: "list", shape.Either: "string or list", shape.String: "string",
		shape.Base64: "base64", shape.Number: "number", shape.Integer: "integer", shape.Boolean: "boolean",
	}[m.Want.Kind]
	return invalid("%s: Input should be a valid %s", at, kind)
}

// dotted converts a path to the vendor's form: messages.0.content.
func dotted(path string) string {
	return strings.NewReplacer("[", ".", "]", "").Replace(path)
}
