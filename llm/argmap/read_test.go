package argmap_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pollux/llm/argmap"
)

const readSchema = `{"type":"object","properties":{
	"file_path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"},"ratio":{"type":"number"},
	"deep":{"type":"boolean"},"names":{"type":"array","items":{"type":"string"}},"lines":{"type":"array","items":{"type":"integer"}},
	"options":{"type":"object","properties":{"git":{"type":"boolean"},"depth":{"type":"integer"}},"required":["depth"]},
	"todos":{"type":"array","items":{"type":"object","properties":{"done":{"type":"boolean"}}}},
	"maybe":{"type":["string","null"]},"either":{"anyOf":[{"type":"integer"},{"type":"string"}]},"any":{}
},"required":["file_path"]}`

// TestRead checks the names and values of arguments.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{`{"file_path": "a", "start_line": 3}`, `{"file_path": "a", "start_line": 3}`},
		{`{"file_path":"a","start_line":"5","end_line":" 10 ","ratio":"1.5","deep":"True"}`, `{"file_path":"a","start_line":5,"end_line":10,"ratio":1.5,"deep":true}`},
		{`{"file_path":"a","start_line":"5.0","deep":"false"}`, `{"file_path":"a","start_line":5,"deep":false}`},
		{`{"file_path":"\"a\"","start_line":"\"34\"","end_line":"' 5 '","deep":"\"true\""}`, `{"file_path":"\"a\"","start_line":34,"end_line":5,"deep":true}`},
		{`{"file_path":"a","start_line":"\"34","end_line":"\"","deep":"\"\""}`, `{"file_path":"a","start_line":"\"34","end_line":"\"","deep":"\"\""}`},
		{`{"file_path":"a","start_line":"5.5","deep":"yes"}`, `{"file_path":"a","start_line":5.5,"deep":"yes"}`},
		{`{"file_path":"a","start_line":"five"}`, `{"file_path":"a","start_line":"five"}`},
		{`{"file_path":5}`, `{"file_path":"5"}`},
		{`{"file_path":true,"names":1}`, `{"file_path":"true","names":["1"]}`},
		{`{"file_path":{"a":1}}`, `{"file_path":{"a":1}}`},
		{`{"names":"a","lines":"5"}`, `{"names":["a"],"lines":[5]}`},
		{`{"names":"[\"a\", \"b\"]","lines":["1",2]}`, `{"names":["a", "b"],"lines":[1,2]}`},
		{`{"names":"['a',]"}`, `{"names":["a"]}`},
		{`{"names":{"a":1},"lines":"x"}`, `{"names":{"a":1},"lines":"x"}`},
		{`{"options":"{\"git\": \"true\", \"depth\": \"2\"}"}`, `{"options":{"git":true,"depth":2}}`},
		{`{"options":{"git":null,"depth":null}}`, `{"options":{"depth":null}}`},
		{`{"todos":{"done":"true"}}`, `{"todos":[{"done":true}]}`},
		{`{"todos":"[{\"done\":\"true\"}]"}`, `{"todos":[{"done":true}]}`},
		{`{"file_path":null,"start_line":null,"deep":null,"maybe":null,"any":null}`, `{"file_path":null,"maybe":null,"any":null}`},
		{`{"start_line":"","deep":"","file_path":"","maybe":"","names":""}`, `{"file_path":"","maybe":"","names":[""]}`},
		{`{"maybe":"null","either":"5","any":"5"}`, `{"maybe":"null","either":"5","any":"5"}`},
		{`{"path":"a","offset":"10","limit":5}`, `{"file_path":"a","start_line":11,"end_line":15}`},
		{`{"filePath":"a","limit":5.0}`, `{"file_path":"a","end_line":5}`},
		{`{"filePath":"a","limit":"5"}`, `{"file_path":"a","end_line":5}`},
		{`{"file_path":"a","offset":0,"limit":2}`, `{"file_path":"a","end_line":2}`},
		{`{"file_path":"a","offset":7}`, `{"file_path":"a","start_line":8}`},
		{`{"file_path":"a","start_line":3,"limit":2}`, `{"file_path":"a","start_line":3,"end_line":4}`},
		{`{"file_path":"a","offset":-5,"limit":0}`, `{"file_path":"a","offset":-5,"limit":0}`},
		{`{"FILE_PATH":"a","Start-Line":"2"}`, `{"file_path":"a","start_line":2}`},
		{`[]`, `[]`},
		{``, ``},
		{`{"a":`, `{"a":`},
		{`null`, `null`},
	} {
		got := argmap.Common().Read("read_file", json.RawMessage(readSchema), json.RawMessage(c.args))
		if string(got.Args) != c.want || len(got.Notes) > 0 {
			t.Errorf("%s\n got %s %q\nwant %s", c.args, got.Args, got.Notes, c.want)
		}
		again := argmap.Common().Read("read_file", json.RawMessage(readSchema), got.Args)
		if string(again.Args) != string(got.Args) {
			t.Errorf("%s, then %s", got.Args, again.Args)
		}
	}
	fetch := json.RawMessage(`{"properties":{"prompt":{"type":"string"}},"required":["prompt"]}`)
	for in, want := range map[string]string{
		`{"url":"https://a","prompt":"Sum it up."}`:         `{"prompt":"Sum it up.\nhttps://a"}`,
		`{"prompt":"Sum up https://a","url":"https://a"}`:   `{"prompt":"Sum up https://a"}`,
		`{"url":"https://a"}`:                               `{"prompt":"https://a"}`,
		`{"prompt":"Sum up https://a"}`:                     `{"prompt":"Sum up https://a"}`,
		`{"url":["https://a"],"prompt":"Sum up https://a"}`: `{"prompt":"Sum up https://a"}`,
	} {
		if got := argmap.Common().Read("web_fetch", fetch, json.RawMessage(in)); string(got.Args) != want {
			t.Errorf("%s: %s, want %s", in, got.Args, want)
		}
	}
	direct := json.RawMessage(`{"properties":{"prompt":{"type":"string"},"url":{"type":"string"}}}`)
	if got := argmap.Common().Read("web_fetch", direct, json.RawMessage(`{"url":"a","prompt":"b"}`)); string(got.Args) != `{"url":"a","prompt":"b"}` {
		t.Errorf("%s", got.Args)
	}
	unknown := argmap.Common().Read("read_file", json.RawMessage(readSchema), json.RawMessage(`{"file_path":"a","foo":1,"bar":null}`))
	if !slices.Equal(unknown.Ignored, []string{"foo", "bar"}) {
		t.Errorf("%q", unknown.Ignored)
	}
	if got := (argmap.Names{}).Read("x", json.RawMessage(`{"type":"object"}`), json.RawMessage(`{"a":null}`)); string(got.Args) != `{"a":null}` || len(got.Ignored) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestAmbiguous checks which of several arguments counts, and that the others are removed.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want, note string }{
		{`{"path":"b","file_path":"a"}`, `{"file_path":"a"}`, `file_path "a" was used, path "b" was ignored`},
		{`{"file_path":"a","FILE_PATH":"b"}`, `{"file_path":"a"}`, `file_path "a" was used, FILE_PATH "b" was ignored`},
		{`{"file_path":"a","path":"a"}`, `{"file_path":"a"}`, ``},
		{`{"path":"a","filename":"b"}`, `{"file_path":"a"}`, `file_path "a" was used, filename "b" was ignored`},
		{`{"file_path":"a","start_line":2,"offset":9}`, `{"file_path":"a","start_line":2}`, `start_line 2 was used, offset 9 was ignored`},
		{`{"file_path":"a","start_line":2,"offset":1}`, `{"file_path":"a","start_line":2}`, ``},
		{`{"file_path":"a","end_line":2,"limit":9}`, `{"file_path":"a","end_line":2}`, `end_line 2 was used, limit 9 was ignored`},
		{`{"file_path":"a","path":"` + strings.Repeat("é", 99) + `"}`, `{"file_path":"a"}`, `file_path "a" was used, path "` + strings.Repeat("é", 29) + `... was ignored`},
	} {
		got := argmap.Common().Read("read_file", json.RawMessage(readSchema), json.RawMessage(c.args))
		if string(got.Args) != c.want || strings.Join(got.Notes, "; ") != c.note {
			t.Errorf("%s\n got %s %q\nwant %s %q", c.args, got.Args, got.Notes, c.want, c.note)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"path":"a","path":"b"}`, `{"todos":"[{\"done\":\"true\"}]"}`, `{"options":"{'git': True}"}`, `{"offset":"1e9","limit":1e300}`, "{\"file_path\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		got := argmap.Common().Read("read_file", json.RawMessage(readSchema), args)
		if json.Valid(args) && !json.Valid(got.Args) {
			t.Fatalf("%q becomes %q", args, got.Args)
		}
	})
}

// TestSeconds checks limits in milliseconds where the schema has seconds.
func TestSeconds(t *testing.T) {
	t.Parallel()
	const schema = `{"properties":{"command":{"type":"string"},"timeout_seconds":{"type":"number"}}}`
	for args, want := range map[string]string{
		`{"command":"a","timeout_ms":60000}`:       `{"command":"a","timeout_seconds":60}`,
		`{"timeoutMs":"1500"}`:                     `{"timeout_seconds":2}`,
		`{"timeout_ms":30}`:                        `{"timeout_ms":30}`,
		`{"timeout_ms":60000,"timeout_seconds":5}`: `{"timeout_ms":60000,"timeout_seconds":5}`,
		`{"timeout_ms":1e99}`:                      `{"timeout_ms":1e99}`,
		`{"timeout_ms":"long"}`:                    `{"timeout_ms":"long"}`,
	} {
		if got := argmap.Common().Read("run_shell_command", json.RawMessage(schema), json.RawMessage(args)); string(got.Args) != want {
			t.Errorf("%s\n got %s\nwant %s", args, got.Args, want)
		}
	}
	own := json.RawMessage(`{"properties":{"timeout_ms":{"type":"number"},"timeout_seconds":{"type":"number"}}}`)
	if got := argmap.Common().Read("x", own, json.RawMessage(`{"timeout_ms":60000}`)); string(got.Args) != `{"timeout_ms":60000}` {
		t.Errorf("a tool with both: %s", got.Args)
	}
}
