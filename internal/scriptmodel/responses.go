package scriptmodel

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// responses is OpenAI's Responses, used without anything stored at the vendor.
type responses struct{ openai }

func (responses) name() string { return "responses" }

func (responses) route(r *http.Request) (asked, bool) {
	path, model := openAIRoute(r)
	return asked{verb: generate, name: "generateContent", model: model, key: openAIKey(r)}, path == "responses"
}

func responsesShape() *shape {
	format := schemaFields()
	return obj(map[string]*shape{
		"model":        is(str),
		"input":        oneOf(is(str), some(itemShape())),
		"instructions": orNull(is(str)),
		"tools": arr(byTag("type", map[string]*shape{
			"function": obj(map[string]*shape{
				"name": is(str), "description": orNull(is(str)), "parameters": orNull(obj(nil)), "strict": orNull(is(boolean)),
			}, "name", "parameters"),
			"web_search": obj(nil),
		})),
		"tool_choice": oneOf(word("none", "auto", "required"), byTag("type", map[string]*shape{
			"function":      obj(map[string]*shape{"name": is(str)}, "name"),
			"allowed_tools": obj(map[string]*shape{"mode": word("auto", "required"), "tools": some(obj(nil))}, "mode", "tools"),
		})),
		"parallel_tool_calls": orNull(is(boolean)),
		"reasoning": orNull(obj(map[string]*shape{
			"effort":  orNull(word("none", "minimal", "low", "medium", "high", "xhigh", "max")),
			"summary": orNull(word("auto", "concise", "detailed")),
		})),
		"include": orNull(arr(word("reasoning.encrypted_content", "message.output_text.logprobs", "message.input_image.image_url"))),
		"text": obj(map[string]*shape{
			"format": formatShape(obj(format, "name", "schema")), "verbosity": orNull(word("low", "medium", "high")),
		}),
		"temperature":       orNull(between(number, 0, 2)),
		"top_p":             orNull(between(number, 0, 1)),
		"max_output_tokens": orNull(between(integer, 16, 1e9)),
		"store":             orNull(is(boolean)),
		"stream":            orNull(is(boolean)),
		"stream_options":    orNull(obj(map[string]*shape{"include_obfuscation": is(boolean)})),
		"truncation":        orNull(word("auto", "disabled")),
		"metadata":          orNull(obj(nil)),
		"user":              is(str),
		"safety_identifier": is(str),
		"prompt_cache_key":  is(str),
		"service_tier":      orNull(is(str)),
	}, "model", "input")
}

// itemShape is an item of the input. A message may leave out its type.
func itemShape() *shape {
	part := byTag("type", map[string]*shape{
		"input_text": obj(map[string]*shape{"text": is(str)}, "text"),
		"input_image": obj(map[string]*shape{
			"image_url": is(str), "detail": word("auto", "low", "high", "original"),
		}, "image_url"),
		"input_file":  obj(map[string]*shape{"filename": is(str), "file_data": is(str)}, "filename", "file_data"),
		"output_text": obj(map[string]*shape{"text": is(str), "annotations": arr(obj(nil)), "logprobs": arr(obj(nil))}, "text"),
		"refusal":     obj(map[string]*shape{"refusal": is(str)}, "refusal"),
	})
	status := word("in_progress", "completed", "incomplete")
	message := obj(map[string]*shape{
		"role": word("user", "assistant", "system", "developer"), "content": oneOf(is(str), some(part)),
		"id": is(str), "status": status, "phase": orNull(is(str)),
	}, "role", "content")
	return byTag("type", map[string]*shape{
		"message": message, "": message,
		"function_call": obj(map[string]*shape{
			"id": is(str), "call_id": is(str), "name": is(str), "arguments": is(str), "status": status,
		}, "call_id", "name", "arguments"),
		"function_call_output": obj(map[string]*shape{
			"id": is(str), "call_id": is(str), "output": oneOf(is(str), some(part)), "status": status,
		}, "call_id", "output"),
		"reasoning": obj(map[string]*shape{
			"id": is(str), "summary": arr(byTag("type", map[string]*shape{"summary_text": obj(map[string]*shape{"text": is(str)}, "text")})),
			"encrypted_content": orNull(is(str)), "content": arr(obj(nil)), "status": status,
		}, "id", "summary"),
	})
}

func (responses) read(a *asked, r *http.Request, body []byte) *refusal {
	a.kind = "CreateResponse"
	if f := openAIBody(a, r, body, responsesShape()); f != nil {
		return f
	}
	a.converse()
	a.thinking = true
	a.system, _ = a.root["instructions"].(string)
	if f := responsesParameters(a); f != nil {
		return f
	}
	if text, ok := a.root["input"].(string); ok {
		a.say(message{texts: []string{text}})
	}
	ids := map[string]bool{}
	for i, v := range list(a.root["input"]) {
		id, _ := v.(map[string]any)["id"].(string)
		if ids[id] {
			return wrong("input", "", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", id)
		}
		ids[id] = id != ""
		if f := a.hearItem(v.(map[string]any), fmt.Sprintf("input[%d]", i)); f != nil {
			return f
		}
	}
	a.nameResults()
	return responsesOrder(a)
}

func responsesParameters(a *asked) *refusal {
	var functions []map[string]any
	for _, t := range list(a.root["tools"]) {
		if tool := t.(map[string]any); tool["type"] == "function" {
			if strict, ok := tool["strict"]; !ok || strict == nil { // here this is the default
				tool["strict"] = true
			}
			functions = append(functions, tool)
		}
	}
	if f := openAITools(a, functions, func(i int) string { return fmt.Sprintf("tools[%d]", i) }); f != nil {
		return f
	}
	if _, choice := a.root["tool_choice"]; choice && len(list(a.root["tools"])) == 0 {
		return wrong("tool_choice", "", "Tool choice must be specified together with 'tools'.")
	}
	_, options := a.root["stream_options"]
	if options && a.verb != stream {
		return wrong("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	if _, ok := a.root["reasoning"].(map[string]any); ok && !reasons(a.model) {
		return wrong("reasoning", "unsupported_parameter", "Unsupported parameter: 'reasoning' is not supported with this model.")
	}
	text, _ := a.root["text"].(map[string]any)
	format, _ := text["format"].(map[string]any)
	if f := openAIFormat(format, format, "text.format", "text.format", a.root["input"]); f != nil {
		return f
	}
	if f := openAIChoice(a); f != nil {
		return f
	}
	reasoning, _ := a.root["reasoning"].(map[string]any)
	if f := openAIEffort(a.model, reasoning["effort"], "reasoning.effort"); f != nil {
		return f
	}
	if slices.Contains(list(a.root["include"]), any("reasoning.encrypted_content")) && olderGPT(a.model) {
		return wrong("include", "", "Encrypted content is not supported with this model.")
	}
	for _, name := range []string{"temperature", "top_p"} {
		if v, ok := a.root[name]; ok && v != nil && reasons(a.model) {
			return wrong(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
		}
	}
	return nil
}

// hearItem adds one item to the conversation.
func (a *asked) hearItem(item map[string]any, at string) *refusal {
	kind, _ := item["type"].(string)
	prefix := map[string]string{"function_call": "fc", "function_call_output": "fc", "reasoning": "rs"}[kind]
	if prefix == "" {
		prefix = "msg"
	}
	id, hasID := item["id"].(string)
	if hasID && !strings.HasPrefix(id, prefix) || len(id) > 64 {
		return wrong(at+".id", "invalid_value", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", at, clip(id), prefix)
	}
	callID, _ := item["call_id"].(string)
	if prefix == "fc" && (callID == "" || len(callID) > 64) {
		return wrong(at+".call_id", "invalid_value", "Invalid '%s.call_id': expected a string with 1 to 64 characters, but got one with length %d instead.", at, len(callID))
	}
	switch kind {
	case "function_call":
		name := item["name"].(string)
		if !openAIName().MatchString(name) {
			return wrong(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		if f := argumentsOf(item, at); f != nil {
			return f
		}
		a.say(message{model: true, calls: []call{{id: callID, name: name, item: id, args: sameArgs(item["arguments"])}}})
	case "function_call_output":
		texts, f := itemTexts(item["output"], at+".output", "input")
		if f != nil {
			return f
		}
		a.say(message{media: itemMedia(item["output"]), results: []result{{id: callID, text: strings.Join(texts, ""), unmarked: true}}})
	case "reasoning":
		return a.hearReasoning(item, id, at)
	default:
		return a.hearMessage(item, at)
	}
	return nil
}

func (a *asked) hearReasoning(item map[string]any, id, at string) *refusal {
	encrypted, _ := item["encrypted_content"].(string)
	if encrypted == "" {
		return &refusal{status: 404, param: "input", code: "item_not_found", message: fmt.Sprintf(
			"Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)}
	}
	items := list(a.root["input"])
	next := map[string]any{}
	for i, v := range items {
		if v.(map[string]any)["id"] == id && i+1 < len(items) {
			next = items[i+1].(map[string]any)
		}
	}
	if next["type"] != "function_call" && next["type"] != "reasoning" && next["role"] != "assistant" {
		return wrong("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", id)
	}
	a.say(message{model: true, thoughts: []thought{{text: id, signature: encrypted}}})
	return nil
}

func (a *asked) hearMessage(item map[string]any, at string) *refusal {
	role := item["role"].(string)
	direction := "input"
	if role == "assistant" {
		direction = "output"
	}
	texts, f := itemTexts(item["content"], at+".content", direction)
	if f != nil {
		return f
	}
	switch role {
	case "system", "developer":
		a.system = strings.TrimPrefix(a.system+"\n"+strings.Join(texts, ""), "\n")
	default:
		a.say(message{model: role == "assistant", texts: texts, media: itemMedia(item["content"])})
	}
	return nil
}

// itemTexts returns the texts of a content, whose parts must go in this direction.
func itemTexts(content any, at, direction string) ([]string, *refusal) {
	if text, ok := content.(string); ok {
		if text == "" && strings.HasSuffix(at, "content") {
			return nil, wrong(at, "", "Invalid '%s': the message says nothing.", at)
		}
		return []string{text}, nil
	}
	var texts []string
	for i, v := range list(content) {
		p := v.(map[string]any)
		at := fmt.Sprintf("%s[%d]", at, i)
		kind := p["type"].(string)
		if kind != "refusal" && !strings.HasPrefix(kind, direction) || kind == "refusal" && direction != "output" {
			supported := "'input_text', 'input_image', and 'input_file'"
			if direction == "output" {
				supported = "'output_text' and 'refusal'"
			}
			return nil, wrong(at, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", kind, supported)
		}
		switch kind {
		case "input_text", "output_text":
			if p["text"] == "" {
				return nil, wrong(at+".text", "", "Invalid '%s.text': empty string. Expected a string with minimum length 1.", at)
			}
			texts = append(texts, p["text"].(string))
		case "input_image":
			if f := dataURL(p["image_url"].(string), at+".image_url", "image/png", "image/jpeg", "image/gif", "image/webp"); f != nil {
				return nil, f
			}
		case "input_file":
			if f := dataURL(p["file_data"].(string), at+".file_data", "application/pdf"); f != nil {
				return nil, f
			}
		}
	}
	return texts, nil
}

// itemMedia returns the types of the media in a content that was checked.
func itemMedia(content any) []string {
	var media []string
	for _, v := range list(content) {
		p := v.(map[string]any)
		switch p["type"] {
		case "input_image":
			media = append(media, mediaType(p["image_url"].(string)))
		case "input_file":
			media = append(media, mediaType(p["file_data"].(string)))
		}
	}
	return media
}

// responsesOrder checks that each call has its output, and each output its call.
func responsesOrder(a *asked) *refusal {
	if len(a.messages) == 0 || a.messages[0].model && len(a.messages[0].calls) == 0 {
		return wrong("input", "", "The input must begin with a message of the role 'user'.")
	}
	if a.newest().model && len(a.newest().calls) == 0 {
		return wrong("input", "", "The input must end with a message of the role 'user' or with the output of a call.")
	}
	open, known := map[string]bool{}, map[string]bool{}
	for _, m := range a.messages {
		for _, r := range m.results {
			if !open[r.id] {
				return wrong("input", "", "No tool call found for function call output with call_id %s.", r.id)
			}
			delete(open, r.id)
		}
		for id := range open {
			return wrong("input", "", "No tool output found for function call %s.", id)
		}
		for _, c := range m.calls {
			if known[c.id] {
				return wrong("input", "", "Duplicate call_id '%s' in input.", c.id)
			}
			open[c.id], known[c.id] = true, true
		}
	}
	for id := range open {
		return wrong("input", "", "No tool output found for function call %s.", id)
	}
	return nil
}

// faithful refuses reasoning that no model of this vendor encrypted, and, in
// the turn in progress, calls whose reasoning is not there.
func (responses) faithful(a *asked, m *memory) *refusal {
	there := map[string]bool{}
	for _, msg := range a.messages {
		for _, t := range msg.thoughts {
			there[t.signature] = true
			_, ours := m.thoughts[t.signature]
			plain, err := base64.StdEncoding.DecodeString(t.signature)
			if !ours && (err != nil || !strings.HasPrefix(string(plain), signed)) {
				return wrong("", "invalid_encrypted_content", "The encrypted content for item %s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", t.text)
			}
		}
	}
	for _, msg := range a.messages[a.turnStart():] {
		for _, c := range msg.calls {
			given, ours := m.given(c)
			if !ours {
				continue
			}
			for i, t := range given.thoughts {
				if !there[t.signature] {
					return wrong("input", "", "Item '%s' of type 'function_call' was provided without its required 'reasoning' item: 'rs_%d'.", cmp.Or(c.item, "fc_"+c.id), i+1)
				}
			}
		}
	}
	return nil
}

// turnStart is where the turn in progress began: with what the user said last
// that was more than results.
func (a *asked) turnStart() int {
	start := 0
	for i, m := range a.messages {
		if !m.model && len(m.results) == 0 {
			start = i
		}
	}
	return start
}
