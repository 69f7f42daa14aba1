package openai

import (
	"pollux/internal/scriptmodel/shape"
)

func chatShape() *shape.Shape {
	textPart := shape.Object(map[string]*shape.Shape{"text": shape.Is(shape.String)}, "text")
	texts := shape.OneOf(shape.Is(shape.String), shape.NonEmpty(shape.TaggedBy("type", map[string]*shape.Shape{"text": textPart})))
	function := shape.Object(map[string]*shape.Shape{"name": shape.Is(shape.String), "arguments": shape.Is(shape.String)}, "name", "arguments")
	calls := shape.NonEmpty(shape.TaggedBy("type", map[string]*shape.Shape{
		"function": shape.Object(map[string]*shape.Shape{"id": shape.Is(shape.String), "function": function}, "id", "function"),
	}))
	system := shape.Object(map[string]*shape.Shape{"content": texts, "name": shape.Is(shape.String)}, "content")
	return shape.Object(map[string]*shape.Shape{
		"model": shape.Is(shape.String),
		"messages": shape.NonEmpty(shape.TaggedBy("role", map[string]*shape.Shape{
			"system":    system,
			"developer": system,
			"user":      shape.Object(map[string]*shape.Shape{"content": shape.OneOf(shape.Is(shape.String), shape.NonEmpty(chatPart())), "name": shape.Is(shape.String)}, "content"),
			"assistant": shape.Object(map[string]*shape.Shape{
				"content": shape.Nullable(shape.OneOf(shape.Is(shape.String), shape.NonEmpty(shape.TaggedBy("type", map[string]*shape.Shape{
					"text": textPart, "refusal": shape.Object(map[string]*shape.Shape{"refusal": shape.Is(shape.String)}, "refusal"),
				})))),
				"refusal": shape.Nullable(shape.Is(shape.String)), "name": shape.Is(shape.String), "tool_calls": calls,
			}),
			"tool": shape.Object(map[string]*shape.Shape{"content": texts, "tool_call_id": shape.Is(shape.String)}, "content", "tool_call_id"),
		})),
		"tools": shape.NonEmpty(shape.TaggedBy("type", map[string]*shape.Shape{"function": shape.Object(map[string]*shape.Shape{"function": shape.Object(map[string]*shape.Shape{
			"name": shape.Is(shape.String), "description": shape.Is(shape.String), "parameters": shape.Object(nil), "strict": shape.Nullable(shape.Is(shape.Boolean)),
		}, "name")}, "function")})),
		"tool_choice": shape.OneOf(shape.Word("none", "auto", "required"), shape.TaggedBy("type", map[string]*shape.Shape{
			"function": shape.Object(map[string]*shape.Shape{"function": shape.Object(map[string]*shape.Shape{"name": shape.Is(shape.String)}, "name")}, "function"),
			"allowed_tools": shape.Object(map[string]*shape.Shape{"allowed_tools": shape.Object(map[string]*shape.Shape{
				"mode": shape.Word("auto", "required"), "tools": shape.NonEmpty(shape.Object(nil)),
			}, "mode", "tools")}, "allowed_tools"),
		})),
		"parallel_tool_calls":   shape.Is(shape.Boolean),
		"temperature":           shape.Nullable(shape.Between(shape.Number, 0, 2)),
		"top_p":                 shape.Nullable(shape.Between(shape.Number, 0, 1)),
		"presence_penalty":      shape.Nullable(shape.Between(shape.Number, -2, 2)),
		"frequency_penalty":     shape.Nullable(shape.Between(shape.Number, -2, 2)),
		"n":                     shape.Between(shape.Integer, 1, 128),
		"seed":                  shape.Nullable(shape.Is(shape.Integer)),
		"stop":                  shape.Nullable(shape.OneOf(shape.Is(shape.String), shape.NonEmpty(shape.Is(shape.String)))),
		"max_tokens":            shape.Nullable(shape.Between(shape.Integer, 1, 1e9)),
		"max_completion_tokens": shape.Nullable(shape.Between(shape.Integer, 1, 1e9)),
		"reasoning_effort":      shape.Nullable(shape.Word("none", "minimal", "low", "medium", "high", "xhigh", "max")),
		"verbosity":             shape.Nullable(shape.Word("low", "medium", "high")),
		"response_format":       formatShape(shape.Object(map[string]*shape.Shape{"json_schema": shape.Object(schemaFields(), "name")}, "json_schema")),
		"stream":                shape.Nullable(shape.Is(shape.Boolean)),
		"stream_options":        shape.Nullable(shape.Object(map[string]*shape.Shape{"include_usage": shape.Is(shape.Boolean), "include_obfuscation": shape.Is(shape.Boolean)})),
		"store":                 shape.Nullable(shape.Is(shape.Boolean)),
		"metadata":              shape.Nullable(shape.Object(nil)),
		"user":                  shape.Is(shape.String),
		"safety_identifier":     shape.Is(shape.String),
		"prompt_cache_key":      shape.Is(shape.String),
		"service_tier":          shape.Nullable(shape.Is(shape.String)),
		"logprobs":              shape.Nullable(shape.Is(shape.Boolean)),
		"top_logprobs":          shape.Nullable(shape.Between(shape.Integer, 0, 20)),
		"logit_bias":            shape.Nullable(shape.Object(nil)),
	}, "messages", "model")
}

func chatPart() *shape.Shape {
	return shape.TaggedBy("type", map[string]*shape.Shape{
		"text": shape.Object(map[string]*shape.Shape{"text": shape.Is(shape.String)}, "text"),
		"image_url": shape.Object(map[string]*shape.Shape{"image_url": shape.Object(map[string]*shape.Shape{
			"url": shape.Is(shape.String), "detail": shape.Word("auto", "low", "high"),
		}, "url")}, "image_url"),
		"input_audio": shape.Object(map[string]*shape.Shape{"input_audio": shape.Object(map[string]*shape.Shape{
			"data": shape.Is(shape.Base64), "format": shape.Word("wav", "mp3"),
		}, "data", "format")}, "input_audio"),
		"file": shape.Object(map[string]*shape.Shape{"file": shape.Object(map[string]*shape.Shape{
			"file_data": shape.Is(shape.String), "filename": shape.Is(shape.String), "file_id": shape.Is(shape.String),
		})}, "file"),
	})
}

// formatShape returns the shape of a response format; schema is the shape of json_schema.
func formatShape(schema *shape.Shape) *shape.Shape {
	return shape.TaggedBy("type", map[string]*shape.Shape{
		"text": shape.Object(map[string]*shape.Shape{}), "json_object": shape.Object(map[string]*shape.Shape{}), "json_schema": schema,
	})
}

func schemaFields() map[string]*shape.Shape {
	return map[string]*shape.Shape{"name": shape.Is(shape.String), "description": shape.Is(shape.String), "schema": shape.Object(nil), "strict": shape.Nullable(shape.Is(shape.Boolean))}
}
