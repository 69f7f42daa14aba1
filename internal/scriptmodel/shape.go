package scriptmodel

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shape is what a JSON value must look like. The vendor's own schema says
// more than this about what it accepts; this is what Pollux is allowed to send.
type shape struct {
	kind     kind
	fields   map[string]*shape // of an object; nil for any
	required []string
	of       *shape // of a list's items
	words    []string
	min, max float64 // of a number, where max > min
}

type kind int

const (
	anything kind = iota
	object
	array
	str
	number
	integer
	boolean
	base64Bytes
)

func obj(fields map[string]*shape, required ...string) *shape {
	return &shape{kind: object, fields: fields, required: required}
}
func arr(of *shape) *shape                { return &shape{kind: array, of: of} }
func is(k kind) *shape                    { return &shape{kind: k} }
func word(words ...string) *shape         { return &shape{kind: str, words: words} }
func between(k kind, a, b float64) *shape { return &shape{kind: k, min: a, max: b} }

func contentRequest() *shape {
	content := contentShape()
	return obj(map[string]*shape{
		"contents":          arr(content),
		"systemInstruction": content,
		"tools":             arr(toolShape()),
		"toolConfig": obj(map[string]*shape{"functionCallingConfig": obj(map[string]*shape{
			"mode": word("AUTO", "ANY", "NONE", "VALIDATED"), "allowedFunctionNames": arr(is(str)),
		})}),
		"safetySettings":   arr(obj(map[string]*shape{"category": is(str), "threshold": is(str)}, "category", "threshold")),
		"cachedContent":    is(str),
		"labels":           obj(nil),
		"generationConfig": configShape(),
	}, "contents")
}

func countRequest() *shape {
	return obj(map[string]*shape{"contents": arr(contentShape())}, "contents")
}

func embedRequest() *shape {
	return obj(map[string]*shape{"requests": arr(obj(map[string]*shape{
		"model": is(str), "content": contentShape(), "taskType": is(str), "title": is(str), "outputDimensionality": is(integer),
	}, "model", "content"))}, "requests")
}

func contentShape() *shape {
	media := map[string]*shape{
		"inlineData": obj(map[string]*shape{"mimeType": is(str), "data": is(base64Bytes), "displayName": is(str)}, "mimeType", "data"),
		"fileData":   obj(map[string]*shape{"mimeType": is(str), "fileUri": is(str), "displayName": is(str)}, "fileUri"),
	}
	part := maps.Clone(media)
	maps.Copy(part, map[string]*shape{
		"text":         is(str),
		"functionCall": obj(map[string]*shape{"id": is(str), "name": is(str), "args": obj(nil)}, "name"),
		"functionResponse": obj(map[string]*shape{
			"id": is(str), "name": is(str), "response": obj(nil), "parts": arr(obj(media)),
		}, "name", "response"),
		"executableCode":      obj(map[string]*shape{"language": word("PYTHON", "LANGUAGE_UNSPECIFIED"), "code": is(str)}, "code"),
		"codeExecutionResult": obj(map[string]*shape{"outcome": is(str), "output": is(str)}, "outcome"),
		"thought":             is(boolean),
		"thoughtSignature":    is(base64Bytes),
		"videoMetadata":       obj(map[string]*shape{"startOffset": is(str), "endOffset": is(str), "fps": is(number)}),
	})
	return obj(map[string]*shape{"role": is(str), "parts": arr(obj(part))}, "parts")
}

func toolShape() *shape {
	return obj(map[string]*shape{
		"functionDeclarations": arr(obj(map[string]*shape{
			"name": is(str), "description": is(str), "parametersJsonSchema": obj(nil), "parameters": obj(nil),
		}, "name", "description")),
		"googleSearch": obj(nil), "urlContext": obj(nil), "codeExecution": obj(nil),
	})
}

func configShape() *shape {
	return obj(map[string]*shape{
		"temperature":        between(number, 0, 2),
		"topP":               between(number, 0, 1),
		"topK":               between(number, 1, 1e6),
		"maxOutputTokens":    between(integer, 1, 1e9),
		"candidateCount":     between(integer, 1, 8),
		"stopSequences":      arr(is(str)),
		"presencePenalty":    between(number, -2, 2),
		"frequencyPenalty":   between(number, -2, 2),
		"seed":               is(integer),
		"responseMimeType":   word("text/plain", "application/json", "text/x.enum"),
		"responseJsonSchema": is(anything),
		"thinkingConfig": obj(map[string]*shape{
			"includeThoughts": is(boolean), "thinkingBudget": between(integer, -1, 1e6),
			"thinkingLevel": word("MINIMAL", "LOW", "MEDIUM", "HIGH"),
		}),
	})
}

// check says what is wrong with v, in the vendor's words.
func (s *shape) check(v any, at string) *refusal {
	wrong := func(kind string) *refusal {
		b, _ := json.Marshal(v) // it was JSON before
		return invalid("Invalid value at '%s' (%s), %s", strings.TrimPrefix(at, "."), kind, clip(string(b)))
	}
	switch s.kind {
	case object:
		o, ok := v.(map[string]any)
		if !ok {
			return wrong("object")
		}
		return s.checkFields(o, at)
	case array:
		l, ok := v.([]any)
		if !ok {
			return wrong("list")
		}
		for i, item := range l {
			if f := s.of.check(item, fmt.Sprintf("%s[%d]", at, i)); f != nil {
				return f
			}
		}
	case str, base64Bytes:
		t, ok := v.(string)
		if !ok || s.words != nil && !slices.Contains(s.words, t) {
			return wrong("TYPE_STRING")
		}
		if s.kind == base64Bytes && !isBase64(t) {
			return wrong("TYPE_BYTES")
		}
	case number, integer:
		n, ok := v.(json.Number)
		if !ok {
			return wrong("TYPE_NUMBER")
		}
		f, err := n.Float64()
		if err != nil || s.kind == integer && f != float64(int64(f)) || s.max > s.min && (f < s.min || f > s.max) {
			return wrong("TYPE_NUMBER")
		}
	case boolean:
		if _, ok := v.(bool); !ok {
			return wrong("TYPE_BOOL")
		}
	}
	return nil
}

func (s *shape) checkFields(o map[string]any, at string) *refusal {
	if s.fields == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		field := s.fields[name]
		if field == nil {
			return invalid("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", name, strings.TrimPrefix(at, "."))
		}
		if f := field.check(o[name], at+"."+name); f != nil {
			return f
		}
	}
	for _, name := range s.required {
		if _, ok := o[name]; !ok {
			return invalid("* GenerateContentRequest%s.%s: %s is not specified", at, name, name)
		}
	}
	return nil
}

// isBase64 accepts both alphabets, padded or not, as the vendor does.
func isBase64(s string) bool {
	s = strings.TrimRight(s, "=")
	_, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(s))
	return err == nil
}
