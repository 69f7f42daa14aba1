package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/llmtest"
)

// streamResult is the decoded result of a stream.
type streamResult struct {
	llmtest.Answer
	err error
}

func listen(m *model, body io.Reader) streamResult {
	var h streamResult
	res := &httpwire.Response{Host: "host", Header: http.Header{"Content-Type": {"application/x-ndjson"}}, Body: body}
	for chunk, err := range newAssembler(m, 7).chunks(res) {
		if h.err = err; err != nil {
			break
		}
		h.Add(chunk)
	}
	return h
}

// capableModel returns a model with all capabilities, modified by change.
func capableModel(change func(*model)) *model {
	m := &model{name: "m"}
	if err := m.describe([]byte(`{"model_info":{"q.context_length":40960},"capabilities":["completion","tools","thinking","vision"]}`)); err != nil {
		panic(err)
	}
	if change != nil {
		change(m)
	}
	return m.setDerived()
}

// joinLines returns a stream of lines. An argument is a message or a whole
// object.
func joinLines(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		if l != "" && l[0] == '{' {
			b.WriteString(l + "\n")
			continue
		}
		b.WriteString(`{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant",` + l + `},"done":false}` + "\n")
	}
	return b.String()
}

// callMember returns the member of a message that calls f.
func callMember(arguments string) string {
	return `"content":"","tool_calls":[{"function":{"name":"f","arguments":` + arguments + `}}]`
}

func (h streamResult) calls() string {
	var all []string
	for _, c := range h.Calls {
		all = append(all, c.ID+" "+c.Name+string(c.Args))
	}
	return strings.Join(all, "; ")
}

const stop = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":3}`

func TestStreams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stream          string
		text, thoughts, calls string
		finish                llm.FinishReason
		kind                  llm.ErrorKind // of the error, if message is set
		message               string
	}{
		{name: "text", stream: joinLines(`"content":"a"`, `"content":"b"`, stop), text: "ab", finish: "STOP"},
		{name: "all in the last line", stream: joinLines(`{"message":{"content":"a"},"done":true,"done_reason":"stop"}`), text: "a", finish: "STOP"},
		{name: "no line end", stream: strings.TrimSpace(joinLines(`"content":"a"`, stop)), text: "a", finish: "STOP"},
		{name: "no reason", stream: joinLines(`"content":"a"`, `{"done":true}`), text: "a", finish: "STOP"},
		{name: "length", stream: joinLines(`"content":"a"`, `{"done":true,"done_reason":"length"}`), text: "a", finish: "MAX_TOKENS"},
		{name: "odd reason", stream: joinLines(`"content":"a"`, `{"done":true,"done_reason":"whatever"}`), text: "a", finish: "FINISH_REASON_UNSPECIFIED"},
		{name: "load", stream: joinLines(`{"message":{"content":""},"done":true,"done_reason":"load"}`), kind: llm.KindServer, message: "loading"},
		{name: "unload", stream: joinLines(`{"done":true,"done_reason":"unload"}`), kind: llm.KindServer, message: "unloading"},
		{name: "nothing", stream: "", kind: llm.KindNetwork, message: "before the end"},
		{name: "blank lines only", stream: "\n\n\n", kind: llm.KindNetwork, message: "before the end"},
		{name: "not done", stream: joinLines(`"content":"a"`), text: "a", kind: llm.KindNetwork, message: "before the end"},
		{name: "done and nothing", stream: joinLines(stop), finish: "STOP"},
		{name: "null message", stream: joinLines(`{"message":null,"done":false}`, `"content":null,"tool_calls":null,"thinking":null`, `"content":"a"`, stop), text: "a", finish: "STOP"},
		{name: "odd types", stream: joinLines(`{"message":7,"done":"x","model":[]}`, `"content":7,"thinking":{},"tool_calls":"x"`, `"tool_calls":[7,{"function":7},{"function":{"name":8}}]`, `"content":"a"`, stop), text: "a", finish: "STOP"},
		{name: "a megabyte", stream: joinLines(`"content":"`+strings.Repeat("x", 1<<20)+`"`, stop), text: strings.Repeat("x", 1<<20), finish: "STOP"},
		{name: "a web page", stream: "<!doctype html>\n<p>Log in", kind: llm.KindServer, message: "HTML page"},
		{name: "text", stream: "404 page not found", kind: llm.KindIncomplete, message: "Incomplete JSON segment"},
		{name: "malformed", stream: joinLines(`"content":"a"`) + "{\"message\":}\n" + joinLines(stop), text: "a", kind: llm.KindServer, message: "malformed"},
		{name: "two values in a line", stream: joinLines(`"content":"a"`) + `{"message":{"content":"b"}}{"done":true}` + "\n", text: "a", kind: llm.KindServer, message: "malformed"},
		{name: "cut in a line", stream: joinLines(`"content":"a"`) + `{"message":{"con`, text: "a", kind: llm.KindIncomplete, message: "Incomplete JSON segment"},
		{name: "cut in a call", stream: joinLines(`"content":"a"`) + `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":`, text: "a", kind: llm.KindIncomplete, message: "Incomplete JSON segment"},
		{name: "an error", stream: joinLines(`{"error":"llama runner process has terminated: exit status 2"}`), kind: llm.KindServer, message: "has terminated"},
		{name: "an error behind text", stream: joinLines(`"content":"a"`, `{"error":"an error was encountered while running the model: unexpected EOF"}`), text: "a", kind: llm.KindServer, message: "unexpected EOF"},
		{name: "an error with a status", stream: joinLines(`{"error":"too many concurrent requests","status_code":429}`), kind: llm.KindRateLimit, message: "too many"},
		{name: "an error in an object", stream: joinLines(`{"error":{"message":"oops","code":7}}`), kind: llm.KindServer, message: "oops"},
		{name: "an error of no words", stream: joinLines(`{"error":{}}`), kind: llm.KindServer, message: "without a message"},
		{name: "too long", stream: joinLines(`{"error":"the input length exceeds the context length"}`), kind: llm.KindContextWindow, message: "context length"},
		{name: "no error", stream: joinLines(`{"error":null,"message":{"content":"a"}}`, stop), text: "a", finish: "STOP"},

		{name: "thoughts", stream: joinLines(`"content":"","thinking":"h"`, `"content":"","thinking":"m"`, `"content":"a"`, stop), text: "a", thoughts: "hm", finish: "STOP"},
		{name: "thought and text in a line", stream: joinLines(`"content":"a","thinking":"h"`, stop), text: "a", thoughts: "h", finish: "STOP"},
		{name: "thoughts in tags", stream: joinLines(`"content":"<thi"`, `"content":"nk>h</thi"`, `"content":"nk>a"`, stop), text: "a", thoughts: "h", finish: "STOP"},
		{name: "tags behind thoughts are text", stream: joinLines(`"content":"","thinking":"h"`, `"content":"the tag <think> is"`, stop), text: "the tag <think> is", thoughts: "h", finish: "STOP"},

		{name: "a call", stream: joinLines(callMember(`{"a":{"b":[1]}}`), stop), calls: ` f{"a":{"b":[1]}}`, finish: "STOP"},
		{name: "a name with a token", stream: joinLines(strings.Replace(callMember(`{}`), `"f"`, `"f<|channel|>commentary"`, 1), stop), calls: ` f{}`, finish: "STOP"},
		{name: "a call behind text", stream: joinLines(`"content":"I look."`, callMember(`{}`), stop), text: "I look.", calls: ` f{}`, finish: "STOP"},
		{name: "two calls in a message", stream: joinLines(`"tool_calls":[{"id":"x","function":{"index":0,"name":"f","arguments":{}}},{"id":"y","function":{"index":1,"name":"g","arguments":{"b":2}}}]`, stop), calls: `x f{}; y g{"b":2}`, finish: "STOP"},
		{name: "calls and text mixed", stream: joinLines(callMember(`{"a":1}`), `"content":"a"`, callMember(`{"a":2}`), `"content":"b"`, stop), text: "ab", calls: ` f{"a":1};  f{"a":2}`, finish: "STOP"},
		{name: "one call, no list", stream: joinLines(`"tool_calls":{"function":{"name":"f","arguments":{}}}`, stop), calls: ` f{}`, finish: "STOP"},
		{name: "arguments in a string", stream: joinLines(callMember(`"{\"a\":1}"`), stop), calls: ` f{"a":1}`, finish: "STOP"},
		{name: "arguments by hand", stream: joinLines(callMember(`"{'a': True,}"`), stop), calls: ` f{"a":true}`, finish: "STOP"},
		{name: "broken arguments", stream: joinLines(callMember(`"{\"a\":\"b"`), stop), calls: ` f"{\"a\":\"b"`, finish: "STOP"},
		{name: "no arguments", stream: joinLines(callMember(`null`), stop), calls: ` f{}`, finish: "STOP"},
		{name: "empty arguments", stream: joinLines(callMember(`" "`), stop), calls: ` f{}`, finish: "STOP"},
		{name: "arguments that are a list", stream: joinLines(callMember(`[1]`), stop), calls: ` f[1]`, finish: "STOP"},
		{name: "no name", stream: joinLines(`"tool_calls":[{"function":{"name":"","arguments":{"a":1}}}]`, stop), calls: ` {"a":1}`, finish: "STOP"},
		{name: "endless calls", stream: joinLines(`"tool_calls":[` + strings.Repeat(`{"function":{"name":"f"}},`, 1001) + `{}]`), kind: llm.KindServer, message: "no end to its calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := listen(capableModel(nil), strings.NewReader(c.stream))
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
	for counts, want := range map[string]*llm.Usage{
		`,"prompt_eval_count":9,"eval_count":3,"total_duration":7`: {Prompt: 9, Candidates: 3, Total: 12},
		`,"prompt_eval_count":9.0,"eval_count":-3`:                 {Prompt: 9, Total: 9},
		`,"eval_count":3`:           {Prompt: 7, Candidates: 3, Total: 10}, // the lower bound of the prompt
		`,"prompt_eval_count":9`:    {Prompt: 9, Total: 9},
		`,"eval_count":null`:        nil,
		`,"total_duration":7`:       nil,
		`,"prompt_eval_count":"9" `: nil,
	} {
		h := listen(capableModel(nil), strings.NewReader(joinLines(`"content":"a"`, `{"done":true`+counts+`}`)))
		if (h.Usage == nil) != (want == nil) || want != nil && *h.Usage != *want {
			t.Errorf("%s: %+v", counts, h.Usage)
		}
	}
}

// FuzzStream checks that the result does not depend on how the network splits
// the stream, and that calls have JSON arguments that can be sent back, for any
// input.
func FuzzStream(f *testing.F) {
	f.Add([]byte(joinLines(`"content":"<think>x</think>a","thinking":"h"`, callMember(`{"a":1}`), stop)), []byte{3, 0, 1}, false)
	f.Add([]byte(joinLines(callMember(`"{'a':1"`), `"tool_calls":[{"id":"x","function":{"name":"g","arguments":[null]}}]`, `{"done":true,"done_reason":"length"}`)), []byte{0}, true)
	f.Add([]byte(joinLines(`"content":"a"`)+`{"error":{"message":"m"},"status_code":503,"signin_url":"u"}`+"\r\n"), []byte{}, false)
	f.Add([]byte("<html>"), []byte{2}, true)
	f.Fuzz(func(t *testing.T, stream, cuts []byte, opened bool) {
		m := capableModel(func(m *model) { m.startsInThought = opened })
		want := listen(m, bytes.NewReader(stream))
		got := listen(m, llmtest.Pieces(stream, cuts))
		if got.Text != want.Text || got.Thoughts != want.Thoughts || got.calls() != want.calls() || got.Finish != want.Finish {
			t.Fatalf("cut: %+v\nwhole: %+v", got, want)
		}
		if (got.err == nil) != (want.err == nil) || got.err != nil && got.err.Error() != want.err.Error() {
			t.Fatalf("cut: %v\nwhole: %v", got.err, want.err)
		}
		if want.err == nil && want.Finish == "" {
			t.Fatal("neither an end nor an error")
		}
		history := []*llm.Content{llm.User(llm.Text("hello"))}
		for _, c := range want.Calls {
			if !json.Valid(c.Args) {
				t.Fatalf("call %+v", c)
			}
			history = append(history, llm.Model(llm.Part{FunctionCall: c}), llm.User(llm.Part{FunctionResponse: llm.Output(c.ID, c.Name, want.Text)}))
		}
		body, err := io.ReadAll(m.newRequest(&llm.Request{Model: "m", Contents: history}, true).body.Reader())
		if err != nil || !json.Valid(body) {
			t.Fatalf("%v: %s", err, body)
		}
	})
}
