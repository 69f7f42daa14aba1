package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`{"id":"1","timestamp":"t","type":"user","content":[{"text":"a \u00e9\n"},{"text":" "}],"displayContent":"shown"}`:                                {"user: a é\n", "user: shown"},
		"\x00\x00 " + `{"id":"1","type":"gemini","content":"after NULs"}`:                                                                                 {"gemini: after NULs"},
		`{"id":"1","type":"gemini","content":[{"text":"thought","thought":true},{"thought":false,"text":"said"}],"thoughts":[{"subject":"x"}]}`:           {"gemini: said"},
		`{"id":"1","type":"gemini","content":[{"functionCall":{"name":"f","args":{"a":"b","c":{"d":["e",1,null]}}}}]}`:                                    {"tool: b", "tool: e"},
		`{"id":"1","type":"user","content":[{"functionResponse":{"id":"i","response":{"output":"o"}}},{"inlineData":{"data":"AAAA"}}]}`:                   {"tool: o"},
		`{"id":"1","type":"gemini","content":"","toolCalls":[{"args":{"p":"q"},"result":[{"functionResponse":{"response":{"output":"r"}}}]},{"args":1}]}`: {"tool: q", "tool: r"},
		`{"id":"1","type":"gemini","content":"","toolCalls":[{"executions":[{"args":{"command":"s"},"description":"t"}]},{"executions":1}]}`:              {"tool: s"},
		`{"content":"before its type","type":"user","id":"1"}`:                                                                                            {"user: before its type"},
		`{"$set":{"messages":[{"id":"1","type":"user","content":"x"},{"id":"2","type":"info","content":"y"},3]}}`:                                         {"user: x"},
		`{"sessionId":"s","projectHash":"h","messages":[{"id":"1","type":"gemini","content":{"text":"old"}}]}`:                                            {"gemini: old"},
		`{"id":"1","timestamp":"t","type":"info","content":"called"}`:                                                                                     nil,
		`{"type":"info","id":"1","content":"called"}`:                                                                                                     nil,
		`{"id":"1","type":"user","content":[{"text":"<session_context>x"},{"text":"y"}]}`:                                                                 nil,
		`{"$rewindTo":"1","id":"1","type":"user","content":"x"}`:                                                                                          nil,
		`{"sessionId":"s","content":"no message"}`:                                                                                                        nil,
		`{"id":"1","type":"user","content":"torn`:                                                                                                         nil,
		`{"id":"1","type":"user","content":"x"} {}`:                                                                                                       nil,
		`["x"]`: nil,
		"":      nil,
	} {
		var got []string
		for text := range Texts([]byte(line)) {
			got = append(got, text.Kind+": "+string(text.Text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n-want +got\n%s", line, diff)
		}
	}
}
