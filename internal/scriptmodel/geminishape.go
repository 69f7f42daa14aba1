package scriptmodel

import (
	"encoding/json"
	"maps"
)

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

// geminiMisfit words what does not fit in a request.
func geminiMisfit(m *misfit) *refusal {
	switch m.what {
	case unknownField:
		return invalid("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", m.name, m.at)
	case missingField:
		at := m.at
		if at != "" {
			at = "." + at
		}
		return invalid("* GenerateContentRequest%s.%s: %s is not specified", at, m.name, m.name)
	}
	kind := map[kind]string{
		object: "object", array: "list", str: "TYPE_STRING", base64Bytes: "TYPE_BYTES",
		number: "TYPE_NUMBER", integer: "TYPE_NUMBER", boolean: "TYPE_BOOL",
	}[m.want.kind]
	b, _ := json.Marshal(m.got) // it was JSON before
	return invalid("Invalid value at '%s' (%s), %s", m.at, kind, clip(string(b)))
}
