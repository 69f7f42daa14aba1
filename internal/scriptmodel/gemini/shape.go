package gemini

import (
	"encoding/json"
	"maps"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

func contentRequest() *shape.Shape {
	content := contentShape()
	return shape.Object(map[string]*shape.Shape{
		"contents":          shape.ListOf(content),
		"systemInstruction": content,
		"tools":             shape.ListOf(toolShape()),
		"toolConfig": shape.Object(map[string]*shape.Shape{"functionCallingConfig": shape.Object(map[string]*shape.Shape{
			"mode": shape.Word("AUTO", "ANY", "NONE", "VALIDATED"), "allowedFunctionNames": shape.ListOf(shape.Is(shape.String)),
		})}),
		"safetySettings":   shape.ListOf(shape.Object(map[string]*shape.Shape{"category": shape.Is(shape.String), "threshold": shape.Is(shape.String)}, "category", "threshold")),
		"cachedContent":    shape.Is(shape.String),
		"labels":           shape.Object(nil),
		"generationConfig": configShape(),
	}, "contents")
}

func countRequest() *shape.Shape {
	return shape.Object(map[string]*shape.Shape{"contents": shape.ListOf(contentShape())}, "contents")
}

func embedRequest() *shape.Shape {
	return shape.Object(map[string]*shape.Shape{"requests": shape.ListOf(shape.Object(map[string]*shape.Shape{
		"model": shape.Is(shape.String), "content": contentShape(), "taskType": shape.Is(shape.String), "title": shape.Is(shape.String), "outputDimensionality": shape.Is(shape.Integer),
	}, "model", "content"))}, "requests")
}

func contentShape() *shape.Shape {
	media := map[string]*shape.Shape{
		"inlineData": shape.Object(map[string]*shape.Shape{"mimeType": shape.Is(shape.String), "data": shape.Is(shape.Base64), "displayName": shape.Is(shape.String)}, "mimeType", "data"),
		"fileData":   shape.Object(map[string]*shape.Shape{"mimeType": shape.Is(shape.String), "fileUri": shape.Is(shape.String), "displayName": shape.Is(shape.String)}, "fileUri"),
	}
	part := maps.Clone(media)
	maps.Copy(part, map[string]*shape.Shape{
		"text":         shape.Is(shape.String),
		"functionCall": shape.Object(map[string]*shape.Shape{"id": shape.Is(shape.String), "name": shape.Is(shape.String), "args": shape.Object(nil)}, "name"),
		"functionResponse": shape.Object(map[string]*shape.Shape{
			"id": shape.Is(shape.String), "name": shape.Is(shape.String), "response": shape.Object(nil), "parts": shape.ListOf(shape.Object(media)),
		}, "name", "response"),
		"executableCode":      shape.Object(map[string]*shape.Shape{"language": shape.Word("PYTHON", "LANGUAGE_UNSPECIFIED"), "code": shape.Is(shape.String)}, "code"),
		"codeExecutionResult": shape.Object(map[string]*shape.Shape{"outcome": shape.Is(shape.String), "output": shape.Is(shape.String)}, "outcome"),
		"thought":             shape.Is(shape.Boolean),
		"thoughtSignature":    shape.Is(shape.Base64),
		"videoMetadata":       shape.Object(map[string]*shape.Shape{"startOffset": shape.Is(shape.String), "endOffset": shape.Is(shape.String), "fps": shape.Is(shape.Number)}),
	})
	return shape.Object(map[string]*shape.Shape{"role": shape.Is(shape.String), "parts": shape.ListOf(shape.Object(part))}, "parts")
}

func toolShape() *shape.Shape {
	return shape.Object(map[string]*shape.Shape{
		"functionDeclarations": shape.ListOf(shape.Object(map[string]*shape.Shape{
			"name": shape.Is(shape.String), "description": shape.Is(shape.String), "parametersJsonSchema": shape.Object(nil), "parameters": shape.Object(nil),
		}, "name", "description")),
		"googleSearch": shape.Object(nil), "urlContext": shape.Object(nil), "codeExecution": shape.Object(nil),
	})
}

func configShape() *shape.Shape {
	return shape.Object(map[string]*shape.Shape{
		"temperature":        shape.Between(shape.Number, 0, 2),
		"topP":               shape.Between(shape.Number, 0, 1),
		"topK":               shape.Between(shape.Number, 1, 1e6),
		"maxOutputTokens":    shape.Between(shape.Integer, 1, 1e9),
		"candidateCount":     shape.Between(shape.Integer, 1, 8),
		"stopSequences":      shape.ListOf(shape.Is(shape.String)),
		"presencePenalty":    shape.Between(shape.Number, -2, 2),
		"frequencyPenalty":   shape.Between(shape.Number, -2, 2),
		"seed":               shape.Is(shape.Integer),
		"responseMimeType":   shape.Word("text/plain", "application/json", "text/x.enum"),
		"responseJsonSchema": shape.Is(shape.Anything),
		"thinkingConfig": shape.Object(map[string]*shape.Shape{
			"includeThoughts": shape.Is(shape.Boolean), "thinkingBudget": shape.Between(shape.Integer, -1, 1e6),
			"thinkingLevel": shape.Word("MINIMAL", "LOW", "MEDIUM", "HIGH"),
		}),
	})
}

// mismatchError returns the vendor's error for a request that does not have the right shape.
func mismatchError(m *shape.Mismatch) *protocol.Error {
	switch m.Reason {
	case shape.UnknownField:
		return protocol.Invalid("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", m.Name, m.Path)
	case shape.MissingField:
		at := m.Path
		if at != "" {
			at = "." + at
		}
		return protocol.Invalid("* GenerateContentRequest%s.%s: %s is not specified", at, m.Name, m.Name)
	}
	kind := map[shape.Kind]string{
		shape.ObjectKind: "object", shape.ArrayKind: "list", shape.String: "TYPE_STRING", shape.Base64: "TYPE_BYTES",
		shape.Number: "TYPE_NUMBER", shape.Integer: "TYPE_NUMBER", shape.Boolean: "TYPE_BOOL",
	}[m.Want.Kind]
	b, _ := json.Marshal(m.Got) // it was decoded from JSON
	return protocol.Invalid("Invalid value at '%s' (%s), %s", m.Path, kind, protocol.Shorten(string(b)))
}
