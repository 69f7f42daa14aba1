package modelconfig

import (
	"encoding/json"
	"maps"
	"math"

	"pollux/internal/config"
	"pollux/llm"
)

// tree is an object as decoded by encoding/json.
type tree = map[string]any

// merge merges upper into a copy of lower. Objects are merged; any other value, including
// null, replaces the lower one.
func merge(lower, upper tree) tree {
	merged := make(tree, len(lower)+len(upper))
	maps.Copy(merged, lower)
	for name, v := range upper {
		below, ok := merged[name].(tree)
		if above, both := v.(tree); ok && both {
			v = merge(below, above)
		}
		merged[name] = v
	}
	return merged
}

// without returns a copy of t without some names.
func without(t tree, names ...string) tree {
	rest := maps.Clone(t)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

// kindOf returns the type of a setting in generateContentConfig; "" if Pollux does not send
// it.
func kindOf(name string) string {
	switch name {
	case "temperature", "topP", "topK", "presencePenalty", "frequencyPenalty":
		return "number"
	case "maxOutputTokens", "candidateCount":
		return "count"
	case "seed":
		return "integer"
	case "responseMimeType", "cachedContent":
		return "string"
	case "responseJsonSchema":
		return "object"
	case "stopSequences":
		return "strings"
	case "thinkingConfig", "tools", "safetySettings", "labels":
		return name
	}
	return ""
}

// convert returns v converted to a kind, or a description of the expected type: "count" is an integer from 0, and
// "strings" a list of strings; see [config.Coerce] for the others.
func convert(kind string, v any) (value any, expected string) {
	plain, expected := kind, config.TypeName(kind)
	switch kind {
	case "strings":
		plain, expected = "array", "array of strings"
	case "count":
		plain, expected = "number", "whole number from 0"
	case "integer":
		plain, expected = "number", "whole number"
	}
	value, ok := config.Coerce(plain, v)
	switch n, _ := value.(float64); kind {
	case "strings":
		items, _ := value.([]any)
		ok = ok && len(config.Texts(items)) == len(items)
	case "count", "integer":
		ok = ok && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32 && (n >= 0 || kind == "integer")
	}
	if !ok {
		return nil, expected
	}
	return value, ""
}

// decode converts a tree, whose values have the right types, to a configuration.
func decode(t tree) llm.Config {
	text := func(name string) string { s, _ := t[name].(string); return s }
	return llm.Config{
		Temperature:        float(t["temperature"]),
		TopP:               float(t["topP"]),
		TopK:               float(t["topK"]),
		PresencePenalty:    float(t["presencePenalty"]),
		FrequencyPenalty:   float(t["frequencyPenalty"]),
		CandidateCount:     count(t["candidateCount"]),
		MaxOutputTokens:    count(t["maxOutputTokens"]),
		Seed:               integer(t["seed"]),
		StopSequences:      texts(t["stopSequences"]),
		ResponseMIMEType:   text("responseMimeType"),
		ResponseJSONSchema: raw(t["responseJsonSchema"]),
		Thinking:           thinking(t["thinkingConfig"]),
		Tools:              tools(t["tools"]),
		SafetySettings:     raw(t["safetySettings"]),
		CachedContent:      text("cachedContent"),
		Labels:             labels(t["labels"]),
	}
}

func float(v any) *float64 {
	if n, ok := v.(float64); ok {
		return &n
	}
	return nil
}

func integer(v any) *int {
	if n, ok := v.(float64); ok {
		return new(int(n))
	}
	return nil
}

func count(v any) int {
	n, _ := v.(float64)
	return int(n)
}

func texts(v any) []string {
	items, _ := v.([]any)
	return config.Texts(items)
}

func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil { // decoded JSON can always be encoded
		return nil
	}
	return data
}

func thinking(v any) *llm.Thinking {
	t, _ := v.(tree)
	var k llm.Thinking
	k.IncludeThoughts, _ = t["includeThoughts"].(bool)
	k.Budget = integer(t["thinkingBudget"])
	k.Level, _ = t["thinkingLevel"].(string)
	if k == (llm.Thinking{}) {
		return nil
	}
	return &k
}

func tools(v any) []*llm.ToolSet {
	list, _ := v.([]any)
	search, pages := false, false
	for _, item := range list {
		t, _ := item.(tree)
		search = search || t["googleSearch"] != nil
		pages = pages || t["urlContext"] != nil
	}
	if !search && !pages {
		return nil
	}
	return []*llm.ToolSet{{GoogleSearch: search, URLContext: pages}}
}

func labels(v any) map[string]string {
	t, _ := v.(tree)
	var labels map[string]string
	for name, v := range t {
		if text, ok := v.(string); ok {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[name] = text
		}
	}
	return labels
}

// encode is the inverse of decode for the fields that the catalog uses.
func encode(c llm.Config) tree {
	t := tree{}
	for name, v := range map[string]*float64{
		"temperature": c.Temperature, "topP": c.TopP, "topK": c.TopK,
		"presencePenalty": c.PresencePenalty, "frequencyPenalty": c.FrequencyPenalty,
	} {
		if v != nil {
			t[name] = *v
		}
	}
	for name, v := range map[string]int{"candidateCount": c.CandidateCount, "maxOutputTokens": c.MaxOutputTokens} {
		if v != 0 {
			t[name] = float64(v)
		}
	}
	if k := c.Thinking; k != nil {
		own := tree{}
		if k.IncludeThoughts {
			own["includeThoughts"] = true
		}
		if k.Budget != nil {
			own["thinkingBudget"] = float64(*k.Budget)
		}
		if k.Level != "" {
			own["thinkingLevel"] = k.Level
		}
		t["thinkingConfig"] = own
	}
	return t
}
