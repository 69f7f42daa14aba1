package openai

import (
	"fmt"
	"net/http"
	"strings"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

// Chat is OpenAI's Chat Completions API, which many other servers also speak.
type Chat struct{ base }

// Name implements [protocol.Wire].
func (Chat) Name() string { return "openai" }

// Route accepts chat/completions, embeddings, models and models/M. It refuses requests with
// Anthropic's headers.
func (Chat) Route(r *http.Request) (protocol.Query, bool) {
	path, model := route(r)
	a := protocol.Query{Model: model, Key: apiKey(r)}
	name, isModel := strings.CutPrefix(path, "models/")
	switch {
	case r.Header.Get("anthropic-version") != "" || r.Header.Get("x-api-key") != "":
		return a, false
	case path == "chat/completions":
		a.Verb, a.VerbName = protocol.Generate, "generateContent"
	case path == "embeddings":
		a.Verb, a.VerbName = protocol.Embed, "batchEmbedContents"
	case path == "models" && r.Method == http.MethodGet:
		a.Verb, a.VerbName = protocol.ListModels, "models"
	case isModel && r.Method == http.MethodGet:
		a.Verb, a.VerbName, a.Model = protocol.ListModels, "models", name
	default:
		return a, false
	}
	return a, true
}

// Read implements [protocol.Wire].
func (Chat) Read(a *protocol.Query, r *http.Request, body []byte) *protocol.Error {
	switch a.Verb {
	case protocol.ListModels:
		return nil
	case protocol.Embed:
		a.Kind = "CreateEmbeddingRequest"
		if f := readBody(a, r, body, embeddingShape()); f != nil {
			return f
		}
		if one, ok := a.Body["input"].(string); ok {
			a.Inputs = []string{one}
		}
		for _, v := range protocol.AsList(a.Body["input"]) {
			a.Inputs = append(a.Inputs, v.(string))
		}
		return nil
	}
	a.Kind = "CreateChatCompletionRequest"
	if f := readBody(a, r, body, chatShape()); f != nil {
		return f
	}
	a.SetContentVerb()
	if f := chatParameters(a); f != nil {
		return f
	}
	previous := ""
	for i, v := range protocol.AsList(a.Body["messages"]) {
		role := v.(map[string]any)["role"].(string)
		if role == "tool" && previous != "tool" && previous != "assistant" {
			return protocol.BadParameter(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
		}
		previous = role
		if f := readMessage(a, v.(map[string]any), fmt.Sprintf("messages[%d]", i)); f != nil {
			return f
		}
	}
	a.SetResultNames()
	return protocol.CheckOrder(a)
}

// chatParameters checks the fields besides the messages.
func chatParameters(a *protocol.Query) *protocol.Error {
	var functions []map[string]any
	for _, t := range protocol.AsList(a.Body["tools"]) {
		functions = append(functions, t.(map[string]any)["function"].(map[string]any))
	}
	if f := checkTools(a, functions, func(i int) string { return fmt.Sprintf("tools[%d].function", i) }); f != nil {
		return f
	}
	_, most := a.Body["max_tokens"]
	_, mostCompletion := a.Body["max_completion_tokens"]
	_, options := a.Body["stream_options"]
	_, choice := a.Body["tool_choice"]
	_, parallel := a.Body["parallel_tool_calls"]
	switch {
	case most && mostCompletion:
		return protocol.BadParameter("", "", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case most && reasons(a.Model):
		return protocol.BadParameter("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case options && a.Verb != protocol.Stream:
		return protocol.BadParameter("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case choice && len(functions) == 0:
		return protocol.BadParameter("tool_choice", "", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	case parallel && len(functions) == 0:
		return protocol.BadParameter("parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	format, _ := a.Body["response_format"].(map[string]any)
	schema, _ := format["json_schema"].(map[string]any)
	if f := checkFormat(format, schema, "response_format", "response_format.json_schema", a.Body["messages"]); f != nil {
		return f
	}
	if f := checkToolChoice(a); f != nil {
		return f
	}
	if f := checkEffort(a.Model, a.Body["reasoning_effort"], "reasoning_effort"); f != nil {
		return f
	}
	if n := len(protocol.AsList(a.Body["stop"])); n > 4 {
		return protocol.BadParameter("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", n)
	}
	return sampling(a)
}

// readMessage adds one message to the conversation.
func readMessage(a *protocol.Query, m map[string]any, at string) *protocol.Error {
	role := m["role"].(string) // the shape requires it
	texts, media, f := chatContent(m["content"], at+".content")
	if f != nil {
		return f
	}
	said := strings.Join(texts, "")
	switch role {
	case "system", "developer":
		if len(a.Messages) > 0 {
			return protocol.BadParameter(at+".role", "", "Messages of the role '%s' must come before all others.", role)
		}
		a.System = strings.TrimPrefix(a.System+"\n"+said, "\n")
		return nil
	case "user":
		if said == "" && len(media) == 0 {
			return protocol.BadParameter(at+".content", "", "Invalid '%s.content': the message says nothing.", at)
		}
		return a.AppendMessage(protocol.Message{Texts: texts, Media: media}, at)
	case "tool":
		id := m["tool_call_id"].(string)
		return a.AppendMessage(protocol.Message{Results: []protocol.Result{{ID: id, Text: said, HasNoErrorMark: true}}}, at)
	}
	out := protocol.Message{FromModel: true}
	if said != "" {
		out.Texts = texts
	}
	for i, v := range protocol.AsList(m["tool_calls"]) {
		c := v.(map[string]any)
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		function := c["function"].(map[string]any)
		id, name := c["id"].(string), function["name"].(string)
		switch {
		case id == "" || len(id) > 40:
			return protocol.BadParameter(at+".id", "string_above_max_length", "Invalid '%s.id': expected a string with 1 to 40 characters, but got one with length %d instead.", at, len(id))
		case !namePattern().MatchString(name):
			return protocol.BadParameter(at+".function.name", "invalid_value", "Invalid '%s.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		if f := argumentsOf(function, at+".function"); f != nil {
			return f
		}
		out.Calls = append(out.Calls, protocol.Call{ID: id, Name: name})
	}
	if len(out.Texts)+len(out.Calls) == 0 && m["refusal"] == nil {
		return protocol.BadParameter(at+".content", "invalid_type", "Invalid value for '%s.content': expected a string, got null or nothing.", at)
	}
	return a.AppendMessage(out, at)
}

// chatContent returns the texts of a message's content and the types of its media.
func chatContent(content any, at string) (texts, media []string, f *protocol.Error) {
	if text, ok := content.(string); ok {
		return []string{text}, nil, nil
	}
	for i, v := range protocol.AsList(content) {
		p := v.(map[string]any)
		at := fmt.Sprintf("%s[%d]", at, i)
		switch p["type"] {
		case "text":
			text := p["text"].(string)
			if text == "" {
				return nil, nil, protocol.BadParameter(at+".text", "", "Invalid '%s.text': empty string. Expected a string with minimum length 1.", at)
			}
			texts = append(texts, text)
		case "image_url":
			url := p["image_url"].(map[string]any)["url"].(string)
			kind, f := dataURL(url, at+".image_url.url", "image/png", "image/jpeg", "image/gif", "image/webp")
			if f != nil {
				return nil, nil, f
			}
			media = append(media, kind)
		case "file":
			file := p["file"].(map[string]any)
			data, _ := file["file_data"].(string)
			kind, f := dataURL(data, at+".file.file_data", "application/pdf")
			switch {
			case file["file_id"] != nil:
			case f != nil:
				return nil, nil, f
			case file["filename"] == nil:
				return nil, nil, protocol.BadParameter(at+".file.filename", "missing_required_parameter", "Missing required parameter: '%s.file.filename'.", at)
			}
			media = append(media, kind)
		case "input_audio":
			media = append(media, "audio/"+p["input_audio"].(map[string]any)["format"].(string))
		}
	}
	return texts, media, nil
}

// CheckMemory returns nil, because the protocol has no signatures.
func (Chat) CheckMemory(*protocol.Query, *protocol.Memory) *protocol.Error { return nil }

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
