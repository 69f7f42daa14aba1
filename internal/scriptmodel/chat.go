package scriptmodel

import (
	"fmt"
	"net/http"
	"strings"
)

// chat is OpenAI's Chat Completions, and what many others make of it.
type chat struct{ openai }

func (chat) name() string { return "openai" }

// route knows chat/completions, embeddings, models and models/M. A request with
// Anthropic's header is none of the vendor's.
func (chat) route(r *http.Request) (asked, bool) {
	path, model := openAIRoute(r)
	a := asked{model: model, key: openAIKey(r)}
	name, isModel := strings.CutPrefix(path, "models/")
	switch {
	case r.Header.Get("anthropic-version") != "" || r.Header.Get("x-api-key") != "":
		return a, false
	case path == "chat/completions":
		a.verb, a.name = generate, "generateContent"
	case path == "embeddings":
		a.verb, a.name = embed, "batchEmbedContents"
	case path == "models" && r.Method == http.MethodGet:
		a.verb, a.name = models, "models"
	case isModel && r.Method == http.MethodGet:
		a.verb, a.name, a.model = models, "models", name
	default:
		return a, false
	}
	return a, true
}

func (chat) read(a *asked, r *http.Request, body []byte) *refusal {
	switch a.verb {
	case models:
		return nil
	case embed:
		a.kind = "CreateEmbeddingRequest"
		if f := openAIBody(a, r, body, embeddingShape()); f != nil {
			return f
		}
		if one, ok := a.root["input"].(string); ok {
			a.inputs = []string{one}
		}
		for _, v := range list(a.root["input"]) {
			a.inputs = append(a.inputs, v.(string))
		}
		return nil
	}
	a.kind = "CreateChatCompletionRequest"
	if f := openAIBody(a, r, body, chatShape()); f != nil {
		return f
	}
	a.converse()
	if f := chatParameters(a); f != nil {
		return f
	}
	previous := ""
	for i, v := range list(a.root["messages"]) {
		role := v.(map[string]any)["role"].(string)
		if role == "tool" && previous != "tool" && previous != "assistant" {
			return wrong(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
		}
		previous = role
		if f := a.hear(v.(map[string]any), fmt.Sprintf("messages[%d]", i)); f != nil {
			return f
		}
	}
	a.nameResults()
	return chatOrder(a)
}

// chatParameters checks what is beside the messages.
func chatParameters(a *asked) *refusal {
	var functions []map[string]any
	for _, t := range list(a.root["tools"]) {
		functions = append(functions, t.(map[string]any)["function"].(map[string]any))
	}
	if f := openAITools(a, functions, func(i int) string { return fmt.Sprintf("tools[%d].function", i) }); f != nil {
		return f
	}
	_, most := a.root["max_tokens"]
	_, mostCompletion := a.root["max_completion_tokens"]
	_, options := a.root["stream_options"]
	_, choice := a.root["tool_choice"]
	_, parallel := a.root["parallel_tool_calls"]
	switch {
	case most && mostCompletion:
		return wrong("", "", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case most && reasons(a.model):
		return wrong("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case options && a.verb != stream:
		return wrong("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case choice && len(functions) == 0:
		return wrong("tool_choice", "", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	case parallel && len(functions) == 0:
		return wrong("parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	format, _ := a.root["response_format"].(map[string]any)
	schema, _ := format["json_schema"].(map[string]any)
	if f := openAIFormat(format, schema, "response_format", "response_format.json_schema", a.root["messages"]); f != nil {
		return f
	}
	if f := openAIChoice(a); f != nil {
		return f
	}
	if f := openAIEffort(a.model, a.root["reasoning_effort"], "reasoning_effort"); f != nil {
		return f
	}
	if n := len(list(a.root["stop"])); n > 4 {
		return wrong("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", n)
	}
	return sampling(a)
}

// hear adds one message to the conversation.
func (a *asked) hear(m map[string]any, at string) *refusal {
	role := m["role"].(string) // the shape has it
	texts, f := chatTexts(m["content"], at+".content")
	if f != nil {
		return f
	}
	said := strings.Join(texts, "")
	switch role {
	case "system", "developer":
		if len(a.messages) > 0 {
			return wrong(at+".role", "", "Messages of the role '%s' must come before all others.", role)
		}
		a.system = strings.TrimPrefix(a.system+"\n"+said, "\n")
		return nil
	case "user":
		if said == "" && len(chatMedia(m["content"])) == 0 {
			return wrong(at+".content", "", "Invalid '%s.content': the message says nothing.", at)
		}
		return a.next(message{texts: texts, media: chatMedia(m["content"])}, at)
	case "tool":
		id := m["tool_call_id"].(string)
		return a.next(message{results: []result{{id: id, text: said, unmarked: true}}}, at)
	}
	out := message{model: true}
	if said != "" {
		out.texts = texts
	}
	for i, v := range list(m["tool_calls"]) {
		c := v.(map[string]any)
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		function := c["function"].(map[string]any)
		id, name := c["id"].(string), function["name"].(string)
		switch {
		case id == "" || len(id) > 40:
			return wrong(at+".id", "string_above_max_length", "Invalid '%s.id': expected a string with 1 to 40 characters, but got one with length %d instead.", at, len(id))
		case !openAIName().MatchString(name):
			return wrong(at+".function.name", "invalid_value", "Invalid '%s.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		if f := argumentsOf(function, at+".function"); f != nil {
			return f
		}
		out.calls = append(out.calls, call{id: id, name: name})
	}
	if len(out.texts)+len(out.calls) == 0 && m["refusal"] == nil {
		return wrong(at+".content", "invalid_type", "Invalid value for '%s.content': expected a string, got null or nothing.", at)
	}
	return a.next(out, at)
}

// next adds a message that must fit the one before it.
func (a *asked) next(m message, at string) *refusal {
	if n := len(a.messages); n > 0 {
		last := &a.messages[n-1]
		switch {
		case m.model && last.model:
			return wrong(at+".role", "", "Conversation roles must alternate: two messages of the role 'assistant' follow each other.")
		case len(m.texts) > 0 && len(last.texts) > 0 && !m.model && !last.model:
			return wrong(at+".role", "", "Conversation roles must alternate: two messages of the role 'user' follow each other.")
		}
	}
	a.say(m)
	return nil
}

// chatTexts returns the texts of a content, and checks what else is in it.
func chatTexts(content any, at string) ([]string, *refusal) {
	if text, ok := content.(string); ok {
		return []string{text}, nil
	}
	var texts []string
	for i, v := range list(content) {
		p := v.(map[string]any)
		at := fmt.Sprintf("%s[%d]", at, i)
		switch p["type"] {
		case "text":
			text := p["text"].(string)
			if text == "" {
				return nil, wrong(at+".text", "", "Invalid '%s.text': empty string. Expected a string with minimum length 1.", at)
			}
			texts = append(texts, text)
		case "image_url":
			url := p["image_url"].(map[string]any)["url"].(string)
			if f := dataURL(url, at+".image_url.url", "image/png", "image/jpeg", "image/gif", "image/webp"); f != nil {
				return nil, f
			}
		case "file":
			file := p["file"].(map[string]any)
			data, _ := file["file_data"].(string)
			if f := dataURL(data, at+".file.file_data", "application/pdf"); f != nil && file["file_id"] == nil {
				return nil, f
			}
			if file["file_id"] == nil && file["filename"] == nil {
				return nil, wrong(at+".file.filename", "missing_required_parameter", "Missing required parameter: '%s.file.filename'.", at)
			}
		}
	}
	return texts, nil
}

// chatMedia returns the types of the media in a content that was checked.
func chatMedia(content any) []string {
	var media []string
	for _, v := range list(content) {
		p := v.(map[string]any)
		switch p["type"] {
		case "image_url":
			media = append(media, mediaType(p["image_url"].(map[string]any)["url"].(string)))
		case "file":
			data, _ := p["file"].(map[string]any)["file_data"].(string)
			media = append(media, mediaType(data))
		case "input_audio":
			media = append(media, "audio/"+p["input_audio"].(map[string]any)["format"].(string))
		}
	}
	return media
}

// chatOrder checks who speaks in which order, and that each call has its result.
func chatOrder(a *asked) *refusal {
	if len(a.messages) == 0 || a.messages[0].model {
		return wrong("messages", "", "The conversation must begin with a message of the role 'user'.")
	}
	if a.newest().model {
		last := len(list(a.root["messages"])) - 1
		if n := len(a.newest().calls); n > 0 {
			return unanswered(a.newest().calls, fmt.Sprintf("messages.[%d].role", last))
		}
		return wrong(fmt.Sprintf("messages[%d].role", last), "", "The conversation must end with a message of the role 'user' or 'tool'.")
	}
	for i := range a.messages {
		var calls []call
		if i > 0 {
			calls = a.messages[i-1].calls
		}
		if f := paired(calls, a.messages[i].results); f != nil {
			return f
		}
	}
	return nil
}

// paired checks that each call has one result, and each result a call.
func paired(calls []call, results []result) *refusal {
	open := map[string]bool{}
	for _, c := range calls {
		if open[c.id] {
			return wrong("messages", "", "Duplicate value for 'tool_call_id' of '%s'.", c.id)
		}
		open[c.id] = true
	}
	for _, r := range results {
		if !open[r.id] {
			if len(calls) == 0 {
				return wrong("messages", "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			return wrong("messages", "", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message, or answered twice.", r.id)
		}
		open[r.id] = false
	}
	var left []call
	for _, c := range calls {
		if open[c.id] {
			left = append(left, c)
		}
	}
	if len(left) > 0 {
		return unanswered(left, "messages")
	}
	return nil
}

func unanswered(calls []call, at string) *refusal {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.id)
	}
	return wrong(at, "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

// faithful has nothing to say: the protocol knows no signatures.
func (chat) faithful(*asked, *memory) *refusal { return nil }
