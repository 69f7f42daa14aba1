package scriptmodel

import (
	"cmp"
	"encoding/json"
	"math"
)

func ollamaShape() *shape {
	function := obj(map[string]*shape{"index": is(integer), "name": is(str), "arguments": obj(nil)}, "name", "arguments")
	calls := arr(obj(map[string]*shape{"id": is(str), "function": function}, "function"))
	images := arr(is(base64Bytes))
	return obj(map[string]*shape{
		"model": is(str),
		"messages": some(byTag("role", map[string]*shape{
			"system": obj(map[string]*shape{"content": is(str)}, "content"),
			"user":   obj(map[string]*shape{"content": is(str), "images": images}, "content"),
			"assistant": obj(map[string]*shape{
				"content": is(str), "thinking": is(str), "tool_calls": calls,
			}, "content"),
			"tool": obj(map[string]*shape{"content": is(str), "tool_name": is(str), "tool_call_id": is(str)}, "content"),
		})),
		"tools": arr(byTag("type", map[string]*shape{"function": obj(map[string]*shape{"function": obj(map[string]*shape{
			"name": is(str), "description": is(str), "parameters": obj(nil),
		}, "name", "parameters")}, "function")})),
		"format":     oneOf(word("json"), obj(nil)),
		"think":      oneOf(is(boolean), word("low", "medium", "high")),
		"stream":     is(boolean),
		"truncate":   is(boolean),
		"shift":      is(boolean),
		"keep_alive": oneOf(is(str), is(number)),
		"options":    ollamaOptions(),
	}, "model", "messages")
}

// ollamaParameters is what the server makes of the schema of a tool's arguments:
// members of which it knows the type must be of that, the others it drops.
type ollamaParameters struct {
	Type       string                    `json:"type"`
	Required   []string                  `json:"required"`
	Properties map[string]ollamaProperty `json:"properties"`
}

type ollamaProperty struct {
	AnyOf       []ollamaProperty          `json:"anyOf"`
	Type        wordOrWords               `json:"type"`
	Description string                    `json:"description"`
	Enum        []any                     `json:"enum"`
	Properties  map[string]ollamaProperty `json:"properties"`
}

type wordOrWords []string

func (w *wordOrWords) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(w))
	}
	*w = make([]string, 1)
	return json.Unmarshal(b, &(*w)[0])
}

func ollamaOptions() *shape {
	fields := map[string]*shape{"stop": arr(is(str))}
	for _, name := range []string{"num_ctx", "num_predict", "num_keep", "num_batch", "num_gpu", "num_thread", "seed", "top_k", "repeat_last_n"} {
		fields[name] = is(integer)
	}
	for _, name := range []string{"temperature", "top_p", "min_p", "typical_p", "repeat_penalty", "presence_penalty", "frequency_penalty"} {
		fields[name] = is(number)
	}
	return obj(fields)
}

func ollamaEmbedShape() *shape {
	return obj(map[string]*shape{
		"model": is(str), "input": oneOf(is(str), arr(is(str))), "truncate": is(boolean), "dimensions": is(integer),
		"keep_alive": oneOf(is(str), is(number)), "options": ollamaOptions(),
	}, "model", "input")
}

// aside describes a model, lists those there are, says which version the server
// has, or makes embeddings.
func (ollama) aside(a *asked) []byte {
	switch {
	case a.verb == embed:
		vectors := []any{}
		for _, text := range a.inputs {
			vectors = append(vectors, vector(text))
		}
		return mustJSON(map[string]any{"model": a.model, "embeddings": vectors, "total_duration": 1, "prompt_eval_count": a.size/4 + 1})
	case a.name == "version":
		return mustJSON(map[string]any{"version": "0.13.0"})
	case a.name == "models":
		all := []any{}
		for _, name := range a.models {
			all = append(all, map[string]any{
				"name": name, "model": name, "modified_at": ollamaTime, "size": 1, "digest": "0", "details": ollamaDetails(),
			})
		}
		return mustJSON(map[string]any{"models": all})
	}
	able := []string{"completion"}
	for _, ability := range []struct{ name, parameter string }{{"tools", "tools"}, {"thinking", "think"}, {"vision", "images"}} {
		if !refuses(a.refuse, ability.parameter) {
			able = append(able, ability.name)
		}
	}
	return mustJSON(map[string]any{
		"modified_at": ollamaTime, "details": ollamaDetails(), "template": "{{ .Prompt }}", "capabilities": able,
		"model_info": map[string]any{"general.architecture": "scripted", "scripted.context_length": cmp.Or(a.context, 131072)},
	})
}

func refuses(all []Refusal, name string) bool {
	for _, r := range all {
		if r.Name == name {
			return true
		}
	}
	return false
}

func ollamaDetails() map[string]any {
	return map[string]any{"format": "gguf", "family": "scripted", "families": []string{"scripted"}, "parameter_size": "8B", "quantization_level": "Q4_K_M"}
}

// ollamaTime is scriptedAt.
const ollamaTime = "2023-11-14T22:13:20Z"

// numberIn returns the whole number under a name.
func numberIn(fields map[string]any, name string) (int, bool) {
	n, ok := fields[name].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return int(math.Min(f, math.MaxInt32)), err == nil
}
