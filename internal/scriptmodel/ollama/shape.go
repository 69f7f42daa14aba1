package ollama

import (
	"cmp"
	"encoding/json"
	"slices"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

func chatShape() *shape.Shape {
	function := shape.Object(map[string]*shape.Shape{"index": shape.Is(shape.Integer), "name": shape.Is(shape.String), "arguments": shape.Object(nil)}, "name", "arguments")
	calls := shape.ListOf(shape.Object(map[string]*shape.Shape{"id": shape.Is(shape.String), "function": function}, "function"))
	images := shape.ListOf(shape.Is(shape.Base64))
	return shape.Object(map[string]*shape.Shape{
		"model": shape.Is(shape.String),
		"messages": shape.NonEmpty(shape.TaggedBy("role", map[string]*shape.Shape{
			"system": shape.Object(map[string]*shape.Shape{"content": shape.Is(shape.String)}, "content"),
			"user":   shape.Object(map[string]*shape.Shape{"content": shape.Is(shape.String), "images": images}, "content"),
			"assistant": shape.Object(map[string]*shape.Shape{
				"content": shape.Is(shape.String), "thinking": shape.Is(shape.String), "tool_calls": calls,
			}, "content"),
			"tool": shape.Object(map[string]*shape.Shape{"content": shape.Is(shape.String), "tool_name": shape.Is(shape.String), "tool_call_id": shape.Is(shape.String)}, "content"),
		})),
		"tools": shape.ListOf(shape.TaggedBy("type", map[string]*shape.Shape{"function": shape.Object(map[string]*shape.Shape{"function": shape.Object(map[string]*shape.Shape{
			"name": shape.Is(shape.String), "description": shape.Is(shape.String), "parameters": shape.Object(nil),
		}, "name", "parameters")}, "function")})),
		"format":     shape.OneOf(shape.Word("json"), shape.Object(nil)),
		"think":      shape.OneOf(shape.Is(shape.Boolean), shape.Word("low", "medium", "high")),
		"stream":     shape.Is(shape.Boolean),
		"truncate":   shape.Is(shape.Boolean),
		"shift":      shape.Is(shape.Boolean),
		"keep_alive": shape.OneOf(shape.Is(shape.String), shape.Is(shape.Number)),
		"options":    options(),
	}, "model", "messages")
}

// parameters is the schema of a tool's arguments as the server decodes it. Known members must
// have the right type; the server drops the others.
type parameters struct {
	Type       string              `json:"type"`
	Required   []string            `json:"required"`
	Properties map[string]property `json:"properties"`
}

type property struct {
	AnyOf       []property          `json:"anyOf"`
	Type        wordOrWords         `json:"type"`
	Description string              `json:"description"`
	Enum        []any               `json:"enum"`
	Properties  map[string]property `json:"properties"`
}

type wordOrWords []string

func (w *wordOrWords) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(w))
	}
	*w = make([]string, 1)
	return json.Unmarshal(b, &(*w)[0])
}

func options() *shape.Shape {
	fields := map[string]*shape.Shape{"stop": shape.ListOf(shape.Is(shape.String))}
	for _, name := range []string{"num_ctx", "num_predict", "num_keep", "num_batch", "num_gpu", "num_thread", "seed", "top_k", "repeat_last_n"} {
		fields[name] = shape.Is(shape.Integer)
	}
	for _, name := range []string{"temperature", "top_p", "min_p", "typical_p", "repeat_penalty", "presence_penalty", "frequency_penalty"} {
		fields[name] = shape.Is(shape.Number)
	}
	return shape.Object(fields)
}

func embedShape() *shape.Shape {
	return shape.Object(map[string]*shape.Shape{
		"model": shape.Is(shape.String), "input": shape.OneOf(shape.Is(shape.String), shape.ListOf(shape.Is(shape.String))), "truncate": shape.Is(shape.Boolean), "dimensions": shape.Is(shape.Integer),
		"keep_alive": shape.OneOf(shape.Is(shape.String), shape.Is(shape.Number)), "options": options(),
	}, "model", "input")
}

// DirectResponse describes a model, lists the models, returns the server's version, or returns
// embeddings.
func (Wire) DirectResponse(a *protocol.Query) []byte {
	switch {
	case a.Verb == protocol.Embed:
		vectors := []any{}
		for _, text := range a.Inputs {
			vectors = append(vectors, protocol.Vector(text))
		}
		return protocol.MustJSON(map[string]any{"model": a.Model, "embeddings": vectors, "total_duration": 1, "prompt_eval_count": a.Size/4 + 1})
	case a.VerbName == "version":
		return protocol.MustJSON(map[string]any{"version": "0.13.0"})
	case a.VerbName == "models":
		all := []any{}
		for _, name := range a.Models {
			all = append(all, map[string]any{
				"name": name, "model": name, "modified_at": modifiedAt, "size": 1, "digest": "0", "details": modelDetails(),
			})
		}
		return protocol.MustJSON(map[string]any{"models": all})
	}
	able := []string{"completion"}
	for _, ability := range []struct{ name, parameter string }{{"tools", "tools"}, {"thinking", "think"}, {"vision", "images"}} {
		if !slices.Contains(a.Refuse, ability.parameter) {
			able = append(able, ability.name)
		}
	}
	return protocol.MustJSON(map[string]any{
		"modified_at": modifiedAt, "details": modelDetails(), "template": "{{ .Prompt }}", "capabilities": able,
		"model_info": map[string]any{"general.architecture": "scripted", "scripted.context_length": cmp.Or(a.Context, 131072)},
	})
}

func modelDetails() map[string]any {
	return map[string]any{"format": "gguf", "family": "scripted", "families": []string{"scripted"}, "parameter_size": "8B", "quantization_level": "Q4_K_M"}
}

// modifiedAt is the time in all answers, so that they are the same on each run.
const modifiedAt = "2023-11-14T22:13:20Z"
