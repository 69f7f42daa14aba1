package laxjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pollux/llm/laxjson"
)

func TestObject(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{}`:                                       `{}`,
		` {"a": [1, -2.5e3, true, null]} `:         `{"a":[1,-2.5e3,true,null]}`,
		`{'a': 'b "c" d'}`:                         `{"a":"b \"c\" d"}`,
		`{'a': 'it's', 'b': 'don\'t'}`:             `{"a":"it's","b":"don't"}`,
		`{a: 1, $b_c-d: 2,}`:                       `{"a":1,"$b_c-d":2}`,
		`{"a": [1, 2,],}`:                          `{"a":[1,2]}`,
		"{\"a\": \"x\ty\nz\r\x01\"}":               `{"a":"x\ty\nz\r\u0001"}`,
		`{"a": "\d+\.go \u00e9 \"q\""}`:            `{"a":"\\d+\\.go \u00e9 \"q\""}`,
		"{// first\n\"a\": /* two */ 1 # three\n}": `{"a":1}`,
		`{"a": True, "b": None, "c": word}`:        `{"a":true,"b":null,"c":"word"}`,
		`{"a": +5}`:                                `{"a":5}`,
		"{\"a\": \"\xff\"}":                        "{\"a\":\"\uFFFD\"}",
		`{"a":1}{`:                                 ``,
		`{"a" "b"}`:                                ``,
		`{"a": "say "hi""}`:                        ``,
		`{"a": 1 "b": 2}`:                          ``,
		`{"a": ...}`:                               ``,
		`{"a": 007}`:                               ``,
		`{"a": "\u12x"}`:                           ``,
		`{"a": 1]`:                                 ``,
		`{,}`:                                      ``,
		`{"a":}`:                                   ``,
		`{"a":[}`:                                  ``,
		`{"a": 1`:                                  ``,
		`[1]`:                                      ``,
		`"a"`:                                      ``,
		``:                                         ``,
		`/ {}`:                                     ``,
		strings.Repeat(`{"a":`, 1000):              ``,
	} {
		got, ok := laxjson.ParseObject(in)
		if ok != (want != "") || string(got) != want {
			t.Errorf("%.60s: %s, %v, want %s", in, got, ok, want)
		}
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a": {"b": [1, "x"]`:       `2 {"a":{"b":[1,"x"]}}`, // the array is closed
		`{"a": [{"b": {}}, `:         `2 {"a":[{"b":{}}]}`,
		`{"a": {"b": 1}, ` + "```":   `1 {"a":{"b":1}}`,
		`{"a": {} // so`:             `1 {"a":{}}`,
		`{"a": {} and more`:          `1 {"a":{}}`,
		`{"a": {} /and more`:         `1 {"a":{}}`,
		`{"a": "x`:                   ``,
		`{"a": 'x'`:                  ``, // the string may continue
		`{"a": 12`:                   ``,
		`{"a": 12 `:                  `1 {"a":12}`,
		`{"a": [`:                    ``,
		`{"a":`:                      ``,
		`{"a"`:                       ``,
		`{`:                          ``,
		`{"b": {} /**/, "a": "\u00x`: ``,
		`{"b": {} /**/, "a": 0x1 `:   ``,
		`{}`:                         ``,
		``:                           ``,
	} {
		var r laxjson.Reader
		r.Add(in)
		got := ""
		if n, ok := r.Close(); ok {
			got = fmt.Sprint(n, " ", string(r.JSON()))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestText checks which strings the reader reports.
func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]laxjson.Text{
		`{"a": "b"}`:                          {{Name: "a", Start: 7, End: 8}, {}},
		`{"a": 'b', c: 1}`:                    {{Name: "a", Start: 7, End: 8}, {}},
		`{"a": "b", c: ["d", "`:               {{Name: "c", Start: 21}, {}},
		`{"a": "b" c"`:                        {{Name: "a", Start: 7, End: 8}, {}},
		`{"a": 1`:                             {},
		"{\"a\": \"x\n'\\nz\", b: \"\n\\n\"}": {{Name: "b", Start: 20, End: 23}, {Name: "a", Start: 7, End: 13}},
		"{\"a\": \"x\ny\\nz\"}":               {{Name: "a", Start: 7, End: 13}, {}},
		"{\"a\": \"x\ny\\\\n\"}":              {{Name: "a", Start: 7, End: 13}, {}},
	} {
		var r laxjson.Reader
		r.Add(in)
		if got := [2]laxjson.Text{r.LastText(), r.MixedText()}; got != want {
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
	}
}

// TestMixedText checks in which texts with line breaks as they are the escape \n is unclear.
func TestMixedText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a\n" + `f(x)\n\tg()\nx = 1`:             false,
		"a\n" + `f(\"b\")\n\treturn 'c'\n`:       false,
		"a\n" + `f(\"b\n\")`:                     true,
		"a\n" + `f('b\n')`:                       true,
		"a\n" + `f(\"b\", \"c\n\")`:              true,
		"a\n" + `f(\"\\\"\n\")`:                  true,
		"a\n" + `f(\"\\\"\")\nb`:                 false,
		"a\n" + `f(\"\\\\\")\nb`:                 false,
		"a\n" + "s = `b\n" + `c\n` + "`":         true,
		"a\n" + "s = `b\nc`" + `;\nd`:            false,
		"a\n" + `s = \"\"\"b` + "\n" + `c\n`:     true,
		"a\n" + `s = \"\"\"b\"\"\";\nc = \"\"\n`: false,
		"a\n" + `// It's` + "\n" + `b\nc`:        false,
		"a\n" + `// It ends at \n.`:              true,
		"a\n" + `/[^\n]+/`:                       true,
		`f()\n` + "\n" + `g(\"\u0041\\d\")\nh`:   false,
		`f()\n` + "\n" + `g(\"\u0041\d\n`:        true,
		`\n` + "\na":                             false,
		`f(\"b\n\")`:                             false, // there is nothing to compare it with
	} {
		var r laxjson.Reader
		if r.Add(`{"a": "` + text + `"}`); (r.MixedText().Start > 0) != want {
			t.Errorf("%s: %+v, want %v", text, r.MixedText(), want)
		}
	}
}

// FuzzReader checks that the result does not depend on how the text is split,
// that it is valid JSON, and that valid JSON is unchanged.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c\n"}]} x`, `{'a': 'it's', b: [True,], /* c */}`, "{\"a\":\"\\u00e9\\d\xff\"", `{"a":{"b":1},`, `{"a":"\ud800"}`} {
		f.Add(s, uint8(1))
	}
	f.Fuzz(func(t *testing.T, s string, cut uint8) {
		var whole, pieces laxjson.Reader
		n, status := whole.Add(s)
		at, again := 0, laxjson.More
		for at < len(s) && again == laxjson.More {
			var m int
			m, again = pieces.Add(s[at:min(len(s), at+1+int(cut%16))])
			at += m
		}
		if at != n || again != status {
			t.Fatalf("%q: %d bytes, status %v; in pieces %d, %v", s, n, status, at, again)
		}
		if whole.LastText() != pieces.LastText() || whole.MixedText() != pieces.MixedText() {
			t.Fatalf("%q: texts %v, %v; in pieces %v, %v", s, whole.LastText(), whole.MixedText(), pieces.LastText(), pieces.MixedText())
		}
		if text := whole.LastText(); text.Start < 0 || text.End > n || text.End != 0 && text.End < text.Start {
			t.Fatalf("%q: text %v", s, text)
		}
		done := status == laxjson.Done
		if !done {
			_, done = whole.Close()
			if _, ok := pieces.Close(); ok != done {
				t.Fatalf("%q: closed %v, in pieces %v", s, done, ok)
			}
		}
		if done && (!json.Valid(whole.JSON()) || !bytes.Equal(whole.JSON(), pieces.JSON())) {
			t.Fatalf("%q: %s, in pieces %s", s, whole.JSON(), pieces.JSON())
		}
		trimmed := strings.TrimLeft(s, " \t\r\n")
		if json.Valid([]byte(s)) && (trimmed[0] == '{' || trimmed[0] == '[') && strings.Count(s, "{")+strings.Count(s, "[") < 100 {
			if status != laxjson.Done {
				t.Fatalf("%q: status %v", s, status)
			}
			if decode(t, []byte(s)) != nil && !reflect.DeepEqual(decode(t, []byte(s)), decode(t, whole.JSON())) {
				t.Fatalf("%q becomes %s", s, whole.JSON())
			}
		}
	})
}

func decode(t *testing.T, data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return v
}

func BenchmarkReader(b *testing.B) {
	s := `{"tool_call": {"name": "write_file", "arguments": {"content": "` + strings.Repeat(`func f() string { return \"x\" }\n`, 1000) + `"}}}`
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		var r laxjson.Reader
		r.Add(s)
	}
}

func ExampleParseObject() {
	data, ok := laxjson.ParseObject("{path: 'a b.go', /* all */ 'limit': None,}")
	fmt.Println(string(data), ok)
	// Output: {"path":"a b.go","limit":null} true
}
