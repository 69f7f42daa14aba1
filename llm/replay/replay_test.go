package replay_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pollux/llm"
	"pollux/llm/replay"
)

// threeChunks is a generator that responds to every stream with three chunks.
type threeChunks struct{ fail error }

func (g threeChunks) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for _, text := range []string{"one\n", "two ", "three"} {
			if !yield(say(text), nil) {
				return
			}
		}
		if g.fail != nil {
			yield(nil, g.fail)
		}
	}
}

func (g threeChunks) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return say("all"), g.fail
}
func (g threeChunks) CountTokens(context.Context, *llm.Request) (int, error) { return 12, g.fail }
func (g threeChunks) Embed(context.Context, string, []string) ([][]float32, error) {
	return [][]float32{{0.5, -1}, {2}}, g.fail
}

func say(text string) *llm.Response {
	return &llm.Response{
		ResponseID: "r", ModelVersion: "v", Usage: &llm.Usage{Total: 3},
		Candidates: []llm.Candidate{{Content: llm.Model(llm.Part{Text: "hm", Thought: true}, llm.Text(text)), FinishReason: llm.FinishStop}},
	}
}

func prompt() *llm.Request {
	return &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hello"))}}
}

func texts(t *testing.T, g llm.Generator) string {
	t.Helper()
	var s []string
	for chunk, err := range g.Stream(t.Context(), prompt()) {
		if err != nil {
			t.Fatal(err)
		}
		s = append(s, chunk.Text())
	}
	return strings.Join(s, "|")
}

func TestRecordAndPlay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	r, err := replay.Record(threeChunks{}, file)
	if err != nil {
		t.Fatal(err)
	}
	play := func(g llm.Generator) {
		t.Helper()
		if got := texts(t, g); got != "one\n|two |three" {
			t.Errorf("stream %q", got)
		}
		if res, err := g.Generate(t.Context(), prompt()); err != nil || res.Text() != "all" || res.Usage.Total != 3 || len(res.Parts()) != 2 {
			t.Errorf("generate %+v, %v", res, err)
		}
		if n, err := g.CountTokens(t.Context(), prompt()); n != 12 || err != nil {
			t.Errorf("count %d, %v", n, err)
		}
		if v, err := g.Embed(t.Context(), "e", []string{"a", "b"}); !reflect.DeepEqual(v, [][]float32{{0.5, -1}, {2}}) || err != nil {
			t.Errorf("embed %v, %v", v, err)
		}
	}
	play(r)
	// Each line is in the file when its call returns. Only the user can read the file.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != 4 || strings.Contains(string(data), "responseId") {
		t.Errorf("%d lines:\n%s", n, data)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := replay.Open(file, true)
	if err != nil {
		t.Fatal(err)
	}
	play(p)
}

func TestWhatIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	failed, err := replay.Record(threeChunks{fail: errors.New("no")}, filepath.Join(dir, "failed"))
	if err != nil {
		t.Fatal(err)
	}
	defer failed.Close()
	for range failed.Stream(t.Context(), prompt()) { //nolint:revive // only its end matters
	}
	if _, err := failed.Generate(t.Context(), prompt()); err == nil {
		t.Error("no error")
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "failed")); len(data) != 0 {
		t.Errorf("calls that failed left %s", data)
	}

	broken, err := replay.Record(threeChunks{}, filepath.Join(dir, "broken"))
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	for range broken.Stream(t.Context(), prompt()) {
		break
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "broken")); strings.Count(string(data), `"candidates"`) != 1 {
		t.Errorf("a reader that had enough left %s", data)
	}
}

func TestRecordConcurrently(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	r, err := replay.Record(threeChunks{}, file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { _ = texts(t, r) })
	}
	wg.Wait()
	p, err := replay.Open(file, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if got := texts(t, p); got != "one\n|two |three" {
			t.Fatalf("stream %q", got)
		}
	}
}

const two = `{"method":"generateContent","response":{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}}

{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"b"}]}}]}]}`

func open(t *testing.T, text string, strict bool) *replay.Player {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := replay.Open(file, strict)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOrder(t *testing.T) {
	t.Parallel()
	if got := texts(t, open(t, two, false)); got != "b" {
		t.Errorf("not strict: %q", got)
	}
	var last error
	for _, err := range open(t, two, true).Stream(t.Context(), prompt()) {
		last = err
	}
	if want := "Unexpected response type, next response was for generateContent but expected generateContentStream"; last == nil || last.Error() != want {
		t.Errorf("strict: %v", last)
	}
}

// A recorded response to tool results is whole, even without a finish reason.
func TestFinish(t *testing.T) {
	t.Parallel()
	const unmarked = `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]},null]}`
	results := &llm.Request{Contents: []*llm.Content{llm.User(llm.Part{FunctionResponse: llm.Output("1", "ls", "x")})}}
	for _, tt := range []struct {
		line string
		req  *llm.Request
		want llm.FinishReason
	}{
		{unmarked, results, llm.FinishStop},
		{unmarked, prompt(), ""},
		{strings.Replace(unmarked, `"}]}}`, `"}]},"finishReason":"MAX_TOKENS"}`, 1), results, llm.FinishMaxTokens},
		{`{"method":"generateContentStream","response":[]}`, results, llm.FinishStop},
	} {
		var got llm.FinishReason
		for chunk, err := range open(t, tt.line, true).Stream(t.Context(), tt.req) {
			if err != nil {
				t.Fatal(err)
			}
			got = chunk.FinishReason()
		}
		if got != tt.want {
			t.Errorf("%s: finish reason %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestNoMore(t *testing.T) {
	t.Parallel()
	want := "No more mock responses for generateContentStream, got request:\n" +
		`{"model":"m","contents":[{"role":"user","parts":[{"text":"hello"}]}]}`
	for _, strict := range []bool{true, false} {
		var last error
		for _, err := range open(t, "", strict).Stream(t.Context(), prompt()) {
			last = err
		}
		var e *llm.Error
		if !errors.As(last, &e) || last.Error() != want {
			t.Errorf("strict %v: %v", strict, last)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := open(t, two, true)
	if _, err := p.Generate(ctx, prompt()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if res, err := p.Generate(t.Context(), prompt()); err != nil || res.Text() != "a" {
		t.Errorf("the cancelled call used a line up: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{}\n":                        `:1: unknown method ""`,
		"\n{\"method\":":              ":2: unexpected end of JSON input",
		`{"method":"x"}`:              `unknown method "x"`,
		`[1]`:                         ":1: json:",
		"{\"method\":\"countTokens\"": ":1: ",
	} {
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := replay.Open(file, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := open(t, `{"method":"countTokens"}`, true).CountTokens(t.Context(), prompt()); err == nil {
		t.Error("a line without response is an answer")
	}
	if _, err := open(t, `{"method":"generateContent","response":[]}`, true).Generate(t.Context(), prompt()); err == nil {
		t.Error("a list is one answer")
	}
	if _, err := replay.Open(filepath.Join(t.TempDir(), "none"), true); err == nil {
		t.Error("no file is a recording")
	}
	if _, err := replay.Record(threeChunks{}, filepath.Join(t.TempDir(), "no", "dir")); err == nil {
		t.Error("recorded into no directory")
	}
}
