package openai

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

// Responses is OpenAI's Responses API, used without storing responses at the vendor.
type Responses struct{ base }

// Name implements [protocol.Wire].
func (Responses) Name() string { return "responses" }

// Route implements [protocol.Wire].
func (Responses) Route(r *http.Request) (protocol.Query, bool) {
	path, model := route(r)
	return protocol.Query{Verb: protocol.Generate, VerbName: "generateContent", Model: model, Key: apiKey(r)}, path == "responses"
}

func responsesShape() *shape.Shape {
	format := schemaFields()
	return shape.Object(map[string]*shape.Shape{
		"model":        shape.Is(shape.String),
		"input":        shape.OneOf(shape.Is(shape.String), shape.NonEmpty(itemShape())),
		"instructions": shape.Nullable(shape.Is(shape.String)),
		"tools": shape.ListOf(shape.TaggedBy("type", map[string]*shape.Shape{
			"function": shape.Object(map[string]*shape.Shape{
				"name": shape.Is(shape.String), "description": shape.Nullable(shape.Is(shape.String)), "parameters": shape.Nullable(shape.Object(nil)), "strict": shape.Nullable(shape.Is(shape.Boolean)),
			}, "name", "parameters"),
			"web_search": shape.Object(nil),
		})),
		"tool_choice": shape.OneOf(shape.Word("none", "auto", "required"), shape.TaggedBy("type", map[string]*shape.Shape{
			"function":      shape.Object(map[string]*shape.Shape{"name": shape.Is(shape.String)}, "name"),
			"allowed_tools": shape.Object(map[string]*shape.Shape{"mode": shape.Word("auto", "required"), "tools": shape.NonEmpty(shape.Object(nil))}, "mode", "tools"),
		})),
		"parallel_tool_calls": shape.Nullable(shape.Is(shape.Boolean)),
		"reasoning": shape.Nullable(shape.Object(map[string]*shape.Shape{
			"effort":  shape.Nullable(shape.Word("none", "minimal", "low", "medium", "high", "xhigh", "max")),
			"summary": shape.Nullable(shape.Word("auto", "concise", "detailed")),
		})),
		"include": shape.Nullable(shape.ListOf(shape.Word("reasoning.encrypted_content", "message.output_text.logprobs", "message.input_image.image_url"))),
		"text": shape.Object(map[string]*shape.Shape{
			"format": formatShape(shape.Object(format, "name", "schema")), "verbosity": shape.Nullable(shape.Word("low", "medium", "high")),
		}),
		"temperature":       shape.Nullable(shape.Between(shape.Number, 0, 2)),
		"top_p":             shape.Nullable(shape.Between(shape.Number, 0, 1)),
		"max_output_tokens": shape.Nullable(shape.Between(shape.Integer, 16, 1e9)),
		"store":             shape.Nullable(shape.Is(shape.Boolean)),
		"stream":            shape.Nullable(shape.Is(shape.Boolean)),
		"stream_options":    shape.Nullable(shape.Object(map[string]*shape.Shape{"include_obfuscation": shape.Is(shape.Boolean)})),
		"truncation":        shape.Nullable(shape.Word("auto", "disabled")),
		"metadata":          shape.Nullable(shape.Object(nil)),
		"user":              shape.Is(shape.String),
		"safety_identifier": shape.Is(shape.String),
		"prompt_cache_key":  shape.Is(shape.String),
		"service_tier":      shape.Nullable(shape.Is(shape.String)),
	}, "model", "input")
}

// itemShape returns the shape of an input item. The type of a message is optional.
func itemShape() *shape.Shape {
	part := shape.TaggedBy("type", map[string]*shape.Shape{
		"input_text": shape.Object(map[string]*shape.Shape{"text": shape.Is(shape.String)}, "text"),
		"input_image": shape.Object(map[string]*shape.Shape{
			"image_url": shape.Is(shape.String), "detail": shape.Word("auto", "low", "high", "original"),
		}, "image_url"),
		"input_file":  shape.Object(map[string]*shape.Shape{"filename": shape.Is(shape.String), "file_data": shape.Is(shape.String)}, "filename", "file_data"),
		"output_text": shape.Object(map[string]*shape.Shape{"text": shape.Is(shape.String), "annotations": shape.ListOf(shape.Object(nil)), "logprobs": shape.ListOf(shape.Object(nil))}, "text"),
		"refusal":     shape.Object(map[string]*shape.Shape{"refusal": shape.Is(shape.String)}, "refusal"),
	})
	status := shape.Word("in_progress", "completed", "incomplete")
	message := shape.Object(map[string]*shape.Shape{
		"role": shape.Word("user", "assistant", "system", "developer"), "content": shape.OneOf(shape.Is(shape.String), shape.NonEmpty(part)),
		"id": shape.Is(shape.String), "status": status, "phase": shape.Nullable(shape.Is(shape.String)),
	}, "role", "content")
	return shape.TaggedBy("type", map[string]*shape.Shape{
		"message": message, "": message,
		"function_call": shape.Object(map[string]*shape.Shape{
			"id": shape.Is(shape.String), "call_id": shape.Is(shape.String), "name": shape.Is(shape.String), "arguments": shape.Is(shape.String), "status": status,
		}, "call_id", "name", "arguments"),
		"function_call_output": shape.Object(map[string]*shape.Shape{
			"id": shape.Is(shape.String), "call_id": shape.Is(shape.String), "output": shape.OneOf(shape.Is(shape.String), shape.NonEmpty(part)), "status": status,
		}, "call_id", "output"),
		"reasoning": shape.Object(map[string]*shape.Shape{
			"id": shape.Is(shape.String), "summary": shape.ListOf(shape.TaggedBy("type", map[string]*shape.Shape{"summary_text": shape.Object(map[string]*shape.Shape{"text": shape.Is(shape.String)}, "text")})),
			"encrypted_content": shape.Nullable(shape.Is(shape.String)), "content": shape.ListOf(shape.Object(nil)), "status": status,
		}, "id", "summary"),
	})
}

// Read implements [protocol.Wire].
func (Responses) Read(a *protocol.Query, r *http.Request, body []byte) *protocol.Error {
	a.Kind = "CreateResponse"
	if f := readBody(a, r, body, responsesShape()); f != nil {
		return f
	}
	a.SetContentVerb()
	a.Thinking = true
	a.System, _ = a.Body["instructions"].(string)
	if f := responsesParameters(a); f != nil {
		return f
	}
	if text, ok := a.Body["input"].(string); ok {
		a.Add(protocol.Message{Texts: []string{text}})
	}
	ids := map[string]bool{}
	for i, v := range protocol.AsList(a.Body["input"]) {
		id, _ := v.(map[string]any)["id"].(string)
		if ids[id] {
			return protocol.BadParameter("input", "", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", id)
		}
		ids[id] = id != ""
		if f := readItem(a, v.(map[string]any), fmt.Sprintf("input[%d]", i)); f != nil {
			return f
		}
	}
	a.SetResultNames()
	return responsesOrder(a)
}

func responsesParameters(a *protocol.Query) *protocol.Error {
	var functions []map[string]any
	for _, t := range protocol.AsList(a.Body["tools"]) {
		if tool := t.(map[string]any); tool["type"] == "function" {
			if strict, ok := tool["strict"]; !ok || strict == nil { // strict is the default in this API
				tool["strict"] = true
			}
			functions = append(functions, tool)
		}
	}
	if f := checkTools(a, functions, func(i int) string { return fmt.Sprintf("tools[%d]", i) }); f != nil {
		return f
	}
	if _, choice := a.Body["tool_choice"]; choice && len(protocol.AsList(a.Body["tools"])) == 0 {
		return protocol.BadParameter("tool_choice", "", "Tool choice must be specified together with 'tools'.")
	}
	_, options := a.Body["stream_options"]
	if options && a.Verb != protocol.Stream {
		return protocol.BadParameter("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	if _, ok := a.Body["reasoning"].(map[string]any); ok && !reasons(a.Model) {
		return protocol.BadParameter("reasoning", "unsupported_parameter", "Unsupported parameter: 'reasoning' is not supported with this model.")
	}
	text, _ := a.Body["text"].(map[string]any)
	format, _ := text["format"].(map[string]any)
	if f := checkFormat(format, format, "text.format", "text.format", a.Body["input"]); f != nil {
		return f
	}
	if f := checkToolChoice(a); f != nil {
		return f
	}
	reasoning, _ := a.Body["reasoning"].(map[string]any)
	if f := checkEffort(a.Model, reasoning["effort"], "reasoning.effort"); f != nil {
		return f
	}
	if slices.Contains(protocol.AsList(a.Body["include"]), any("reasoning.encrypted_content")) && olderGPT(a.Model) {
		return protocol.BadParameter("include", "", "Encrypted content is not supported with this model.")
	}
	for _, name := range []string{"temperature", "top_p"} {
		if v, ok := a.Body[name]; ok && v != nil && reasons(a.Model) {
			return protocol.BadParameter(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
		}
	}
	return nil
}

// readItem adds one item to the conversation.
func readItem(a *protocol.Query, item map[string]any, at string) *protocol.Error {
	kind, _ := item["type"].(string)
	prefix := cmp.Or(map[string]string{"function_call": "fc", "function_call_output": "fc", "reasoning": "rs"}[kind], "msg")
	id, hasID := item["id"].(string)
	if hasID && !strings.HasPrefix(id, prefix) || len(id) > 64 {
		return protocol.BadParameter(at+".id", "invalid_value", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", at, protocol.Shorten(id), prefix)
	}
	callID, _ := item["call_id"].(string)
	if prefix == "fc" && (callID == "" || len(callID) > 64) {
		return protocol.BadParameter(at+".call_id", "invalid_value", "Invalid '%s.call_id': expected a string with 1 to 64 characters, but got one with length %d instead.", at, len(callID))
	}
	switch kind {
	case "function_call":
		name := item["name"].(string)
		if !namePattern().MatchString(name) {
			return protocol.BadParameter(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		if f := argumentsOf(item, at); f != nil {
			return f
		}
		a.Add(protocol.Message{FromModel: true, Calls: []protocol.Call{{ID: callID, Name: name, Item: id, Args: protocol.CanonicalArgs(item["arguments"])}}})
	case "function_call_output":
		texts, media, f := itemContent(item["output"], at+".output", "input")
		if f != nil {
			return f
		}
		a.Add(protocol.Message{Media: media, Results: []protocol.Result{{ID: callID, Text: strings.Join(texts, ""), HasNoErrorMark: true}}})
	case "reasoning":
		return readReasoning(a, item, id)
	default:
		return readItemMessage(a, item, at)
	}
	return nil
}

func readReasoning(a *protocol.Query, item map[string]any, id string) *protocol.Error {
	encrypted, _ := item["encrypted_content"].(string)
	if encrypted == "" {
		return &protocol.Error{Status: 404, Param: "input", Code: "item_not_found", Message: fmt.Sprintf(
			"Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)}
	}
	items := protocol.AsList(a.Body["input"])
	next := map[string]any{}
	for i, v := range items {
		if v.(map[string]any)["id"] == id && i+1 < len(items) {
			next = items[i+1].(map[string]any)
		}
	}
	if next["type"] != "function_call" && next["type"] != "reasoning" && next["role"] != "assistant" {
		return protocol.BadParameter("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", id)
	}
	a.Add(protocol.Message{FromModel: true, Thoughts: []protocol.Thought{{Text: id, Signature: encrypted}}})
	return nil
}

func readItemMessage(a *protocol.Query, item map[string]any, at string) *protocol.Error {
	role := item["role"].(string)
	direction := "input"
	if role == "assistant" {
		direction = "output"
	}
	texts, media, f := itemContent(item["content"], at+".content", direction)
	if f != nil {
		return f
	}
	if role == "system" || role == "developer" {
		a.System = strings.TrimPrefix(a.System+"\n"+strings.Join(texts, ""), "\n")
	} else {
		a.Add(protocol.Message{FromModel: role == "assistant", Texts: texts, Media: media})
	}
	return nil
}

// itemContent returns the texts of an item's content, whose parts must have the given direction, and the types of
// its media.
func itemContent(content any, at, direction string) (texts, media []string, f *protocol.Error) {
	if text, ok := content.(string); ok {
		if text == "" && strings.HasSuffix(at, "content") {
			return nil, nil, protocol.BadParameter(at, "", "Invalid '%s': the message says nothing.", at)
		}
		return []string{text}, nil, nil
	}
	for i, v := range protocol.AsList(content) {
		p := v.(map[string]any)
		at := fmt.Sprintf("%s[%d]", at, i)
		kind := p["type"].(string)
		if kind != "refusal" && !strings.HasPrefix(kind, direction) || kind == "refusal" && direction != "output" {
			supported := "'input_text', 'input_image', and 'input_file'"
			if direction == "output" {
				supported = "'output_text' and 'refusal'"
			}
			return nil, nil, protocol.BadParameter(at, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", kind, supported)
		}
		switch kind {
		case "input_text", "output_text":
			if p["text"] == "" {
				return nil, nil, protocol.BadParameter(at+".text", "", "Invalid '%s.text': empty string. Expected a string with minimum length 1.", at)
			}
			texts = append(texts, p["text"].(string))
		case "input_image", "input_file":
			field, types := "image_url", []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
			if kind == "input_file" {
				field, types = "file_data", []string{"application/pdf"}
			}
			mediaType, f := dataURL(p[field].(string), at+"."+field, types...)
			if f != nil {
				return nil, nil, f
			}
			media = append(media, mediaType)
		}
	}
	return texts, media, nil
}

// responsesOrder checks that each call has an output, and each output a call.
func responsesOrder(a *protocol.Query) *protocol.Error {
	if len(a.Messages) == 0 || a.Messages[0].FromModel && len(a.Messages[0].Calls) == 0 {
		return protocol.BadParameter("input", "", "The input must begin with a message of the role 'user'.")
	}
	if a.LastMessage().FromModel && len(a.LastMessage().Calls) == 0 {
		return protocol.BadParameter("input", "", "The input must end with a message of the role 'user' or with the output of a call.")
	}
	open, known := map[string]bool{}, map[string]bool{}
	for _, m := range a.Messages {
		for _, r := range m.Results {
			if !open[r.ID] {
				return protocol.BadParameter("input", "", "No tool call found for function call output with call_id %s.", r.ID)
			}
			delete(open, r.ID)
		}
		for id := range open {
			return protocol.BadParameter("input", "", "No tool output found for function call %s.", id)
		}
		for _, c := range m.Calls {
			if known[c.ID] {
				return protocol.BadParameter("input", "", "Duplicate call_id '%s' in input.", c.ID)
			}
			open[c.ID], known[c.ID] = true, true
		}
	}
	for id := range open {
		return protocol.BadParameter("input", "", "No tool output found for function call %s.", id)
	}
	return nil
}

// CheckMemory refuses reasoning that the vendor did not encrypt and, in the current turn, calls
// without the reasoning before them.
func (Responses) CheckMemory(a *protocol.Query, m *protocol.Memory) *protocol.Error {
	there := map[string]bool{}
	for _, msg := range a.Messages {
		for _, t := range msg.Thoughts {
			there[t.Signature] = true
			_, ours := m.Thoughts[t.Signature]
			plain, err := base64.StdEncoding.DecodeString(t.Signature)
			if !ours && (err != nil || !strings.HasPrefix(string(plain), protocol.SignaturePrefix)) {
				return protocol.BadParameter("", "invalid_encrypted_content", "The encrypted content for item %s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", t.Text)
			}
		}
	}
	for _, msg := range a.Messages[a.TurnStart():] {
		for _, c := range msg.Calls {
			given, ours := m.CallRecord(c)
			if !ours {
				continue
			}
			for i, t := range given.Thoughts {
				if !there[t.Signature] {
					return protocol.BadParameter("input", "", "Item '%s' of type 'function_call' was provided without its required 'reasoning' item: 'rs_%d'.", cmp.Or(c.Item, "fc_"+c.ID), i+1)
				}
			}
		}
	}
	return nil
}
