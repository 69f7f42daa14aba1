package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// play decodes a stream that arrives whole or byte by byte.
func play(q *query, stream string, slowly bool) (chunks []*llm.Response, r *reply, err error) {
	res := &httpwire.Response{Body: strings.NewReader(stream)}
	if slowly {
		res.Body = iotest.OneByteReader(res.Body)
	}
	r = &reply{q: q}
	e := newEventDecoder()
	defer e.release()
	for event, err := range res.Events() {
		if err == nil {
			err = handleEvent(res, r, e, event)
		}
		if err != nil {
			return chunks, r, err
		}
		if chunk := r.takeChunk(); chunk != nil {
			chunks = append(chunks, chunk)
		}
		if r.ended {
			break
		}
	}
	return chunks, r, nil
}

// parts returns the parts of chunks. It joins consecutive texts.
func parts(chunks []*llm.Response) []llm.Part {
	var all []llm.Part
	for _, c := range chunks {
		for _, p := range c.Parts() {
			last := len(all) - 1
			if last >= 0 && p.IsText() && all[last].IsText() && p.Thought == all[last].Thought && p.ThoughtSignature == "" && all[last].ThoughtSignature == "" {
				all[last].Text += p.Text
				continue
			}
			all = append(all, p)
		}
	}
	return all
}

const fullStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-opus-4-6","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see.\n"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3p"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I look \ud83e\udd86"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":" twice."}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_01","name":"read_file","input":{}}}

event: content_block_start
data: {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_02","name":"now","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a"}}

event: content_block_delta
data: {"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":".go\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: content_block_stop
data: {"type":"content_block_stop","index":4}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89,"output_tokens_details":{"thinking_tokens":40}}}

event: message_stop
data: {"type":"message_stop"}

`

func TestStream(t *testing.T) {
	t.Parallel()
	chunks, _, err := play(&query{Request: &llm.Request{}}, fullStream, false)
	if err != nil {
		t.Fatal(err)
	}
	got := show(parts(chunks))
	want := show([]llm.Part{
		{Text: "Let me see.\n", Thought: true},
		thought("", llm.Signed(vendor, `{"type":"thinking","thinking":"Let me see.\n","signature":"EqQBCgIYAhIM"}`)),
		thought("", llm.Signed(vendor, `{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3p"}`)),
		llm.Text("I look 🦆 twice."),
		call("toolu_01", "read_file", `{"path":"a.go"}`), call("toolu_02", "now", `{}`),
	})
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	last := chunks[len(chunks)-1]
	if want := (llm.Usage{Prompt: 3210, CachedContent: 3000, CacheWrite: 200, Candidates: 49, Thoughts: 40, Total: 3299}); last.Usage == nil || *last.Usage != want {
		t.Errorf("usage %+v", last.Usage)
	}
	if last.FinishReason() != llm.FinishStop || last.ResponseID != "msg_01" || last.ModelVersion != "claude-opus-4-6" {
		t.Errorf("the end is %s", show(last))
	}
}

// ev is an event without its frame's first line.
func ev(data string) string { return "data: " + data + "\n\n" }

// callStream is a stream of one call whose arguments come in pieces.
func callStream(start string, pieces ...string) string {
	s := ev(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"ls","input":` + start + `}}`)
	for _, p := range pieces {
		s += ev(fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%s}}`, llm.AppendString(nil, p)))
	}
	return s + ev(`{"type":"content_block_stop","index":0}`)
}

const stopStream = `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"

// TestThoughtsInText checks that thoughts in the text of other models are thoughts, and that Claude's text is text.
func TestThoughtsInText(t *testing.T) {
	t.Parallel()
	block := func(kind, member string, pieces ...string) string {
		s := ev(`{"type":"content_block_start","index":0,"content_block":{"type":"` + kind + `","` + member + `":""}}`)
		for _, p := range pieces {
			s += ev(fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"%s_delta","%s":%s}}`, kind, member, llm.AppendString(nil, p)))
		}
		return s + ev(`{"type":"content_block_stop","index":0}`)
	}
	text := block("text", "text", "<thi", "nk>h</think>\n", "yes <", "b")
	whole := `{"content":[{"type":"text","text":"<think>h</think>\nyes <b"}],"stop_reason":"end_turn"}`
	for name, c := range map[string]struct {
		unsigned       bool
		stream         string
		text, thoughts string
	}{
		"of another model":      {true, text + stopStream, "yes <b", "h"},
		"of another model, all": {true, whole, "yes <b", "h"},
		"behind a thought":      {true, block("thinking", "thinking", "h") + block("text", "text", "<think> is a tag") + stopStream, "<think> is a tag", "h"},
		"of Claude":             {false, text + stopStream, "<think>h</think>\nyes <b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chunks, _, err := play(&query{Request: &llm.Request{}, dialect: dialect{Quirks: Quirks{Unsigned: c.unsigned}}}, c.stream, false)
			if err != nil {
				t.Fatal(err)
			}
			var text, thoughts string
			for _, chunk := range chunks {
				for _, p := range chunk.Parts() {
					if p.Thought {
						thoughts += p.Text
					} else {
						text += p.Text
					}
				}
			}
			if text != c.text || thoughts != c.thoughts {
				t.Errorf("text %q, thoughts %q", text, thoughts)
			}
		})
	}
}

// TestBadStreams tests streams that the vendor would not send.
func TestBadStreams(t *testing.T) {
	t.Parallel()
	calls := func(args string) string { return show([]llm.Part{call("t", "ls", args)}) }
	for name, c := range map[string]struct {
		stream string
		want   string // the parts
		err    string
		finish llm.FinishReason
	}{
		"arguments in the first event":         {callStream(`{"a": 1}`) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"arguments at the start and in deltas": {callStream(`{"a": 1}`, `{"a"`, `:1}`) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"arguments at the start, and none":     {callStream(`{"a": 1}`, `{}`) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"a name with a token":                  {strings.Replace(callStream(`{"a": 1}`), `"ls"`, `"ls<|channel|>commentary"`, 1) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"arguments in a string":                {callStream(`"{\"a\":1}"`) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"arguments in a string, streamed":      {callStream(`{}`, `"{\"a\"`, `:1}"`) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"no arguments":                         {callStream(`null`, ``, ` `) + stopStream, calls(`{}`), "", llm.FinishStop},
		"arguments that are cut off":           {callStream(`{}`, `{"a":[1,`) + stopStream, calls(`{}`), "", llm.FinishStop},
		"broken arguments are no object":       {callStream(`{}`, `{"a":[1}`) + stopStream, calls(`"{\"a\":[1}"`), "", llm.FinishStop},
		"a list of arguments":                  {callStream(`{}`, `[1, 2]`) + stopStream, calls(`[1,2]`), "", llm.FinishStop},
		"half a surrogate pair":                {callStream(`{}`, `{"a":"\ud83d"}`) + stopStream, calls(`{"a":"\ufffd"}`), "", llm.FinishStop},
		"a call that never stops":              {strings.Replace(callStream(`{}`, `{"a":1}`), `"content_block_stop"`, `"ping"`, 1) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"two calls of one index":               {callStream(`{}`, `{"a":1}`) + strings.Replace(callStream(`{}`, `{"a":1}`), `"t"`, `"u"`, 1) + stopStream, show([]llm.Part{call("t", "ls", `{"a":1}`), call("u", "ls", `{"a":1}`)}), "", llm.FinishStop},
		"a call twice":                         {callStream(`{}`, `{"a":1}`) + callStream(`{}`, `{"a":1}`) + stopStream, calls(`{"a":1}`), "", llm.FinishStop},
		"cut in mid-call":                      {callStream(`{}`, `{"a":1}`), calls(`{"a":1}`), "", ""},
		"a call that has not begun":            {ev(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`), "null", "malformed", ""},
		"text that has not begun": {
			ev(`{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"a"}}`) + stopStream,
			show([]llm.Part{llm.Text("a")}), "", llm.FinishStop,
		},
		"text in the first event": {
			ev(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`) + stopStream,
			show([]llm.Part{llm.Text("a")}), "", llm.FinishStop,
		},
		"nulls": {
			ev(`{"type":"content_block_delta","index":0,"delta":null}`) + ev(`{"type":"content_block_delta","index":null,"delta":{"type":"text_delta","text":null}}`) +
				ev(`{"type":"message_delta","delta":{"stop_reason":null},"usage":null}`) + ev(`{"type":"message_stop"}`),
			"null", "", "",
		},
		"an unsigned thought": {
			ev(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}}`) + ev(`{"type":"content_block_stop","index":0}`) + stopStream,
			show([]llm.Part{{Text: "a", Thought: true}}), "", llm.FinishStop,
		},
		"invalid UTF-8": {
			ev("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\xff\"}}") + stopStream,
			show([]llm.Part{llm.Text("a\uFFFD")}), "", llm.FinishStop,
		},
		"unknown blocks and events": {
			ev(`{"type":"content_block_start","index":0,"content_block":{"type":"hologram","x":[1]}}`) + ev(`{"type":"news","delta":{"x":1}}`) + ": keep alive\n\n" + stopStream,
			"null", "", llm.FinishStop,
		},
		"unknown reason":   {ev(`{"type":"message_delta","delta":{"stop_reason":"bored"}}`) + ev(`{"type":"message_stop"}`), "null", "", llm.FinishOther},
		"an error":         {ev(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "null", "Overloaded", ""},
		"an unknown error": {ev(`{"type":"error","error":"oh"}`), "null", "oh", ""},
		"no object":        {ev(`[1]`), "null", "malformed", ""},
		"half an event":    {"data: {\"type\":\"content_block_delta\",\n\n", "null", "malformed", ""},
		"an odd index":     {ev(`{"type":"content_block_stop","index":"x"}`), "null", "malformed", ""},
		"a long line": {
			ev(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+strings.Repeat("x", 1<<20)+`"}}`) + stopStream,
			show([]llm.Part{llm.Text(strings.Repeat("x", 1<<20))}), "", llm.FinishStop,
		},
		"a web page": {"<html><body>Log in", "null", "HTML page", ""},
		"a message in one piece": {
			`{"id":"m","type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1}}`,
			show([]llm.Part{llm.Text("a")}), "", llm.FinishStop,
		},
		"JSON in mid-stream":     {ev(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`) + "{}", show([]llm.Part{llm.Text("a")}), "no event", ""},
		"an error in mid-stream": {ev(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`) + `{"error":{"type":"api_error","message":"down"}}`, show([]llm.Part{llm.Text("a")}), "down", ""},
		"an error in one piece":  {`{"type":"error","error":{"type":"api_error","message":"down"}}`, "null", "down", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chunks, r, err := play(&query{Request: &llm.Request{}}, c.stream, true)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v", err)
			}
			for _, p := range parts(chunks) {
				if f := p.FunctionCall; f != nil && (f.Problem != "") != strings.Contains(name, "cut off") {
					t.Errorf("problem %q", f.Problem)
				}
			}
			if got := show(parts(chunks)); got != c.want {
				t.Errorf("got  %.300s\nwant %.300s", got, c.want)
			}
			var finish llm.FinishReason
			if len(chunks) > 0 {
				finish = chunks[len(chunks)-1].FinishReason()
			}
			if finish != c.finish || (finish != "") && !r.ended {
				t.Errorf("finish reason %q", finish)
			}
		})
	}
}

// TestAnswerTool checks that the input of the answer tool becomes text.
func TestAnswerTool(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{`{"type":"object"}`: `{"value":[1]}`, `{"type":"array"}`: `[1]`} {
		q := &query{Request: &llm.Request{Config: llm.Config{ResponseJSONSchema: json.RawMessage(schema)}}}
		q.settings()
		stream := strings.Replace(callStream(`{}`, `{"value":`, ` [1]}`), `"name":"ls"`, `"name":"answer"`, 1) + stopStream
		chunks, _, err := play(q, stream, false)
		if got := parts(chunks); err != nil || len(got) != 1 || got[0].Text != want {
			t.Errorf("%s: %s, %v", schema, show(got), err)
		}
	}
}

// TestRenamed checks that calls of a renamed tool get its declared name.
func TestRenamed(t *testing.T) {
	t.Parallel()
	q := &query{Request: &llm.Request{Config: llm.Config{Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "mcp.x:y"}, {Name: "ls"}}}}}}}
	chunks, _, err := play(q, strings.Replace(callStream(`{}`), `"ls"`, `"`+toolName("mcp.x:y")+`"`, 1)+stopStream, false)
	if got := parts(chunks); err != nil || len(got) != 1 || got[0].FunctionCall.Name != "mcp.x:y" {
		t.Errorf("%s, %v", show(got), err)
	}
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	r := &reply{q: &query{Request: &llm.Request{}}, size: maxReply - 3}
	if err := r.addDelta(&event{member: memberText, text: []byte("abc")}); err != nil {
		t.Error(err)
	}
	if err := r.addDelta(&event{member: memberText, text: []byte("d")}); err == nil {
		t.Error("no limit to what an answer holds")
	}
	r = &reply{q: &query{Request: &llm.Request{}}}
	var err error
	for i := range maxBlocks + 1 {
		err = r.startBlock(i, []byte(`{"type":"text"}`))
	}
	if err == nil {
		t.Error("no limit to the number of blocks")
	}
}

// FuzzStream checks that random bytes give a response or an llm.Error, independent of
// read sizes, and that the response can be stored in a history and sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(fullStream))
	f.Add([]byte(callStream(`{"a":1}`, `{"b":`) + stopStream))
	f.Add([]byte(ev(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`)))
	f.Add([]byte(`{"id":"m","content":[{"type":"thinking","thinking":"a","signature":"b"},{"type":"tool_use","input":"x"}],"stop_reason":"pause_turn"}`))
	f.Add([]byte(ev(`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`) +
		ev(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":\"\\ud800\"}"}}`) + stopStream))
	f.Fuzz(func(t *testing.T, stream []byte) {
		q := &query{Request: &llm.Request{Contents: []*llm.Content{llm.User(llm.Text("hi"))}}}
		fast, r, err := play(q, string(stream), false)
		slow, _, err2 := play(q, string(stream), true)
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("split makes a difference: %v, %v", err, err2)
		}
		if a, b := show(fast), show(slow); a != b {
			t.Fatalf("split makes a difference:\n%s\n%s", a, b)
		}
		if so := r.partialBlocks(); !json.Valid(append(append([]byte{'['}, so...), ']')) {
			t.Fatalf("so far: %s", so)
		}
		all := parts(fast)
		for i := range all {
			if c := all[i].FunctionCall; c != nil && !json.Valid(c.Args) {
				t.Fatalf("arguments %q", c.Args)
			}
		}
		message := llm.Model(all...)
		var back llm.Content
		if err := back.UnmarshalJSON(message.AppendJSON(nil)); err != nil {
			t.Fatalf("not to be read back: %v\n%s", err, message.AppendJSON(nil))
		}
		req := &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hi")), message, llm.User(llm.Text("go on"))}}
		var body bytes.Buffer
		_, _ = body.ReadFrom((&query{Request: req}).body().Reader())
		if _, why := check("/v1/messages", body.Bytes()); why != "" { // the SDK would take most of the time
			t.Fatalf("%s\n%s", why, body.String())
		}
	})
}
