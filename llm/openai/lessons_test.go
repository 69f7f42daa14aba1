package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/openai"
)

// refusal returns an error body in OpenAI's format.
func refusal(message, param string) string {
	return string(show(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": param, "code": nil}}))
}

// TestLessons checks that the client omits parameters that a service rejects from
// all later requests, and logs it.
func TestLessons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, model string
		options     openai.Options
		refused     string // part of the first request
		status      int
		body        string
		then        string // part of the second request
	}{
		{"stream_options", "m", openai.Options{}, `"stream_options"`, 400, refusal("Unknown parameter: 'stream_options'.", "stream_options"), `"stream":true`},
		{"stream_options, pydantic", "m", openai.Options{}, `"stream_options"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, `"stream":true`},
		{"stream_options, bare", "m", openai.Options{}, `"stream_options"`, 400, `{"object":"error","message":"json: unknown field \"stream_options\"","code":400}`, `"stream":true`},
		{"effort, as Mistral says it", "m", openai.Options{}, `"reasoning_effort"`, 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted","input":"low"}]},"type":"invalid_request_error","param":null,"code":null,"raw_status_code":422}`, `"max_tokens":9`},
		{"temperature, in Chinese", "m", openai.Options{}, `"temperature"`, 400, `{"error":{"code":"1214","message":"temperature 参数非法。请检查文档。"}}`, `"max_tokens":9`},
		{"temperature", "m", openai.Options{}, `"temperature"`, 400, refusal("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.", "temperature"), `"max_tokens":9`},
		{"max_tokens", "m", openai.Options{}, `"max_tokens"`, 400, refusal("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"), `"max_completion_tokens":9`},
		{"max_completion_tokens", "o3", openai.Options{}, `"max_completion_tokens"`, 400, `{"message":"Extra field max_completion_tokens is not allowed"}`, `"max_tokens":9`},
		{"max_tokens, as DashScope says it", "m", openai.Options{}, `"max_tokens"`, 400, refusal("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8]", ""), `"temperature":0.5`},
		{"long description, as Azure says it", "m", openai.Options{}, `lists files with`, 400, strings.Replace(refusal("Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 9, but got a string with length 11 instead.", "tools[0].function.description"), `"code":null`, `"code":"string_above_max_length"`, 1), `"description":"lists fil"`},
		{"tool_choice", "m", openai.Options{}, `"tool_choice"`, 400, refusal("tool_choice is not supported by this model", ""), `"tools"`},
		{"system role", "m", openai.Options{}, `"system"`, 400, refusal("System role not supported", ""), `"content":"Be brief.\n\nhello"`},
		{"system role, said by OpenAI", "m", openai.Options{}, `"system"`, 400, refusal("Unsupported value: 'messages[0].role' does not support 'system' with this model.", "messages[0].role"), `"content":"Be brief.\n\nhello"`},
		{"developer", "m", openai.Options{Quirks: openai.Quirks{SystemRole: "developer"}}, `"developer"`, 400, refusal("messages[0].role: unknown variant `developer`, expected one of `system`, `user`", ""), `"role":"system"`},
		{"schema", "m", openai.Options{}, `"json_schema"`, 400, refusal("This response_format type is unavailable now", ""), `"response_format":{"type":"json_object"}`},
		{"effort", "m", openai.Options{}, `"reasoning_effort"`, 400, refusal("Unrecognized request argument supplied: reasoning_effort", ""), `"max_tokens":9`},
		{"effort, as xAI names it", "m", openai.Options{}, `"reasoning_effort"`, 400, `{"code":"Client specified an invalid argument","error":"Model m does not support parameter reasoningEffort."}`, `"max_tokens":9`},
		{"no thinking, as Ollama says it", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingType}}, `"thinking"`, 400, refusal(`"m" does not support thinking`, ""), `"max_tokens":9`},
		{"enable_thinking", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingEnable}}, `"enable_thinking"`, 400, refusal("The model does not support the parameter enable_thinking.", ""), `"max_tokens":9`},
		{"thinking type", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingType}}, `"thinking"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","thinking"],"msg":"Extra inputs are not permitted"}]}`, `"max_tokens":9`},
		{"thinking object", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingObject}}, `"reasoning"`, 400, refusal("Unknown parameter: 'reasoning'.", "reasoning"), `"max_tokens":9`},
		{"thinking in the template", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingTemplate}}, `"chat_template_kwargs"`, 400, refusal("Unrecognized request argument supplied: chat_template_kwargs", ""), `"max_tokens":9`},
		{"an extra", "m", openai.Options{Quirks: openai.Quirks{Extra: map[string]json.RawMessage{"reasoning_format": json.RawMessage(`"parsed"`)}}}, `"reasoning_format"`, 400, refusal("reasoning_format is not supported with this model", ""), `"max_tokens":9`},
		{"short ids", "m", openai.Options{}, `call_a_long_id`, 400, `{"object":"error","message":"Tool call id was call_a_long_id but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_error","code":3280}`, `"tool_call_id":"`},
		{"an answer behind results", "m", openai.Options{}, `"found"},{"role":"user"`, 400, `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}`, `"role":"assistant","content":"I have the results."`},
		{"thoughts missing", "m", openai.Options{}, `"role":"assistant","content":null,"tool_calls"`, 400, refusal("thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", ""), `"reasoning_content":" ","tool_calls"`},
		{"thoughts to be passed back", "m", openai.Options{Quirks: openai.Quirks{ReasoningOut: "reasoning_content"}}, `"role":"assistant","content":null,"tool_calls"`, 400, refusal("The `reasoning_content` in the thinking mode must be passed back to the API.", ""), `"reasoning_content":" ","tool_calls"`},
		{"responses, reasoning", "m", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, `"reasoning":`, 400, refusal("Unsupported parameter: 'reasoning' is not supported with this model.", "reasoning"), `"store":false`},
		{"responses, encrypted content", "o3", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, `"include"`, 400, refusal("Encrypted content is not supported with this model.", "include"), `"store":false`},
		{"responses, summary", "o3", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, `"summary":"auto"`, 400, refusal("Your organization must be verified to generate reasoning summaries.", "reasoning.summary"), `"reasoning":{"effort":"low"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer := "data: " + strings.Replace(hello, "message", "delta", 1) + "\n\ndata: [DONE]\n\n"
			if c.options.Quirks.Protocol == openai.Responses {
				answer = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}]}}\n\n"
			}
			url, all := listen(t, func(a recordedRequest) (int, string) {
				if strings.Contains(a.body, c.refused) {
					return c.status, c.body
				}
				return 200, answer
			})
			var logged []string
			c.options.BaseURL = url
			c.options.Log = func(m string) { logged = append(logged, m) }
			g := newClient(t, c.options)
			req := request(c.model)
			req.Contents = append(req.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "call_a_long_id", Name: "ls"}}),
				llm.User(llm.Part{FunctionResponse: llm.Output("call_a_long_id", "ls", "found")}), llm.User(llm.Text("go on")))
			req.Config = llm.Config{
				SystemInstruction: llm.User(llm.Text("Be brief.")), Temperature: new(0.5), MaxOutputTokens: 9,
				Tools:              []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls", Description: "lists files with their sizes"}}}},
				ToolConfig:         &llm.ToolConfig{Mode: "AUTO"},
				ResponseJSONSchema: []byte(`{"type":"object"}`), Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(9)},
			}
			for range 2 {
				var a llmtest.Answer
				for chunk, err := range g.Stream(t.Context(), req) {
					if err != nil {
						t.Fatal(err)
					}
					a.Add(chunk)
				}
				if a.Text != "hi" {
					t.Errorf("text %q", a.Text)
				}
			}
			if n := len(all()); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
			if last := all()[len(all())-1].body; !strings.Contains(last, c.then) {
				t.Errorf("no %s in %s", c.then, last)
			}
			if len(logged) != 1 || !strings.Contains(logged[0], c.model) {
				t.Errorf("logged %q", logged)
			}
		})
	}
}

// TestOtherProtocol checks that the client switches protocols when a model
// requires the other one, and that a missing model is reported as missing.
func TestOtherProtocol(t *testing.T) {
	t.Parallel()
	const done = `{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]}]}`
	responses := openai.Quirks{Protocol: openai.Responses}
	for _, c := range []struct {
		quirks openai.Quirks
		status int
		body   string
		paths  string // of the two requests
	}{
		{responses, 404, "404 page not found", "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 404, `{"detail":"Not Found"}`, "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`, "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 405, `{"detail":"Method Not Allowed"}`, "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 400, refusal("Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later", ""), "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 400, refusal("The model 'm' is not supported in the v1/responses endpoint.", "model"), "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 404, refusal("The model 'm' does not exist or you do not have access to it.", ""), "/v1/responses /v1/responses"},
		{responses, 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, "/v1/responses /v1/responses"},
		{responses, 401, refusal("You may not use the Responses API: it is not allowed for this key.", ""), "/v1/responses /v1/responses"},
		{responses, 500, refusal("oops", ""), "/v1/responses /v1/responses"},
		{openai.Quirks{}, 404, refusal("This model is only supported in v1/responses and not in v1/chat/completions.", "model"), "/v1/chat/completions /v1/responses /v1/responses"},
		{openai.Quirks{}, 400, refusal("Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead.", "reasoning_effort"), "/v1/chat/completions /v1/responses /v1/responses"},
		{openai.Quirks{}, 404, "404 page not found", "/v1/chat/completions /v1/chat/completions"},
	} {
		first := ""
		url, all := listen(t, func(a recordedRequest) (int, string) {
			if first == "" {
				first = a.path
			}
			switch {
			case a.path == first:
				return c.status, c.body
			case a.path == "/v1/responses":
				return 200, done
			}
			return 200, hello
		})
		var logged []string
		g := newClient(t, openai.Options{BaseURL: url, Quirks: c.quirks, Log: func(m string) { logged = append(logged, m) }})
		var paths []string
		learns := strings.Count(c.paths, " ") == 2
		for range 2 {
			req := request("m")
			req.Contents = append(req.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "ls"}}), llm.User(llm.Part{FunctionResponse: llm.Output("1", "ls", "x")}))
			if r, err := g.Generate(t.Context(), req); (err == nil) != learns || learns && r.Text() != "hi" {
				t.Errorf("%d %s: %+v, %v", c.status, c.body, r, err)
			}
		}
		for _, a := range all() {
			paths = append(paths, a.path)
			if strings.Contains(a.body, `"messages":`) != strings.HasSuffix(a.path, "chat/completions") || strings.Contains(a.body, `"tool_call_id"`) != strings.HasSuffix(a.path, "chat/completions") {
				t.Errorf("%s was sent %s", a.path, a.body)
			}
		}
		if got := strings.Join(paths, " "); got != c.paths || (len(logged) == 1) != learns {
			t.Errorf("%d %s: %s, want %s; logged %q", c.status, c.body, got, c.paths, logged)
		}
	}
}

// TestStreamOnly checks that Generate works with a model that supports only
// streaming.
func TestStreamOnly(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(a recordedRequest) (int, string) {
		if !strings.Contains(a.body, `"stream":true`) {
			return 400, refusal("This model only support stream mode, please enable the stream parameter to access the model. ", "")
		}
		return 200, "data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"reasoning_content\":\"h\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
	})
	g := newClient(t, openai.Options{BaseURL: url, Quirks: openai.Quirks{Thinking: openai.ThinkingEnable}})
	for range 2 {
		r, err := g.Generate(t.Context(), request("qwq"))
		if err != nil || r.Text() != "ab" || r.FinishReason() != llm.FinishStop || r.Usage == nil || r.Usage.Total != 3 || r.ResponseID != "i" || !r.Parts()[0].Thought {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if a := all(); len(a) != 3 || !strings.Contains(a[0].body, `"enable_thinking":false`) || strings.Contains(a[2].body, "enable_thinking") {
		t.Errorf("%+v", a)
	}
}

// TestStrictRoles checks that the client gets by with the roles that a chat
// template knows: without system, and then without tool, which is reported as
// missing tool support.
func TestStrictRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  int
		message string
	}{
		{400, "Conversation roles must alternate user/assistant/user/assistant/..."},
		{500, "After the optional system message, conversation roles must alternate user/assistant/user/assistant/... at row 3, column 4"},
		{500, "Only user and assistant roles are supported!"},
		{400, "Only user, assistant and tool roles are supported, got system."},
	} {
		url, all := listen(t, func(a recordedRequest) (int, string) {
			if strings.Contains(a.body, `"role":"system"`) || strings.Contains(a.body, `"role":"tool"`) {
				return c.status, refusal(c.message, "")
			}
			return 200, hello
		})
		g := newClient(t, openai.Options{BaseURL: url})
		req := request("m")
		req.Config.SystemInstruction = llm.User(llm.Text("Be brief."))
		req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}
		if _, err := g.Generate(t.Context(), req); err != nil || len(all()) != 2 {
			t.Errorf("%s: %d requests, %v", c.message, len(all()), err)
		}
		req.Contents = append(req.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "ls"}}),
			llm.User(llm.Part{FunctionResponse: llm.Output("1", "ls", "found")}))
		_, err := g.Generate(t.Context(), req)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindNoTools || len(all()) != 3 {
			t.Errorf("%s: %d requests, %#v", c.message, len(all()), err)
		}
	}
}

// TestTooManyTools checks that the client never omits some of the tools, and
// that a limit on their number is not mistaken for missing tool support.
func TestTooManyTools(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(recordedRequest) (int, string) {
		return 400, refusal("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.", "tools")
	})
	req := request("m")
	set := &llm.ToolSet{}
	for i := range 129 {
		set.Functions = append(set.Functions, llm.FunctionDeclaration{Name: fmt.Sprint("f", i)})
	}
	req.Config.Tools = []*llm.ToolSet{set}
	_, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), req)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindBadRequest || !strings.Contains(e.Message, "length 129") || !strings.Contains(e.Message, "turn off tools") || len(all()) != 1 {
		t.Errorf("%d requests, %#v", len(all()), err)
	}
}

// TestNoEndlessLessons checks that the client stops retrying if a service
// rejects everything.
func TestNoEndlessLessons(t *testing.T) {
	t.Parallel()
	names := []string{"temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "stop", "max_tokens", "stream_options"}
	url, all := listen(t, func(a recordedRequest) (int, string) {
		for _, n := range names {
			if strings.Contains(a.body, `"`+n+`"`) {
				return 400, refusal("unsupported parameter "+n, n)
			}
		}
		return 400, refusal("bad", "")
	})
	req := request("m")
	req.Config = llm.Config{Temperature: new(0.5), TopP: new(0.5), Seed: new(1), PresencePenalty: new(0.1), FrequencyPenalty: new(0.1), StopSequences: []string{"x"}, MaxOutputTokens: 3}
	if _, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), req); err == nil || len(all()) != 5 {
		t.Errorf("%d requests, %v", len(all()), err)
	}
}

// TestMalformedCall checks that the client asks again if the server could not
// parse the model's call.
func TestMalformedCall(t *testing.T) {
	t.Parallel()
	for times, want := range map[int]int{1: 2, 9: 2} {
		n := 0
		url, all := listen(t, func(recordedRequest) (int, string) {
			if n++; n <= times {
				return 400, `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function"}}`
			}
			return 200, hello
		})
		_, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), request("m"))
		if len(all()) != want || (err != nil) != (times > 1) {
			t.Errorf("%d requests, %v", len(all()), err)
		}
	}
}

// TestOpenedThought checks that the client asks again when a response begins
// inside a thought, that it decodes the next response correctly, and that it
// recovers if this was wrong.
func TestOpenedThought(t *testing.T) {
	t.Parallel()
	text := "I think.</think>yes"
	url, _ := listen(t, func(recordedRequest) (int, string) {
		return 200, fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":\"I \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\n", text[2:])
	})
	g := newClient(t, openai.Options{BaseURL: url})
	ask := func() (a llmtest.Answer, end error) {
		for chunk, err := range g.Stream(t.Context(), request("deepseek-r1")) {
			if end = err; err == nil {
				a.Add(chunk)
			}
		}
		return a, end
	}
	again := func(err error) {
		t.Helper()
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindIncomplete {
			t.Errorf("error %v", err)
		}
	}
	_, err := ask()
	again(err)
	if a, err := ask(); err != nil || a.Text != "yes" || a.Thoughts != "I think." {
		t.Errorf("%+v, %v", a, err)
	}
	text = "I say so."
	_, err = ask()
	again(err)
	if a, err := ask(); err != nil || a.Text != "I say so." {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestImagesRefused checks that a model without vision gets no image a second time, in the words and
// with the status of any server.
func TestImagesRefused(t *testing.T) {
	t.Parallel()
	for message, status := range map[string]int{
		"Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`": 400,
		"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj":                      500,
		"unsupported content[].type":                                            500,
		"this model is missing data required for image input":                   500,
		"No endpoints found that support image input":                           404,
		"This model doesn't support the image content block that you provided.": 400,
	} {
		url, all := listen(t, func(a recordedRequest) (int, string) {
			if strings.Contains(a.body, "image_url") {
				return status, refusal(message, "")
			}
			return 200, hello
		})
		g := newClient(t, openai.Options{BaseURL: url})
		req := request("m")
		req.Contents = []*llm.Content{llm.User(llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}, llm.Text("What is it?"))}
		for range 2 {
			if _, err := g.Generate(t.Context(), req); err != nil {
				t.Errorf("%s: %v", message, err)
			}
		}
		if len(all()) != 3 {
			t.Errorf("%s: %d requests", message, len(all()))
		}
	}
}

// TestDamagedImage checks that the refusal of one damaged image teaches nothing about others.
func TestDamagedImage(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"The image data you provided does not represent a valid image. Please check your input and try again with one of the following image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
		"You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
		"Could not process image: cannot identify image file",
	} {
		url, all := listen(t, func(a recordedRequest) (int, string) { return 400, refusal(message, "") })
		g := newClient(t, openai.Options{BaseURL: url})
		req := request("m")
		req.Contents = []*llm.Content{llm.User(llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\nbad")}})}
		for range 2 {
			if _, err := g.Generate(t.Context(), req); err == nil {
				t.Error("no error")
			}
		}
		for _, r := range all() {
			if !strings.Contains(r.body, "data:image/png") {
				t.Errorf("%s: the image was left out: %s", message, r.body)
			}
		}
		if len(all()) != 2 {
			t.Errorf("%s: %d requests", message, len(all()))
		}
	}
}
