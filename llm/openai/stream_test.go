package openai

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/llmtest"
)

// streamResult is the decoded result of a stream.
type streamResult struct {
	llmtest.Answer
	signatures []string // thought signatures
	err        error
}

func listen(tr *traits, body io.Reader, req *llm.Request) streamResult {
	var h streamResult
	res := &httpwire.Response{Host: "host", Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
	for chunk, err := range newAssembler(tr, req).chunks(res) {
		if h.err = err; err != nil {
			break
		}
		h.Add(chunk)
		for _, p := range chunk.Parts() {
			if p.Thought && p.ThoughtSignature != "" {
				h.signatures = append(h.signatures, p.ThoughtSignature)
			}
		}
	}
	return h
}

// chunkFrames returns the frames of chunks with one choice each.
func chunkFrames(choices ...string) string {
	var b strings.Builder
	for _, c := range choices {
		switch {
		case strings.HasPrefix(c, "["), strings.HasPrefix(c, ":"), strings.HasPrefix(c, `{"`):
			if c[0] != ':' {
				b.WriteString("data: ")
			}
			b.WriteString(c + "\n\n")
		default:
			b.WriteString(`data: {"id":"i","model":"m","choices":[{"index":0,` + c + "}]}\n\n")
		}
	}
	return b.String()
}

// args returns the delta of a call.
func args(members, arguments string) string {
	return `"delta":{"tool_calls":[{` + members + `"function":{` + arguments + `}}]}`
}

func (h streamResult) calls() string {
	var all []string
	for _, c := range h.Calls {
		id := c.ID
		if madeUp.MatchString(id) {
			id = "?"
		}
		if c.Problem != "" {
			all = append(all, id+" "+c.Name+" cut off")
			continue
		}
		all = append(all, id+" "+c.Name+string(c.Args))
	}
	return strings.Join(all, "; ")
}

var madeUp = regexp.MustCompile(`^call_[0-9a-z]{5,}$`)

func TestChatStreams(t *testing.T) {
	t.Parallel()
	const stop, used, done = `"delta":{},"finish_reason":"stop"`, `"delta":{},"finish_reason":"tool_calls"`, "[DONE]"
	for _, c := range []struct {
		name, stream          string
		text, thoughts, calls string
		finish                llm.FinishReason
		kind                  llm.ErrorKind // of the error, if code or message is set
		message               string
	}{
		{name: "text", stream: chunkFrames(`"delta":{"role":"assistant","content":""}`, `"delta":{"content":"a"}`, `"delta":{"content":"b"}`, stop, done), text: "ab", finish: "STOP"},
		{name: "null delta", stream: chunkFrames(`"delta":null`, `"delta":{"content":null,"tool_calls":null}`, `"delta":{"content":"a"}`, stop, done), text: "a", finish: "STOP"},
		{name: "keep-alive", stream: chunkFrames(": OPENROUTER PROCESSING", ": x", `"delta":{"content":"a"}`, ": x", stop, done), text: "a", finish: "STOP"},
		{name: "keep-alive only", stream: chunkFrames(": x", ": x"), kind: llm.KindNetwork, message: "without a response"},
		{name: "nothing", stream: "", kind: llm.KindNetwork, message: "without a response"},
		{name: "done and nothing", stream: chunkFrames(done), finish: "STOP"},
		{name: "a web page later", stream: chunkFrames(`"delta":{"content":"a"}`) + "<html>\n502", text: "a", kind: llm.KindServer, message: "HTML page"},
		{name: "JSON later", stream: chunkFrames(`"delta":{"content":"a"}`) + "{}", text: "a", finish: ""},
		{name: "no finish, done", stream: chunkFrames(`"delta":{"content":"a"}`, done), text: "a", finish: "STOP"},
		{name: "no finish, no done", stream: chunkFrames(`"delta":{"content":"a"}`), text: "a", finish: ""},
		{name: "no done", stream: chunkFrames(`"delta":{"content":"a"}`, stop), text: "a", finish: "STOP"},
		{name: "length", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"length"`, done), text: "a", finish: "MAX_TOKENS"},
		{name: "length, as Google says it", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"MAX_TOKENS"`, done), text: "a", finish: "MAX_TOKENS"},
		{name: "filter, as Google says it", stream: chunkFrames(`"delta":{},"finish_reason":"SAFETY"`, done), finish: "SAFETY"},
		{name: "filter", stream: chunkFrames(`"delta":{},"finish_reason":"content_filter"`, done), finish: "SAFETY"},
		{name: "odd reason", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"whatever"`, done), text: "a", finish: "FINISH_REASON_UNSPECIFIED"},
		{name: "a refusal cut off", stream: chunkFrames(`"delta":{"refusal":"I will"}`), text: "I will", finish: ""},
		{name: "refusal", stream: chunkFrames(`"delta":{"refusal":"I will not."}`, stop, done), text: "I will not.", finish: "SAFETY"},
		{name: "finish error", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"error"`, done), text: "a", kind: llm.KindServer, message: "with an error"},
		{name: "an error with the reason", stream: chunkFrames(`"delta":{"content":"a"}`, `{"error":{"code":429,"message":"slow","metadata":{"headers":{"X-RateLimit-Reset":"3"}}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), text: "a", kind: llm.KindRateLimit, message: "slow"},
		{name: "an error in the choice", stream: chunkFrames(`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"error","error":{"code":400,"message":"Provider returned error","metadata":{"raw":"prompt is too long"}}`), text: "a", kind: llm.KindContextWindow, message: "prompt is too long"},
		{name: "no resources, as DeepSeek says it", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"insufficient_system_resource"`, done), text: "a", kind: llm.KindServer, message: "with an error"},
		{name: "a failure, as Zhipu says it", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"network_error"`, done), text: "a", kind: llm.KindServer, message: "with an error"},
		{name: "aborted", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"abort"`, done), text: "a", kind: llm.KindServer, message: "with an error"},
		{name: "the window is full", stream: chunkFrames(`"delta":{"content":"a"},"finish_reason":"model_context_window_exceeded"`, done), text: "a", finish: "MAX_TOKENS"},
		{name: "an error without a name", stream: chunkFrames(`{"code":"DataInspectionFailed","message":"Input may contain inappropriate content.","request_id":"r"}`), kind: llm.KindServer, message: "inappropriate"},
		{name: "an error field, as llama.cpp sent it", stream: "error: {\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":\"invalid_request_error\"}\n\n", kind: llm.KindContextWindow, message: "context size"},
		{name: "a fumbled call", stream: chunkFrames(`{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed"}}`), kind: llm.KindIncomplete, message: "Failed to call"},
		{name: "other choices", stream: chunkFrames(`"delta":{"content":"a"}`, `{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}`, stop, done), text: "a", finish: "STOP"},
		{name: "a megabyte", stream: chunkFrames(`"delta":{"content":"`+strings.Repeat("x", 1<<20)+`"}`, stop, done), text: strings.Repeat("x", 1<<20), finish: "STOP"},
		{name: "JSON that is no stream", stream: `{"choices":[{"message":{"content":"<think>h</think>a"},"finish_reason":"stop"}]}`, text: "a", thoughts: "h", finish: "STOP"},
		{name: "a web page", stream: "<!doctype html>", kind: llm.KindServer, message: "HTML page"},
		{name: "malformed", stream: chunkFrames(`"delta":{"content":"a"}`, `{"choices":[}`), text: "a", kind: llm.KindServer, message: "malformed"},
		{name: "cut frame", stream: chunkFrames(`"delta":{"content":"a"}`) + `data: {"choi`, text: "a", kind: llm.KindIncomplete, message: "Incomplete JSON segment"},
		{name: "framed error", stream: chunkFrames(`"delta":{"content":"a"}`, `{"error":{"message":"overloaded","code":502}}`), text: "a", kind: llm.KindServer, message: "overloaded"},
		{name: "framed limit", stream: chunkFrames(`{"error":{"message":"slow","type":"rate_limit_exceeded"}}`), kind: llm.KindRateLimit, message: "slow"},
		{name: "framed, bare", stream: chunkFrames(`{"error":"oops"}`), kind: llm.KindServer, message: "oops"},

		{name: "thoughts", stream: chunkFrames(`"delta":{"reasoning_content":"h","content":null}`, `"delta":{"content":"a"}`, stop, done), text: "a", thoughts: "h", finish: "STOP"},
		{name: "thoughts twice", stream: chunkFrames(`"delta":{"content":"a","reasoning":"h","reasoning_content":"h"}`, stop, done), text: "a", thoughts: "h", finish: "STOP"},
		{name: "thoughts in a list", stream: chunkFrames(`"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]},{"type":"text","text":"a"}]}`, stop, done), text: "a", thoughts: "h", finish: "STOP"},
		{name: "thoughts in tags", stream: chunkFrames(`"delta":{"content":"<thi"}`, `"delta":{"content":"nk>h</thi"}`, `"delta":{"content":"nk>a"}`, stop, done), text: "a", thoughts: "h", finish: "STOP"},
		{name: "thoughts of gpt-oss", stream: chunkFrames(`"delta":{"content":"<|channel|>ana"}`, `"delta":{"content":"lysis<|message|>h<|end|><|start|>assistant<|chan"}`, `"delta":{"content":"nel|>final<|message|>a<|ret"}`, `"delta":{"content":"urn|>"}`, stop, done), text: "a", thoughts: "h", finish: "STOP"},

		{name: "a call", stream: chunkFrames(args(`"index":0,"id":"c","type":"function",`, `"name":"f","arguments":""`), args(`"index":0,`, `"arguments":"{\"a\":"`), args(`"index":0,`, `"arguments":"1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "a call and stop", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), stop), calls: `c f{}`, finish: "STOP"},
		{name: "a call and no reason", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`)), calls: `c f{}`, finish: ""},
		{name: "a call, done", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":""`), done), calls: `c f{}`, finish: "STOP"},
		{name: "dropped before the arguments", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":""`)), kind: llm.KindIncomplete, message: "tool call"},
		{name: "two calls", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), args(`"index":1,"id":"d",`, `"name":"g","arguments":"{}"`), used, done), calls: `c f{}; d g{}`, finish: "STOP"},
		{
			name:   "two calls mixed",
			stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f"`), args(`"index":1,"id":"d",`, `"name":"g"`), args(`"index":0,`, `"arguments":"{\"a\""`), args(`"index":1,`, `"arguments":"{\"b\""`), args(`"index":0,`, `"arguments":":1}"`), args(`"index":1,`, `"arguments":":2}"`), used, done),
			calls:  `c f{"a":1}; d g{"b":2}`, finish: "STOP",
		},
		{
			name:   "mixed by id, no numbers",
			stream: chunkFrames(args(`"id":"c",`, `"name":"f","arguments":"{"`), args(`"id":"d",`, `"name":"g","arguments":"{"`), args(`"id":"c",`, `"arguments":"}"`), args(`"id":"d",`, `"arguments":"}"`), used, done),
			calls:  `c f{}; d g{}`, finish: "STOP",
		},
		{name: "one number for all", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), args(`"index":0,"id":"d",`, `"name":"g","arguments":"{}"`), used, done), calls: `c f{}; d g{}`, finish: "STOP"},
		{name: "one number, no ids", stream: chunkFrames(args(`"index":0,`, `"name":"f","arguments":"{\"a\":1}"`), args(`"index":0,`, `"name":"f","arguments":"{\"a\":2}"`), used, done), calls: `? f{"a":1}; ? f{"a":2}`, finish: "STOP"},
		{name: "one number, no ids, in pieces", stream: chunkFrames(args(`"index":0,`, `"name":"f","arguments":""`), args(`"index":0,`, `"arguments":"{\"a\":1}"`), args(`"index":0,`, `"name":"f","arguments":""`), args(`"index":0,`, `"arguments":"{\"a\":2}"`), used, done), calls: `? f{"a":1}; ? f{"a":2}`, finish: "STOP"},
		{name: "one id, in pieces", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":""`), args(`"index":0,`, `"arguments":"{\"a\":1}"`), args(`"index":0,"id":"c",`, `"name":"g","arguments":""`), args(`"index":0,`, `"arguments":"{\"a\":2}"`), used, done), calls: `c f{"a":1}; ? g{"a":2}`, finish: "STOP"},
		{name: "neither numbers nor ids", stream: chunkFrames(args(``, `"name":"f","arguments":"{\"a\":"`), args(``, `"arguments":"1}"`), args(``, `"name":"g","arguments":"{}"`), used, done), calls: `? f{"a":1}; ? g{}`, finish: "STOP"},
		{name: "the same id", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), args(`"index":1,"id":"c",`, `"name":"g","arguments":"{}"`), used, done), calls: `c f{}; ? g{}`, finish: "STOP"},
		{name: "the name each time", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"}"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":""`), used, done), calls: `c f{}`, finish: "STOP"},
		{name: "the name in pieces", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"read_"`), args(`"index":0,`, `"name":"file"`), args(`"index":0,`, `"arguments":"{}"`), used, done), calls: `c read_file{}`, finish: "STOP"},
		{name: "a name with a token", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"read_file<|channel|>"`), args(`"index":0,"id":"c",`, `"name":"commentary","arguments":"{\"a\":1}"`), args(`"index":1,"id":"d",`, `"name":" f <|constrain|>json","arguments":"{}"`), used, done), calls: `c read_file{"a":1}; d f{}`, finish: "STOP"},
		{name: "pieces that repeat the text so far", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":""`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\""`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\"{"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\"{b\"}"`), used, done), calls: `c f{"a":"{b"}`, finish: "STOP"},
		{name: "pieces that repeat the text so far, cut", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\""`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\"}"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\"}}"`), used, done), calls: `c f cut off`, finish: "MAX_TOKENS"},
		{name: "two calls whose pieces repeat", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), args(`"index":1,"id":"d",`, `"name":"f","arguments":"{\"a\":"`), args(`"index":1,"id":"d",`, `"name":"f","arguments":"{\"a\":2}"`), used, done), calls: `c f{"a":1}; d f{"a":2}`, finish: "STOP"},
		{name: "an object in one of its own form", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":"`), args(`"index":0,`, `"arguments":"{\"a\":1}}"`), used, done), calls: `c f{"a":{"a":1}}`, finish: "STOP"},
		{name: "an object", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":{"a":{"b":[1]}}`), used, done), calls: `c f{"a":{"b":[1]}}`, finish: "STOP"},
		{name: "empty arguments", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":""`), used, done), calls: `c f{}`, finish: "STOP"},
		{name: "no arguments", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":null`), used, done), calls: `c f{}`, finish: "STOP"},
		{name: "text in text", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"\"{\\\"a\\\":1}\""`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "nearly JSON", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{'a': 'it\\'s', b: True,}"`), used, done), calls: `c f{"a":"it's","b":true}`, finish: "STOP"},
		{name: "nothing like JSON", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{rm -rf}"`), used, done), calls: `c f"{rm -rf}"`, finish: "STOP"},
		{name: "cut arguments", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\"b"`), used, done), calls: "c f cut off", finish: "MAX_TOKENS"},
		{name: "cut arguments at the limit", stream: chunkFrames(args(`"index":0,"id":"b",`, `"name":"f","arguments":"{}"`), args(`"index":1,"id":"c",`, `"name":"f","arguments":"{\"a\":\"b"`), `"delta":{},"finish_reason":"length"`, done), calls: "b f{}; c f cut off", finish: "MAX_TOKENS"},
		{name: "a call twice, by number and id", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\": 1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "a call twice, by number", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), args(`"index":0,`, `"name":"f","arguments":"{\"a\":1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "a call twice, by id", stream: chunkFrames(args(`"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), args(`"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "the arguments twice", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\""`), args(`"index":0,`, `"arguments":":1}"`), args(`"index":0,"id":"c",`, `"arguments":"{\"a\":1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "an object twice", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":{"a":1}`), args(`"index":0,"id":"c",`, `"name":"f","arguments":{"a":1}`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "all once more at the end", stream: chunkFrames(`"delta":{"content":"t"}`, args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), `"delta":{},"message":{"content":"t","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"`, done), text: "t", calls: `c f{"a":1}`, finish: "STOP"},
		{name: "text once more at the end", stream: chunkFrames(`"delta":{"content":"a"}`, `"delta":{"content":"b"}`, `"delta":{},"message":{"content":"ab"},"finish_reason":"stop"`, done), text: "ab", finish: "STOP"},
		{name: "calls at the end only", stream: chunkFrames(`"delta":{"content":"t"}`, `"message":{"content":"t","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"`, done), text: "t", calls: `c f{}`, finish: "STOP"},
		{name: "a stream of messages", stream: chunkFrames(`"message":{"content":"a"}`, `"message":{"content":"b"}`, `"message":{},"finish_reason":"stop"`, done), text: "ab", finish: "STOP"},
		{name: "empty arguments first", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), args(`"index":0,`, `"arguments":"{\"a\":"`), args(`"index":0,`, `"arguments":"1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "empty arguments first, and the name again", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "empty arguments first, no numbers", stream: chunkFrames(args(`"id":"c",`, `"name":"f","arguments":"{}"`), args(``, `"arguments":"{\"a\":1}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "an empty object first", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":{}`), args(`"index":0,"id":"c",`, `"name":"f","arguments":{"a":1}`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "empty arguments last", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":1}"`), args(`"index":0,`, `"arguments":"{}"`), used, done), calls: `c f{"a":1}`, finish: "STOP"},
		{name: "a byte order mark", stream: "\ufeff" + chunkFrames(`"delta":{"content":"a"}`, stop, done), text: "a", finish: "STOP"},
		{name: "a byte order mark before JSON", stream: "\ufeff" + `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, text: "a", finish: "STOP"},
		{name: "a byte order mark before an error", stream: "\ufeff" + `{"error":"oops"}`, kind: llm.KindServer, message: "oops"},
		{name: "dropped in a call", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":\"b"`)), kind: llm.KindIncomplete, message: "tool call"},
		{name: "the old form", stream: chunkFrames(`"delta":{"function_call":{"name":"f","arguments":"{"}}`, `"delta":{"function_call":{"arguments":"}"}}`, `"delta":{},"finish_reason":"function_call"`, done), calls: `? f{}`, finish: "STOP"},
		{name: "all at once", stream: chunkFrames(`"message":{"content":"a","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"`), text: "a", calls: `c f{}`, finish: "STOP"},
		{name: "renamed", stream: chunkFrames(args(`"index":0,"id":"c",`, `"name":"`+wireName("a.b")+`","arguments":"{}"`), used, done), calls: `c a.b{}`, finish: "STOP"},
		{name: "odd types", stream: chunkFrames(`"delta":{"content":7,"tool_calls":"x","reasoning_content":[]}`, `{"choices":"x"}`, `{"choices":[7],"usage":7,"id":7}`, stop, done), finish: "STOP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			req := &llm.Request{}
			req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "a.b"}, {Name: "f"}}}}
			h := listen(fitTraits(Chat, Quirks{}), strings.NewReader(c.stream), req)
			if h.Text != c.text || h.Thoughts != c.thoughts || h.calls() != c.calls || h.Finish != c.finish {
				t.Errorf("text %.100q, thoughts %q, calls %s, finish %q", h.Text, h.Thoughts, h.calls(), h.Finish)
			}
			var e *llm.Error
			if c.message == "" != (h.err == nil) || h.err != nil && (!errors.As(h.err, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.message)) {
				t.Errorf("error %v, want kind %v and %q", h.err, c.kind, c.message)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]llm.Usage{
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"completion_tokens_details":{"reasoning_tokens":2},"prompt_tokens_details":{"cached_tokens":4}}`: {Prompt: 10, Candidates: 3, Thoughts: 2, CachedContent: 4, Total: 15},
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}`:                                                                                      {Prompt: 10, Candidates: 5, CachedContent: 4, Total: 15},
		`"usage":{"prompt_tokens":"10","completion_tokens":5.0,"cached_tokens":4}`:                                                                                            {Prompt: 10, Candidates: 5, CachedContent: 4, Total: 15},
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3}}`:                                               {Prompt: 10, Candidates: 5, CachedContent: 4, CacheWrite: 3, Total: 15},
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":0,"cache_creation_input_tokens":9}}`:                                      {Prompt: 10, Candidates: 5, CacheWrite: 9, Total: 15},
		`"usage":{"total_tokens":10}`: {Prompt: 7, Candidates: 3, Total: 10},
		`"x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`:                      {Prompt: 10, Candidates: 5, Total: 15},
		`"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":1,"completion_tokens":2}}]`:                 {Prompt: 1, Candidates: 2, Total: 3},
		`"usage":{"prompt_tokens":1,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":9}}`: {Prompt: 1, Thoughts: 9, Total: 3},
	} {
		h := listen(fitTraits(Chat, Quirks{}), strings.NewReader(chunkFrames(`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"stop"`, `{`+usage+`}`, "[DONE]")), &llm.Request{})
		if h.Usage == nil || *h.Usage != want || h.Finish != llm.FinishStop {
			t.Errorf("%s: %+v, %s", usage, h.Usage, h.Finish)
		}
	}
}

// TestCitations checks that the last chunk lists each cited source once.
func TestCitations(t *testing.T) {
	t.Parallel()
	const end = `"delta":{},"finish_reason":"stop"`
	want := []llm.Citation{{URI: "https://a", Title: "A"}, {URI: "https://b"}}
	for _, c := range []struct {
		protocol Protocol
		stream   string
	}{
		{Chat, chunkFrames(`"delta":{"content":"x","annotations":[{"type":"url_citation","url_citation":{"url":"https://a","title":"A","start_index":0,"end_index":1}}]}`,
			`"delta":{"annotations":[{"type":"url_citation","url_citation":{"url":"https://a"}},{"type":"file","file":{}},{"type":"url_citation","url_citation":{"url":"https://b"}}]}`, end, "[DONE]")},
		{Chat, chunkFrames(`"delta":{"content":"x","annotations":[{"url_citation":{"url":"https://a","title":"A"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"citations":["https://a","https://b",7]}`)},
		{Chat, `{"choices":[{"message":{"content":"x","annotations":[{"url_citation":{"url":"https://a","title":"A"}},{"url_citation":{"url":"https://b"}}]},"finish_reason":"stop"}]}`},
		{Responses, event(`response.output_text.delta "output_index":0,"delta":"x"`,
			`response.output_text.annotation.added "output_index":0,"annotation_index":0,"annotation":{"type":"url_citation","url":"https://a","title":"A","start_index":0,"end_index":1}`,
			`response.output_item.done "output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"x","annotations":[{"type":"url_citation","url":"https://a","title":"A"},{"type":"file_citation","file_id":"f"},{"type":"url_citation","url":"https://b"}]}]}`,
			`response.completed "response":{"status":"completed"}`)},
	} {
		var got []llm.Citation
		for chunk, err := range newAssembler(fitTraits(c.protocol, Quirks{}), &llm.Request{}).chunks(&httpwire.Response{Body: strings.NewReader(c.stream)}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, chunk.Candidates[0].Citations...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v", c.stream, got)
		}
	}
}

// TestDetails checks that interleaved pieces of reasoning_details are assembled
// in the order in which the details began.
func TestDetails(t *testing.T) {
	t.Parallel()
	detail := func(members string) string { return `"delta":{"reasoning_details":[{` + members + `}]}` }
	for _, c := range []struct{ stream, want string }{
		{
			chunkFrames(detail(`"type":"reasoning.summary","index":0,"summary":"a"`), detail(`"type":"reasoning.text","index":1,"text":"x","signature":null`),
				detail(`"type":"reasoning.summary","index":0,"summary":"b\u00e9"`), detail(`"type":"reasoning.text","index":1,"text":"y","signature":"s"`), detail(`"type":"reasoning.text","index":1,"text":null,"signature":null`)),
			`[{"index":0,"summary":"abé","type":"reasoning.summary"},{"index":1,"signature":"s","text":"xy","type":"reasoning.text"}]`,
		},
		{
			chunkFrames(detail(`"type":"reasoning.encrypted","index":0,"id":"call_1","data":"d"`), detail(`"type":"reasoning.encrypted","index":0,"id":"call_2","data":"e"`)),
			`[{"data":"d","id":"call_1","index":0,"type":"reasoning.encrypted"},{"data":"e","id":"call_2","index":0,"type":"reasoning.encrypted"}]`,
		},
		{
			chunkFrames(detail(`"type":"reasoning.text","text":"a"`), detail(`"type":"reasoning.text","text":"b"`), detail(`"type":"reasoning.encrypted","data":"d"`), detail(`"type":"reasoning.text","text":"c"`), detail(``)),
			`[{"text":"ab","type":"reasoning.text"},{"data":"d","type":"reasoning.encrypted"},{"text":"c","type":"reasoning.text"}]`,
		},
	} {
		h := listen(fitTraits(Chat, Quirks{ReasoningOut: "reasoning_details"}), strings.NewReader(c.stream+chunkFrames(`"delta":{"content":"x"},"finish_reason":"stop"`)), &llm.Request{})
		if want := `openai:{"reasoning_details":` + c.want + `}`; len(h.signatures) != 1 || h.signatures[0] != want {
			t.Errorf("%s\n%q, want\n%q", c.stream, h.signatures, want)
		}
	}
}

// TestThoughtsKept checks that thoughts are sent back in the form that the
// service requires.
func TestThoughtsKept(t *testing.T) {
	t.Parallel()
	stream := chunkFrames(`"delta":{"reasoning_content":"h"}`, `"delta":{"reasoning_content":"m"}`,
		`"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"h","format":"x"}]}`,
		`"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"m","signature":"s"},{"type":"reasoning.encrypted","index":1,"data":"d"}]}`,
		args(`"index":0,"id":"c",`, `"name":"f","arguments":"{}"`), `"delta":{},"finish_reason":"tool_calls"`)
	for out, want := range map[string]string{
		"":                  "",
		"reasoning_content": `"reasoning_content":"hm","tool_calls"`,
		"reasoning_details": `"reasoning_details":[{"format":"x","index":0,"signature":"s","text":"hm","type":"reasoning.text"},{"data":"d","index":1,"type":"reasoning.encrypted"}],"tool_calls"`,
	} {
		tr := fitTraits(Chat, Quirks{ReasoningOut: out})
		h := listen(tr, strings.NewReader(stream), &llm.Request{})
		model := llm.Model()
		for _, k := range h.signatures {
			model.Parts = append(model.Parts, llm.Part{Thought: true, ThoughtSignature: k})
		}
		model.Parts = append(model.Parts, llm.Part{FunctionCall: h.Calls[0]})
		body := bodyOf(t, tr, &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("a")), model, llm.User(result("c", "f", "x"))}})
		if want == "" && len(h.signatures) > 0 || !strings.Contains(body, want) {
			t.Errorf("%s: %q\n%s", out, h.signatures, body)
		}
	}
}

// event returns the frames of Responses events.
func event(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		kind, members, _ := strings.Cut(e, " ")
		b.WriteString("event: " + kind + "\ndata: {\"type\":\"" + kind + `","sequence_number":1,` + members + "}\n\n")
	}
	return b.String()
}

func TestResponsesStreams(t *testing.T) {
	t.Parallel()
	const (
		created   = `response.created "response":{"id":"r","model":"m","status":"in_progress","error":null,"output":[]}`
		completed = `response.completed "response":{"id":"r","model":"m","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"all of it"}]}],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":15}}`
	)
	for _, c := range []struct {
		name, stream                string
		text, thoughts, calls, kept string
		finish                      llm.FinishReason
		kind                        llm.ErrorKind
		message                     string
	}{
		{
			name: "text",
			stream: event(created, `response.output_text.delta "output_index":0,"delta":"a"`, `response.output_text.delta "output_index":0,"delta":"b"`,
				`response.output_item.done "output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"ab"}]}`, completed),
			text: "ab", finish: "STOP",
		},
		{name: "no deltas", stream: event(created, completed), text: "all of it", finish: "STOP"},
		{name: "no end", stream: event(created, `response.output_text.delta "output_index":0,"delta":"a"`), text: "a", kind: llm.KindIncomplete, message: "before the end of the answer"},
		{
			name: "thoughts and calls",
			stream: event(created, `response.output_item.added "output_index":0,"item":{"type":"reasoning","id":"rs","summary":[]}`,
				`response.reasoning_summary_text.delta "output_index":0,"summary_index":0,"delta":"h"`, `response.reasoning_summary_text.delta "output_index":0,"summary_index":1,"delta":"m"`,
				`response.output_item.done "output_index":0,"item":{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"h"},{"type":"summary_text","text":"m"}],"encrypted_content":"e"}`,
				`response.output_item.added "output_index":1,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}`,
				`response.output_item.added "output_index":2,"item":{"type":"function_call","id":"fd","call_id":"d","name":"g","arguments":""}`,
				`response.function_call_arguments.delta "output_index":2,"delta":"{\"b\":2}"`, `response.function_call_arguments.delta "output_index":1,"delta":"{\"a\""`, `response.function_call_arguments.delta "output_index":1,"delta":":1}"`,
				`response.output_item.done "output_index":1,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{\"a\":1}"}`, completed),
			thoughts: "h\n\nm", calls: `c f{"a":1}; d g{"b":2}`, finish: "STOP",
			kept: `openai:{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"h"},{"type":"summary_text","text":"m"}],"encrypted_content":"e"}`,
		},
		{
			name: "one number for all calls",
			stream: event(created, `response.output_item.added "output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}`,
				`response.output_item.done "output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{\"a\":1}"}`,
				`response.output_item.done "output_index":0,"item":{"type":"function_call","id":"fd","call_id":"d","name":"g","arguments":"{\"b\":2}"}`, completed),
			calls: `c f{"a":1}; d g{"b":2}`, finish: "STOP",
		},
		{
			name: "arguments at their end only",
			stream: event(created, `response.output_item.added "output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}`,
				`response.function_call_arguments.done "output_index":0,"item_id":"fc","arguments":"{\"a\":1}"`, completed),
			calls: `c f{"a":1}`, finish: "STOP",
		},
		{name: "cut", stream: event(created, `response.output_text.delta "output_index":0,"delta":"a"`, `response.incomplete "response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`), text: "a", finish: "MAX_TOKENS"},
		{name: "filter", stream: event(created, `response.incomplete "response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), finish: "SAFETY"},
		{name: "refusal", stream: event(created, `response.refusal.delta "output_index":0,"delta":"no"`, completed), text: "no", finish: "SAFETY"},
		{name: "failed", stream: event(created, `response.failed "response":{"status":"failed","error":{"code":"server_error","message":"oops"}}`), kind: llm.KindServer, message: "oops"},
		{name: "too long", stream: event(created, `response.failed "response":{"status":"failed","error":{"code":"context_length_exceeded","message":"too long"}}`), kind: llm.KindContextWindow, message: "too long"},
		{name: "error", stream: event(created, `error "code":"rate_limit_exceeded","message":"slow","param":null`), kind: llm.KindRateLimit, message: "slow"},
		{name: "error, nested", stream: event(created, `error "error":{"code":"insufficient_quota","message":"pay"}`), kind: llm.KindQuota, message: "pay"},
		{name: "dropped", stream: event(created, `response.output_item.added "output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}`, `response.function_call_arguments.delta "output_index":1,"delta":"{\"a"`), kind: llm.KindIncomplete, message: "tool call"},
		{name: "whole", stream: `{"id":"r","status":"completed","error":null,"output":[{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"},{"type":"message","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`, text: "a", calls: "c f{}", finish: "STOP", kept: `openai:{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}`},
		{name: "unknown events", stream: event(created, `response.whatever "x":[1]`, `response.output_item.done "item":7`, `response.output_item.done "item":{"type":"web_search_call"}`, completed), text: "all of it", finish: "STOP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := listen(fitTraits(Responses, Quirks{}), strings.NewReader(c.stream), &llm.Request{})
			if h.Text != c.text || h.Thoughts != c.thoughts || h.calls() != c.calls || h.Finish != c.finish || strings.Join(h.signatures, "") != c.kept {
				t.Errorf("text %q, thoughts %q, calls %s, finish %q, kept %q", h.Text, h.Thoughts, h.calls(), h.Finish, h.signatures)
			}
			var e *llm.Error
			if c.message == "" != (h.err == nil) || h.err != nil && (!errors.As(h.err, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.message)) {
				t.Errorf("error %v, want kind %v and %q", h.err, c.kind, c.message)
			}
			if strings.HasSuffix(c.stream, event(completed)) && (h.Usage == nil || *h.Usage != llm.Usage{Prompt: 10, Candidates: 3, Thoughts: 2, CachedContent: 4, Total: 15}) {
				t.Errorf("usage %+v", h.Usage)
			}
		})
	}
}

// FuzzStream checks that the result does not depend on how the network splits
// the stream, and that calls have unique ids and JSON arguments, for any input.
func FuzzStream(f *testing.F) {
	f.Add([]byte(chunkFrames(`"delta":{"reasoning":"h","content":"<think>x</think>a"}`, args(`"index":0,"id":"c",`, `"name":"f","arguments":"{\"a\":"`), args(``, `"arguments":"1}"`),
		`"delta":{},"finish_reason":"stop"`, `{"choices":[],"usage":{"total_tokens":10}}`, "[DONE]")), []byte{3, 0, 1}, false)
	f.Add([]byte(chunkFrames(`"delta":{"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},{"function":{"arguments":"'x"}}],"content":[{"text":"t"}],"refusal":"r"}`)), []byte{0}, false)
	f.Add([]byte(event(`response.output_item.added "output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}`, `response.function_call_arguments.delta "output_index":1,"delta":"{}"`,
		`response.output_item.done "item":{"type":"reasoning","id":"rs","summary":[{"text":"x"}],"encrypted_content":"e"}`, `response.completed "response":{"status":"completed","usage":{"input_tokens":1}}`)), []byte{2}, true)
	f.Add([]byte(`{"error":{"message":"m","code":7,"metadata":{"raw":"{\"error\":\"x\"}"}}}`), []byte{}, false)
	f.Fuzz(func(t *testing.T, stream, cuts []byte, isResponses bool) {
		p := Chat
		if isResponses {
			p = Responses
		}
		tr := fitTraits(p, Quirks{ReasoningOut: "reasoning_details"})
		want := listen(tr, bytes.NewReader(stream), &llm.Request{})
		got := listen(tr, llmtest.Pieces(stream, cuts), &llm.Request{})
		if got.Text != want.Text || got.Thoughts != want.Thoughts || got.calls() != want.calls() || got.Finish != want.Finish || !slices.Equal(got.signatures, want.signatures) {
			t.Fatalf("cut: %+v\nwhole: %+v", got, want)
		}
		if (got.err == nil) != (want.err == nil) || got.err != nil && got.err.Error() != want.err.Error() {
			t.Fatalf("cut: %v\nwhole: %v", got.err, want.err)
		}
		ids := map[string]bool{}
		for _, c := range want.Calls {
			if ids[c.ID] || c.ID == "" || !isValidJSONText(c.Args) {
				t.Fatalf("call %+v", c)
			}
			ids[c.ID] = true
		}
		for _, k := range want.signatures {
			if signature, _ := strings.CutPrefix(k, "openai:"); !isValidJSONText([]byte(signature)) {
				t.Fatalf("kept %q", k)
			}
		}
	})
}
