package llmtest

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"pollux/llm"
)

// damaged returns streams that a test damages: the text and the calls of each are known.
func damaged() map[string][]*llm.Response {
	call := func(id, path string) llm.Part {
		return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "read_file", Args: []byte(`{"path":"` + path + `"}`)}}
	}
	return map[string][]*llm.Response{
		"text":  {chunk("", llm.Text("Grüße, ")), chunk("", llm.Text("\"two\"\nlines")), chunk(llm.FinishStop, llm.Text("!"))},
		"calls": {chunk("", llm.Text("I look.")), chunk("", call("c1", "one")), chunk(llm.FinishStop, call("c2", "two"))},
	}
}

// testCut checks streams that end at each of their bytes as if they were whole: no part of a
// response passes for a whole one.
func testCut(t *testing.T, v Vendor) {
	for name, chunks := range damaged() {
		whole := v.Stream(chunks)
		v.testDamage(t, chunks, bytes.Join(whole, nil), func(stream []byte, at int) (string, []byte) {
			return name + " cut", stream[:at]
		})
	}
}

// foreign are bytes that proxies and broken connections put into streams. Each contains a byte
// that no JSON string has, because other damage cannot be seen.
var foreign = map[string]string{
	"a web page": "<html>\n<head><title>502 Bad Gateway</title></head></html>\n",
	"binary":     "\x00\xff\xfe\x1f\x80",
	"gzip":       "\x1f\x8b\x08\x00\x00\x09\x6e\x88\x00\xff\xcaH\xcd\xc9",
	"half JSON":  "{\"half\": [1,\n",
	"an error":   "upstream connect error or disconnect/reset before headers\r\n",
}

// testForeign checks streams with foreign bytes between any two of theirs.
func testForeign(t *testing.T, v Vendor) {
	for name, chunks := range damaged() {
		whole := bytes.Join(v.Stream(chunks), nil)
		for what, garbage := range foreign {
			v.testDamage(t, chunks, whole, func(stream []byte, at int) (string, []byte) {
				return name + " with " + what, bytes.Join([][]byte{stream[:at], stream[at:]}, []byte(garbage))
			})
		}
	}
}

// maxDamages is about how many bytes of a stream are damaged, in turn.
const maxDamages = 300

// testDamage serves stream with damage at each of its bytes, or at some of them if it is long. The response is whole and
// unchanged, has no finish reason, or ends with an error that is worth another attempt.
func (v Vendor) testDamage(t *testing.T, chunks []*llm.Response, stream []byte, damage func(stream []byte, at int) (string, []byte)) {
	t.Helper()
	var want Answer
	for _, c := range chunks {
		want.Add(c)
	}
	var body []byte // written between requests only
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		v.open(w)
		send(w, body)
	})
	g := v.New(t, s.URL)
	step := max(1, len(stream)/maxDamages)
	for at := 0; at < len(stream); at += step {
		var name string
		name, body = damage(stream, at)
		got, err := collect(t, g)
		var e *llm.Error
		switch {
		case err != nil && !errors.As(err, &e):
			t.Fatalf("%s at byte %d: error %v (%T)", name, at, err, err)
		case e != nil && !e.Retryable():
			t.Errorf("%s at byte %d: kind %v: %v", name, at, e.Kind, e)
		case err == nil && got.Finish != "" && got.content() != want.content():
			t.Errorf("%s at byte %d: %s, finish reason %s", name, at, got.content(), got.Finish)
		}
	}
}

// content returns the text and the calls of a, without their ids.
func (a *Answer) content() string {
	s := fmt.Sprintf("text %q", a.Text)
	for _, c := range a.Calls {
		s += fmt.Sprintf(", call %s %s", c.Name, c.Args)
	}
	return s
}

// collect returns the answer of g and the error that ended it.
func collect(t *testing.T, g llm.Generator) (a Answer, err error) {
	t.Helper()
	for chunk, err := range g.Stream(t.Context(), Prompt("hello")) {
		if err != nil {
			return a, err
		}
		a.Add(chunk)
	}
	return a, nil
}
