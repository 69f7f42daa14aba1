package conversation

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	f := full()
	changed := agent.Execution{Name: "tool1", ChangedBy: []agent.Author{agent.AuthorHook}}
	f.calls = map[string][]agent.CallRecord{
		"other": {{ID: "1", Description: "of another message"}},
		"r": {
			{ID: "1", Status: agent.CallCancelled, Description: "about one", Display: tool.TextDisplay(strings.Repeat("long ", 20)), Executions: []agent.Execution{{Name: "tool1"}, changed}},
			{ID: "2", Display: tool.TextDisplay("short")},
		},
	}
	c := New(f.source())
	one, two := c.Item(4).Call, c.Item(5).Call
	if one.Description != "about one" || one.Status != agent.CallCancelled || one.Output != strings.Repeat("long ", 20) || !strings.HasPrefix(one.Result, "one") {
		t.Errorf("the call is %+v", one)
	}
	if len(one.Ran) != 1 || one.Ran[0].ChangedBy[0] != agent.AuthorHook {
		t.Errorf("the executions are %+v", one.Ran)
	}
	if two.Output != "broken" || two.Status != agent.Failed {
		t.Errorf("the shorter text of the display replaces the result: %+v", two)
	}
	if text, _ := tool.DisplayText(two.Display); text != "short" {
		t.Errorf("the display is %q", text)
	}
}

func TestArgumentsText(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{}`: "",
		`{"z":"text","a":1, "list": [1, {"b":  null}]}`: "z: text\na: 1\nlist: [1,{\"b\":null}]\n",
		`{"long":"one\n  two\r\n","x":""}`:              "long:\n  one\n    two\nx: \n",
		`[1]`:                                           `[1]`,
		`no JSON`:                                       `no JSON`,
		`{"a":1`:                                        `{"a":1`,
		``:                                              ``,
		`{"a":1} and more`:                              `{"a":1} and more`,
	} {
		if got := ArgumentsText(json.RawMessage(args)); got != want {
			t.Errorf("%s is %q, not %q", args, got, want)
		}
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{
		`{"output":"a\nb"}`:            "success a\nb",
		`{"output":""}`:                "success ",
		`{"error":"no"}`:               "error no",
		`{"error":{"code":1}}`:         `error {"code":1}`,
		`{"output":[1]}`:               `success {"output":[1]}`,
		`{"result":1}`:                 `success {"result":1}`,
		`no JSON`:                      "success no JSON",
		`{"output":"x","error":"why"}`: "error why",
	} {
		r := &llm.FunctionResponse{ID: "1", Response: json.RawMessage(response), Parts: []llm.Part{image(2)}}
		f := &fixed{history: []agent.Message{{Content: llm.Model(callOf("1"))}, {Content: llm.User(llm.Part{FunctionResponse: r})}}}
		it := New(f.source()).Item(0).Call
		want += "\n[image/png, 2 bytes]"
		if response == `{"output":""}` {
			want = "success [image/png, 2 bytes]"
		}
		if got := string(it.Status) + " " + it.Result; got != want {
			t.Errorf("%s is %q, not %q", response, got, want)
		}
	}
}

func FuzzArgumentsText(f *testing.F) {
	f.Add([]byte(`{"a":"b\nc","d":[1]}`))
	f.Add([]byte(`{"a":`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var object map[string]any
		isObject := json.Unmarshal(data, &object) == nil
		text := ArgumentsText(data)
		if isObject && object != nil && len(object) > 0 && !strings.Contains(text, ":") {
			t.Errorf("%s is %q", data, text)
		}
		if len(data) > 0 && !isObject && text == "" && strings.TrimSpace(string(data)) != "{" {
			t.Errorf("%q has no text", data)
		}
	})
}
