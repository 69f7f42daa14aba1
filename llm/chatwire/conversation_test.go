package chatwire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// lineForm is a protocol with one line per message. It supports only images.
type lineForm struct{}

func (lineForm) Key() string                   { return "plain" }
func (lineForm) WireID(id, name string) string { return name + id }
func (lineForm) AppendCall(dst []byte, c *llm.FunctionCall) []byte {
	return append(dst, httpwire.AsObject(c.Args, "input")...)
}

func (lineForm) AppendThought(dst []byte, p *llm.Part) []byte { return append(dst, p.Text...) }

func (lineForm) AppendMedia(dst []byte, p *llm.Part) []byte {
	if p.InlineData != nil && p.InlineData.MIMEType == "image/png" {
		dst = append(dst, p.InlineData.Data...)
	}
	return dst
}

// lineWriter writes messages in lineForm and numbers the calls.
type lineWriter struct {
	strings.Builder
	calls int
}

func (w *lineWriter) CallID(id []byte) []byte {
	w.calls++
	return fmt.Appendf(nil, "%s#%d", id, w.calls)
}

func (w *lineWriter) write(role string, pieces Pieces) {
	w.WriteString(role)
	for _, p := range pieces {
		fmt.Fprintf(w, " %c:%s%s", p.Kind, p.ID, p.Data)
	}
	w.WriteByte('\n')
}

func (w *lineWriter) Assistant(pieces Pieces) { w.write("model", pieces) }

func (w *lineWriter) Result(id, name, text []byte) {
	fmt.Fprintf(w, "result %s of %s: %s\n", id, name, text)
}

func (w *lineWriter) User(pieces Pieces, afterResults bool) {
	w.write(map[bool]string{false: "user", true: "user, behind results,"}[afterResults], pieces)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	call := func(id, args string) llm.Part {
		return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "f", Args: json.RawMessage(args)}}
	}
	result := func(id, text string) llm.Part { return llm.Part{FunctionResponse: llm.Output(id, "f", text)} }
	thought := llm.Part{Text: "hm", Thought: true}
	picture := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("PNG")}}
	sound := llm.Part{InlineData: &llm.Blob{MIMEType: "audio/wav", Data: []byte("RIFF\x00\x00\x00\x00WAVE"), DisplayName: "a.wav"}}
	seen := llm.Output("1", "f", "x")
	seen.Parts = []llm.Part{picture, sound}

	for _, c := range []struct {
		name     string
		contents []*llm.Content
		want     string
	}{
		{"nothing", nil, ""},
		{
			"texts of one side are one, the user's line by line",
			[]*llm.Content{llm.User(llm.Text("a"), llm.Text("\"b\"")), llm.User(llm.Text("c")), llm.Model(llm.Text("d"), llm.Text("e"))},
			`user t:a\n\"b\" t:c` + "\nmodel t:de\n",
		},
		{
			"results stand before words, in their own order",
			[]*llm.Content{llm.Model(call("1", ``), call("2", `[3]`)), llm.User(llm.Text("now"), result("2", "y"), result("1", "x"))},
			`model c:f1#1{} c:f2#2{"input":[3]}` + "\nresult f2#2 of f: y\nresult f1#1 of f: x\nuser, behind results, t:now\n",
		},
		{
			"a result is made for a call that has none, and none is for none",
			[]*llm.Content{llm.User(result("0", "x")), llm.Model(call("1", `{`)), llm.Model(llm.Text("b"))},
			`model c:f1#1{"input":"{"} t:b` + "\nresult f1#1 of f: " + missingResult + "\n",
		},
		{
			"the nth result answers the nth call of an id",
			[]*llm.Content{llm.Model(call("1", `{}`), call("1", `{}`)), llm.User(result("1", "x"), result("1", "y"), result("1", "z"))},
			"model c:f1#1{} c:f1#2{}\nresult f1#1 of f: x\nresult f1#2 of f: y\n",
		},
		{
			"thoughts of before are left out, and so is one that led to nothing",
			[]*llm.Content{llm.Model(thought, llm.Text("a")), llm.User(llm.Text("b")), llm.Model(thought), llm.Model(thought, llm.Text("c"))},
			"model t:a\nuser t:b\nmodel r:hm t:c\n",
		},
		{
			"media of a result follow it, with a word for what cannot be shown",
			[]*llm.Content{llm.Model(call("1", `{}`)), llm.User(llm.Part{FunctionResponse: seen})},
			"model c:f1#1{}\nresult f1#1 of f: x\nuser, behind results, t:From f: m:PNG t:[audio/wav a.wav left out: this model does not take it]\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w lineWriter
			if Write(&w, lineForm{}, c.contents, 1); w.String() != c.want {
				t.Errorf("got\n%swant\n%s", w.String(), c.want)
			}
		})
	}
}

func TestJSONInstruction(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		"":               `Answer with one JSON value and nothing else.`,
		`{"type":"null"`: `Answer with one JSON value and nothing else. It has to fit this JSON schema: {\"type\":\"null\"`,
	} {
		if got := string(JSONInstruction(json.RawMessage(schema))); got != want {
			t.Errorf("%q: %s", schema, got)
		}
	}
}

// FuzzRecord checks that pieces are read as they were written, for any text, id
// and name.
func FuzzRecord(f *testing.F) {
	f.Add("1", "f", "x\n\"", true)
	f.Add("", "\xff", "", false)
	f.Fuzz(func(t *testing.T, id, name, text string, model bool) {
		inner := func(s string) string { return string(AppendInner(nil, s)) }
		want := fmt.Sprint([]string{"o", inner(name + id), inner(name), inner(text)})
		c := llm.User(llm.Part{FunctionResponse: llm.Output(id, name, text)})
		if model {
			want = fmt.Sprint([]string{"c", inner(name + id), inner(name), "{}"})
			c = llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name}})
		}
		var p Piece
		rest := p.read(Record(lineForm{}, c))
		if got := fmt.Sprint([]string{string(p.Kind), string(p.ID), string(p.Name), string(p.Data)}); got != want || len(rest) > 0 {
			t.Errorf("got %s and %q, want %s", got, rest, want)
		}
	})
}
