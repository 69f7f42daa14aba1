package scriptmodel_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/openai"
	"pollux/internal/scriptmodel/protocol"
)

// TestStrictOnWires sends requests that each break one rule, and checks the vendor's error body.
func TestStrictOnWires(t *testing.T) {
	t.Parallel()
	chatTurns := func(messages string) string { return `"messages":[` + messages + `]` }
	const (
		user      = `{"role":"user","content":"hi"}`
		calls     = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		tool      = `{"role":"tool","tool_call_id":"c1","content":"x"}`
		item      = `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
		output    = `{"type":"function_call_output","call_id":"c1","output":"x"}`
		use       = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`
		useResult = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x"}]}`
		png       = "data:image/png;base64,AAAA"
	)
	chatUser := func(part string) string { return chatTurns(`{"role":"user","content":[` + part + `]}`) }
	input := func(items string) string { return `"input":[` + items + `]` }
	block := func(blocks string) string { return chatTurns(`{"role":"user","content":[` + blocks + `]}`) }
	function := func(rest string) string { return `"tools":[{"type":"function","function":{` + rest + `}}]` }
	for _, c := range []struct{ wire, name, more, want string }{
		{"openai", "unknown field", `"foo":1`, `"code":"unknown_parameter","message":"Unknown parameter: 'foo'."`},
		{"openai", "unknown field of a message", chatTurns(`{"role":"user","content":"x","id":1}`), `'messages[0].id'`},
		{"openai", "thought", chatTurns(user + `,{"role":"assistant","content":"x","reasoning_content":"y"},` + user), `reasoning_content`},
		{"openai", "no model", `"model":null`, `Invalid type for 'model'`},
		{"openai", "empty", `"messages":[]`, `"code":"empty_array"`},
		{"openai", "role", chatTurns(`{"role":"model","content":"x"}`), `Supported values are: 'assistant', 'developer'`},
		{"openai", "no role", chatTurns(`{"content":"x"}`), `Missing required parameter: 'messages[0].role'`},
		{"openai", "nothing said", chatTurns(`{"role":"user","content":""}`), `says nothing`},
		{"openai", "empty text", chatUser(`{"type":"text","text":""}`), `empty string`},
		{"openai", "content is a number", chatTurns(`{"role":"user","content":1}`), `expected one of a string or an array, but got a number`},
		{"openai", "arguments are an object", chatTurns(user + `,` + strings.Replace(calls, `"{}"`, `{}`, 1) + `,` + tool), `"code":"invalid_type"`},
		{"openai", "arguments are broken", chatTurns(user + `,` + strings.Replace(calls, `"{}"`, `"{"`, 1) + `,` + tool), `expected a string that holds a JSON object`},
		{"openai", "no id", chatTurns(user + `,` + strings.Replace(calls, `"c1"`, `""`, 1) + `,` + tool), `tool_calls[0].id`},
		{"openai", "long id", chatTurns(user + `,` + strings.ReplaceAll(calls+`,`+tool, `c1`, strings.Repeat("c", 41))), `with 1 to 40 characters`},
		{"openai", "no result", chatTurns(user + `,` + calls + `,` + user), `did not have response messages: c1`},
		{"openai", "ends with calls", chatTurns(user + `,` + calls), `"param":"messages.[1].role"`},
		{"openai", "two results", chatTurns(user + `,` + calls + `,` + tool + `,` + tool), `answered twice`},
		{"openai", "result of nothing", chatTurns(user + `,` + tool), `preceeding message with 'tool_calls'`},
		{"openai", "result late", chatTurns(user + `,` + calls + `,` + user + `,` + tool), `preceeding message`},
		{"openai", "another result", chatTurns(user + `,` + calls + `,` + strings.Replace(tool, "c1", "c2", 1)), `'tool_call_id' of 'c2' not found`},
		{"openai", "same id twice", chatTurns(user + `,` + strings.Replace(calls, `[{`, `[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{`, 1) + `,` + tool), `Duplicate value`},
		{"openai", "two users", chatTurns(user + `,` + user), `must alternate`},
		{"openai", "assistant first", chatTurns(`{"role":"assistant","content":"x"},` + user), `must begin with`},
		{"openai", "assistant last", chatTurns(user + `,{"role":"assistant","content":"x"}`), `must end with`},
		{"openai", "assistant says nothing", chatTurns(user + `,{"role":"assistant","content":null},` + user), `expected a string, got null`},
		{"openai", "system late", chatTurns(user + `,{"role":"system","content":"x"}`), `before all others`},
		{"openai", "temperature", `"temperature":3`, `"code":"decimal_above_max_value"`},
		{"openai", "thinking model", `"model":"gpt-5","temperature":0.2`, `"code":"unsupported_value"`},
		{"openai", "max_tokens", `"model":"o3","max_tokens":9`, `Use 'max_completion_tokens' instead`},
		{"openai", "both limits", `"max_completion_tokens":9,"max_tokens":9`, `at the same time`},
		{"openai", "stream_options", `"stream":false`, `only allowed when 'stream' is enabled`},
		{"openai", "tool name", function(`"name":"a b"`), `'^[a-zA-Z0-9_-]+$'`},
		{"openai", "tool twice", `"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]`, `unique: a`},
		{"openai", "no tools", `"tools":[]`, `"code":"empty_array"`},
		{"openai", "schema", function(`"name":"a","parameters":{"type":"STRING"}`), `"code":"invalid_function_parameters"`},
		{"openai", "strict schema", function(`"name":"a","strict":true,"parameters":{"type":"object","properties":{}}`), `additionalProperties`},
		{"openai", "many tools", `"tools":[` + strings.TrimSuffix(strings.Repeat(`{"type":"function","function":{"name":"a"}},`, 129), ",") + `]`, `maximum length 128`},
		{"openai", "result between users", chatTurns(user + `,` + calls + `,{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + png + `"}}]},` + tool), `preceeding message`},
		{"openai", "effort without thoughts", `"model":"gpt-4.1","reasoning_effort":"low"`, `Unrecognized request argument supplied: reasoning_effort`},
		{"openai", "effort of other models", `"model":"o3","reasoning_effort":"minimal"`, `Supported values are: 'low', 'medium', 'high'`},
		{"openai", "no effort", `"model":"gpt-5-mini","reasoning_effort":"none"`, `Supported values are: 'minimal'`},
		{"openai", "least effort", `"model":"gpt-5.2","reasoning_effort":"minimal"`, `Supported values are: 'none'`},
		{"openai", "stops", `"stop":["a","b","c","d","e"]`, `Invalid 'stop': array too long`},
		{"openai", "choice of an unknown tool", function(`"name":"a"`) + `,"tool_choice":{"type":"function","function":{"name":"b"}}`, `Tool choice 'b' not found`},
		{"openai", "json without a word about it", `"response_format":{"type":"json_object"}`, `must contain the word 'json'`},
		{"openai", "strict format", `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}`, `Invalid schema for response_format 'a'`},
		{"openai", "image", chatUser(`{"type":"image_url","image_url":{"url":"data:image/tiff;base64,AAAA"}}`), `Invalid MIME type`},
		{"openai", "image data", chatUser(`{"type":"image_url","image_url":{"url":"data:image/png;base64,%"}}`), `invalid_base64`},
		{"openai", "no URL", chatUser(`{"type":"image_url","image_url":{"url":"a.png"}}`), `Expected a valid URL`},
		{"openai", "image in a result", chatTurns(user + `,` + calls + `,{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url","image_url":{"url":"` + png + `"}}]}`), `Supported values are: 'text'`},

		{"responses", "unknown field", `"messages":[]`, `Unknown parameter: 'messages'`},
		{"responses", "temperature", `"temperature":1`, `'temperature' is not supported with this model`},
		{"responses", "few tokens", `"max_output_tokens":9`, `decimal_below_min_value`},
		{"responses", "part of the wrong side", input(`{"role":"user","content":[{"type":"output_text","text":"x"}]}`), `Supported values are: 'input_text'`},
		{"responses", "and of the other", input(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"input_text","text":"x"}]},{"role":"user","content":"x"}`), `Supported values are: 'output_text'`},
		{"responses", "no output", input(user + `,` + item), `No tool output found for function call c1.`},
		{"responses", "no call", input(user + `,` + output), `No tool call found for function call output with call_id c1.`},
		{"responses", "no call_id", input(user + `,` + item + `,{"type":"function_call_output","output":"x"}`), `Missing required parameter: 'input[2].call_id'`},
		{"responses", "item id", input(user + `,` + strings.Replace(item, `{`, `{"id":"c1",`, 1) + `,` + output), `begins with 'fc'`},
		{"responses", "message id", input(strings.Replace(user, `{`, `{"id":"1",`, 1)), `begins with 'msg'`},
		{"responses", "reasoning without content", input(user + `,{"type":"reasoning","id":"rs_1","summary":[]},` + item + `,` + output), `"code":"item_not_found"`},
		{"responses", "reasoning of another vendor", input(user + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"abc"},` + item + `,` + output), `"code":"invalid_encrypted_content"`},
		{"responses", "reasoning alone", input(user + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + protocol.Sign("x") + `"}`), `without its required following item`},
		{"responses", "schema not strict", `"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}]`, `additionalProperties`},
		{"responses", "function as in the other protocol", function(`"name":"f"`), `Unknown parameter: 'tools[0].function'`},
		{"responses", "items twice", input(user + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + protocol.Sign("x") + `"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + protocol.Sign("x") + `"},` + item + `,` + output), `Duplicate item found with id rs_1`},
		{"responses", "encrypted thoughts of a model that has none", `"model":"gpt-4.1","reasoning":null`, `Encrypted content is not supported with this model.`},
		{"responses", "effort", `"model":"gpt-5.2","reasoning":{"effort":"minimal"}`, `Supported values are: 'none'`},
		{"responses", "json without a word about it", `"text":{"format":{"type":"json_object"}}`, `Response input messages must contain the word 'json'`},
		{"responses", "choice of an unknown tool", `"tool_choice":{"type":"function","name":"b"}`, `Tool choice 'b' not found`},
		{"responses", "assistant last", input(user + `,{"role":"assistant","content":"x"}`), `must end with`},

		{"anthropic", "no max_tokens", `"max_tokens":null`, `max_tokens: Input should be a valid integer`},
		{"anthropic", "unknown field", `"seed":1`, `"message":"seed: Extra inputs are not permitted","type":"invalid_request_error"`},
		{"anthropic", "no messages", chatTurns(""), `at least one message is required`},
		{"anthropic", "role", chatTurns(`{"role":"system","content":"x"}`), `messages.0.role: Input should be 'user', 'assistant'`},
		{"anthropic", "two users", chatTurns(user + `,` + user), `roles must alternate`},
		{"anthropic", "assistant first", chatTurns(`{"role":"assistant","content":"x"}`), `first message must use`},
		{"anthropic", "empty", chatTurns(`{"role":"user","content":""}`), `must have non-empty content`},
		{"anthropic", "empty block", block(`{"type":"text","text":""}`), `text content blocks must be non-empty`},
		{"anthropic", "blank block", block(`{"type":"text","text":" \n"}`), `must contain non-whitespace text`},
		{"anthropic", "no blocks", block(``), `must have non-empty content`},
		{"anthropic", "system", `"system":[{"type":"text","text":""}]`, `system.0: text content blocks must be non-empty`},
		{"anthropic", "prefill", chatTurns(user + `,{"role":"assistant","content":"x"}`), `does not support assistant message prefill`},
		{"anthropic", "whitespace at the end", `"model":"claude-sonnet-4-20250514",` + chatTurns(user+`,{"role":"assistant","content":"x "}`), `cannot end with trailing whitespace`},
		{"anthropic", "no result", chatTurns(user + `,` + use + `,` + user), `ids were found without`},
		{"anthropic", "ends with calls", chatTurns(user + `,` + use), `ids were found without`},
		{"anthropic", "result after text", chatTurns(user + `,` + use + `,` + strings.Replace(useResult, `[`, `[{"type":"text","text":"x"},`, 1)), `blocks immediately after: c1`},
		{"anthropic", "result of nothing", chatTurns(useResult), "unexpected `tool_use_id` found"},
		{"anthropic", "two results", chatTurns(user + `,` + use + `,` + strings.Replace(useResult, `[`, `[{"type":"tool_result","tool_use_id":"c1"},`, 1)), `must have a single result`},
		{"anthropic", "same id twice", chatTurns(user + `,` + strings.Replace(use, `[`, `[{"type":"tool_use","id":"c1","name":"f","input":{}},`, 1) + `,` + useResult), `ids must be unique`},
		{"anthropic", "id", chatTurns(user + `,` + strings.ReplaceAll(use+`,`+useResult, "c1", "c.1")), `tool_use.id: String should match pattern`},
		{"anthropic", "input is text", chatTurns(user + `,` + strings.Replace(use, `{}`, `"{}"`, 1) + `,` + useResult), `input: Input should be a valid dictionary`},
		{"anthropic", "user's call", block(`{"type":"tool_use","id":"c1","name":"f","input":{}}`), "not allowed in `user` messages"},
		{"anthropic", "forged thought", chatTurns(user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"},{"type":"text","text":"x"}]},` + user), "Invalid `signature` in `thinking` block"},
		{"anthropic", "changed thought", chatTurns(user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"` + protocol.Sign("z") + `"},{"type":"text","text":"x"}]},` + user), "Invalid `signature` in `thinking` block"},
		{"anthropic", "thought last", chatTurns(user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"` + protocol.Sign("x") + `"}]},` + user), "cannot be `thinking`"},
		{"anthropic", "no thought", `"thinking":{"type":"enabled","budget_tokens":1024},` + chatTurns(user+`,`+use+`,`+useResult), "Expected `thinking` or `redacted_thinking`, but found `tool_use`"},
		{"anthropic", "thought late", `"thinking":{"type":"enabled","budget_tokens":1024},` + chatTurns(user+`,`+strings.Replace(use, `[`, `[{"type":"text","text":"y"},{"type":"thinking","thinking":"x","signature":"`+protocol.Sign("x")+`"},`, 1)+`,`+useResult), "Expected `thinking` or `redacted_thinking`, but found `text`"},
		{"anthropic", "same id later", chatTurns(user + `,` + use + `,` + useResult + `,` + use + `,` + useResult), `ids must be unique`},
		{"anthropic", "large request", `"system":"` + strings.Repeat("x", 32<<20) + `"`, `"type":"request_too_large"`},
		{"anthropic", "small budget", `"thinking":{"type":"enabled","budget_tokens":9}`, `greater than or equal to 1024`},
		{"anthropic", "large budget", `"thinking":{"type":"enabled","budget_tokens":4096}`, "`max_tokens` must be greater than"},
		{"anthropic", "temperature with thinking", `"temperature":0.5,"thinking":{"type":"adaptive"}`, "`temperature` may only be set to 1"},
		{"anthropic", "top_k with thinking", `"top_k":5,"thinking":{"type":"adaptive"}`, "`top_k` must be unset"},
		{"anthropic", "top_p with thinking", `"top_p":0.5,"thinking":{"type":"adaptive"}`, "`top_p` must be greater"},
		{"anthropic", "forced tool with thinking", `"tool_choice":{"type":"any"},"thinking":{"type":"adaptive"}`, `forces tool use`},
		{"anthropic", "newest models", `"model":"claude-opus-5","thinking":{"type":"enabled","budget_tokens":1024}`, `thinking.type.adaptive`},
		{"anthropic", "older models", `"model":"claude-haiku-4-5-20251001","thinking":{"type":"adaptive"}`, `adaptive thinking is not supported`},
		{"anthropic", "both samplings", `"temperature":1,"top_p":0.9`, `cannot both be specified`},
		{"anthropic", "temperature", `"temperature":1.5`, `less than or equal to 1`},
		{"anthropic", "marks", block(strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 5), ",")), `Found 5.`},
		{"anthropic", "tool name", `"tools":[{"name":"a b","input_schema":{"type":"object"}}]`, `tools.0.custom.name: String should match pattern`},
		{"anthropic", "tool twice", `"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}]`, `must be unique`},
		{"anthropic", "schema", `"tools":[{"name":"a","input_schema":{}}]`, `input_schema.type: Field required`},
		{"anthropic", "choice of an unknown tool", `"tool_choice":{"type":"tool","name":"x"}`, `not found in provided tools`},
		{"anthropic", "image type", block(`{"type":"image","source":{"type":"base64","media_type":"image/tiff","data":"AAAA"}}`), `messages.0.content.0.source.media_type: Input should be 'image/jpeg'`},
		{"anthropic", "image data", block(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%"}}`), `valid base64`},
	} {
		t.Run(c.wire+" "+c.name, func(t *testing.T) {
			t.Parallel()
			d := dialects[slices.IndexFunc(dialects, func(d dialect) bool { return d.wire == c.wire })]
			s := serve(t, "turn\n text x", scriptmodel.Options{})
			resp, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, c.more))
			if err != nil || resp.StatusCode/100 != 4 {
				t.Fatalf("%v %s", err, body)
			}
			message := fmt.Sprint(body, get(parsed(body), "error", "message"))
			if !strings.Contains(message, c.want) || get(parsed(body), "error", "type") == nil {
				t.Errorf("want %s in %s", c.want, body)
			}
			if s.Check() == nil {
				t.Error("Check has nothing to say")
			}
		})
	}
}

// TestLetIn checks that requests which the vendors accept are accepted, also by the vendor's schema.
func TestLetIn(t *testing.T) {
	t.Parallel()
	const image = "data:image/png;base64,AAAA"
	for _, c := range []struct{ wire, more string }{
		{"openai", `"messages":[{"role":"developer","content":"s"},{"role":"user","content":[{"type":"text","text":"x"},
			{"type":"image_url","image_url":{"url":"` + image + `"}},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}},
			{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]},
			{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + image + `"}}]}]`},
		{"openai", `"model":"gpt-5","max_completion_tokens":99,"reasoning_effort":"low","tool_choice":{"type":"function","function":{"name":"f"}},
			"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":false,"schema":{"type":"object"}}},"stop":null,"seed":1`},
		{"responses", `"input":[{"role":"developer","content":"s"},{"type":"message","role":"user","content":[{"type":"input_text","text":"x"},
			{"type":"input_image","detail":"auto","image_url":"` + image + `"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}]},
			{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + protocol.Sign("elsewhere") + `"},
			{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"y","annotations":[]}]},
			{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"z"}]}],
			"reasoning":{"effort":"high","summary":"auto"},"text":{"format":{"type":"json_schema","name":"a","schema":{"type":"object"}},"verbosity":"low"}`},
		{"responses", `"input":"just text"`},
		{"anthropic", `"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
			{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}]},
			{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"` + protocol.Sign("x") + `"},{"type":"text","text":"y"},{"type":"tool_use","id":"c1","name":"f","input":{"cache_control":{}}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"z"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
			{"type":"text","text":"and?","cache_control":{"type":"ephemeral","ttl":"1h"}}]}],
			"thinking":{"type":"adaptive"},"output_config":{"effort":"max"},"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"metadata":{"user_id":"u"}`},
		{"anthropic", `"model":"claude-haiku-4-5-20251001","thinking":{"type":"enabled","budget_tokens":1024},"temperature":1`},
	} {
		d := dialects[slices.IndexFunc(dialects, func(d dialect) bool { return d.wire == c.wire })]
		s := serve(t, "turn\n text x", scriptmodel.Options{Validate: openAIJudge(t)})
		if resp, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, c.more)); err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: %v %s", c.more, err, body)
		}
	}
}

// TestThoughtsComeBack checks that the thoughts before a call must come back unchanged.
func TestThoughtsComeBack(t *testing.T) {
	t.Parallel()
	const script = "turn\n think hm\n call f {}\nturn\n call sig=c2ln f {}\nturn\n times always\n text x"
	user, thinking := `{"role":"user","content":"hi"}`, `"thinking":{"type":"adaptive"}`
	claude := dialects[2]
	s := serve(t, script, scriptmodel.Options{})
	for _, want := range []string{protocol.Sign("hm"), "c2ln"} {
		_, body, _ := claude.send(t, s, claude.body(true, []turn{{user: "hi"}}, thinking))
		if !strings.Contains(body, `{"signature":"`+want+`","type":"signature_delta"}`) {
			t.Fatal(body)
		}
	}
	history := func(block, id string) string {
		return claude.body(true, nil, thinking+`,"messages":[`+user+`,{"role":"assistant","content":[`+block+`{"type":"tool_use","id":"`+id+`","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+id+`"}]}]`)
	}
	for _, c := range []struct {
		block, id string
		status    int
	}{
		{`{"type":"thinking","thinking":"hm","signature":"` + protocol.Sign("hm") + `"},`, "f_1", 200},
		{``, "f_1", 400},
		{`{"type":"thinking","thinking":"ah","signature":"` + protocol.Sign("ah") + `"},`, "f_1", 400},
		{`{"type":"thinking","thinking":"","signature":"c2ln"},`, "f_2", 200},
		{`{"type":"thinking","thinking":"x","signature":"c2ln"},`, "f_2", 400},
	} {
		if resp, body, err := claude.send(t, s, history(c.block, c.id)); err != nil || resp.StatusCode != c.status {
			t.Errorf("%s %s: %v %s", c.block, c.id, err, body)
		}
	}
	gpt := dialects[1]
	s = serve(t, script, scriptmodel.Options{})
	for _, want := range []string{protocol.Sign("hm"), "c2ln"} {
		_, body, _ := gpt.send(t, s, gpt.body(true, []turn{{user: "hi"}}, ""))
		if !strings.Contains(body, `"encrypted_content":"`+want+`"`) {
			t.Fatal(body)
		}
	}
	for item, status := range map[string]int{
		``: 400,
		`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + protocol.Sign("hm") + `"},`: 200,
	} {
		body := gpt.body(true, nil, `"input":[`+user+`,`+item+`{"type":"function_call","call_id":"f_1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"f_1","output":""}]`)
		if resp, answer, err := gpt.send(t, s, body); err != nil || resp.StatusCode != status {
			t.Errorf("%s: %v %s", item, err, answer)
		}
	}
}

// TestNoThoughtsUnasked checks that no thoughts are sent if the request does not ask for them.
func TestNoThoughtsUnasked(t *testing.T) {
	t.Parallel()
	s := serve(t, "turn\n times always\n think hm\n call sig=c2ln f {}", scriptmodel.Options{})
	d := dialects[2]
	_, body, _ := d.send(t, s, d.body(true, []turn{{user: "hi"}}, ""))
	if got := d.said(t, body, true); got.thought != "" || strings.Contains(body, "thinking") || len(got.calls) != 1 {
		t.Error(body)
	}
	d = dialects[1]
	_, body, _ = d.send(t, s, d.body(true, []turn{{user: "hi"}}, `"include":[],"reasoning":{}`))
	if got := d.said(t, body, true); got.thought != "" || strings.Contains(body, "encrypted") || len(got.calls) != 1 {
		t.Error(body)
	}
}

// TestLetInOnWires checks the vendor's errors for a missing key, a wrong key and a long request.
func TestLetInOnWires(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		anonymous := d
		anonymous.header = map[string]string{"anthropic-version": d.header["anthropic-version"]}
		if anonymous.header["anthropic-version"] == "" {
			anonymous.header = nil
		}
		for _, c := range []struct {
			d      dialect
			script string
			status int
			want   map[string]string
		}{
			{anonymous, "", 401, map[string]string{"anthropic": "x-api-key header is required", "": "You didn't provide an API key"}},
			{anonymous, "key none\n", 200, map[string]string{"": "x"}},
			{d, "key right\n", 401, map[string]string{"anthropic": `"type":"authentication_error"`, "": `"code":"invalid_api_key"`}},
			{d, "context 1\n", 400, map[string]string{"anthropic": "prompt is too long: ", "": `"code":"context_length_exceeded"`}},
		} {
			s := serve(t, c.script+"turn\n text x", scriptmodel.Options{})
			resp, body, err := c.d.send(t, s, d.body(true, []turn{{user: "hello there"}}, ""))
			want, ok := c.want[d.wire]
			if !ok {
				want = c.want[""]
			}
			if err != nil || resp.StatusCode != c.status || !strings.Contains(body, want) {
				t.Errorf("%s %q: %v %s", d.wire, c.script, err, body)
			}
		}
	}
	versionless := dialects[2]
	versionless.header = map[string]string{"x-api-key": "k"}
	s := serve(t, "turn\n text x", scriptmodel.Options{})
	if resp, body, err := versionless.send(t, s, anthropicBody(true, []turn{{user: "hi"}}, "")); err != nil || resp.StatusCode != 400 || !strings.Contains(body, "anthropic-version: header is required") {
		t.Errorf("%v %s", err, body)
	}
}

// TestAside checks the requests that use no turn.
func TestAside(t *testing.T) {
	t.Parallel()
	s := serve(t, "models big small\nturn\n text x", scriptmodel.Options{})
	for _, c := range []struct{ method, path, header, body, want string }{
		{"GET", "/v1/models", "Authorization: Bearer k", "", `{"data":[{"created":1700000000,"id":"big","object":"model","owned_by":"scripted"},`},
		{"GET", "/v1/models/a/b", "Authorization: Bearer k", "", `{"created":1700000000,"id":"a/b",`},
		{"GET", "/v1/models", "x-api-key: k", "", `"first_id":"big","has_more":false,"last_id":"small"`},
		{"GET", "/v1beta/models", "x-goog-api-key: k", "", `"name":"models/small"`},
		{"POST", "/v1/embeddings", "Authorization: Bearer k", `{"model":"e","input":["a","b"]}`, `"index":1,"object":"embedding"`},
		{"POST", "/v1/embeddings", "Authorization: Bearer k", `{"model":"e","input":"a","encoding_format":"base64"}`, `"embedding":"`},
		{"POST", "/v1/messages/count_tokens", "x-api-key: k", `{"model":"m","messages":[{"role":"user","content":"more than a few"}]}`, `{"input_tokens":4}`},
	} {
		req, _ := http.NewRequestWithContext(t.Context(), c.method, s.URL()+c.path, strings.NewReader(c.body))
		name, value, _ := strings.Cut(c.header, ": ")
		req.Header.Set(name, value)
		if name == "x-api-key" {
			req.Header.Set("anthropic-version", "2023-06-01")
		}
		req.Header.Set("Content-Type", "application/json")
		status, body := do(t, req)
		if status != 200 || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.path, status, body)
		}
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "0 of 1") || strings.Contains(err.Error(), "request") {
		t.Errorf("Check: %v", err)
	}
	for path, body := range map[string]string{
		"/openai/v1/chat/completions":                                                               chatBody(true, []turn{{user: "hi"}}, ""),
		"/openai/deployments/big/chat/completions?api-version=2025":                                 chatBody(true, []turn{{user: "hi"}}, ""),
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-6:streamRawPredict": with(without(anthropicBody(true, []turn{{user: "hi"}}, ""), "model"), `"anthropic_version":"vertex-2023-10-16"`),
	} {
		s := serve(t, "turn\n text x", scriptmodel.Options{})
		req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL()+path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer k")
		req.Header.Set("Content-Type", "application/json")
		if status, answer := do(t, req); status != 200 {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

func without(body, name string) map[string]any {
	v := parsed(body)
	delete(v, name)
	return v
}

// TestAnswersFitSchema checks responses of OpenAI's protocols against the vendor's schema.
func TestAnswersFitSchema(t *testing.T) {
	t.Parallel()
	fits := openAIJudge(t)
	if fits == nil {
		t.Skip("NOT CHECKED: the vendor's schema is not beside the checkout")
	}
	script := "turn\ntimes always\nthink hm\ntext a\ntext b\ncall sig=c2ln f {\"a\": 1}\ninterleave\ncall f {}\nfinish "
	kinds := map[string][2]string{
		"openai":    {"CreateChatCompletionStreamResponse", "CreateChatCompletionResponse"},
		"responses": {"ResponseStreamEvent", "Response"},
	}
	for _, d := range dialects[:2] {
		for _, finish := range []string{"STOP", "MAX_TOKENS", "SAFETY"} {
			s := serve(t, script+finish, scriptmodel.Options{Validate: fits})
			_, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, ""))
			if err != nil {
				t.Fatal(err)
			}
			_, data := events(t, body)
			for _, v := range data {
				if v == "[DONE]" {
					continue
				}
				// The service sends null before it has counts, which its schema does not allow.
				v = strings.Replace(v, `"truncation":"disabled","usage":null`, `"truncation":"disabled"`, 1)
				if err := fits(kinds[d.wire][0], []byte(v)); err != nil {
					t.Errorf("%s: %s", v, protocol.Shorten(err.Error()))
				}
			}
			if _, body, err = d.send(t, s, d.body(false, []turn{{user: "hi"}}, "")); err != nil {
				t.Fatal(err)
			}
			if err := fits(kinds[d.wire][1], []byte(body)); err != nil {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
	if err := fits("ErrorResponse", openai.Chat{}.EncodeError(protocol.BadParameter("x", "y", "z"))); err != nil {
		t.Error(err)
	}
	if _, err := scriptmodel.Schema(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a schema that is not there")
	}
}
