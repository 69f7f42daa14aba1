package shorten_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"pollux/agent/shorten"
	"pollux/llm"
)

// shelf keeps the saved results.
type shelf struct {
	texts map[string]string // by path
	err   error
}

func (s *shelf) save(tool, call, text string) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	path := fmt.Sprintf("/outputs/%s_%s_%d.txt", tool, call, len(s.texts))
	s.texts[path] = text
	return path, nil
}

func output(id, text string) llm.Part {
	return llm.Part{FunctionResponse: llm.Output(id, "read_file", text)}
}

func failure(id, text string) llm.Part {
	return llm.Part{FunctionResponse: llm.Failure(id, "read_file", text)}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the log says nothing of interest\n", i+1)
	}
	return b.String()
}

func text(p llm.Part) string { return shorten.Text(p.FunctionResponse.Response) }

// The longest results are cut to the same size; shorter ones and other parts stay.
func TestShorten(t *testing.T) {
	t.Parallel()
	var kept shelf
	s := shorten.New(shorten.Options{Save: kept.save})
	long, longer, short := lines(2000), lines(9000), "a few words"
	message := llm.User(output("1", long), output("2", short), failure("3", longer), llm.Text("And this."))
	got := s.Shorten(t.Context(), message, 8000)
	if n := got.Tokens(); n > 8000 || n < 7000 {
		t.Errorf("%d tokens", n)
	}
	if text(got.Parts[1]) != short || got.Parts[3].Text != "And this." {
		t.Errorf("changed: %v", got.Parts[1:])
	}
	for i, want := range map[int]string{0: long, 2: longer} {
		cut := text(got.Parts[i])
		if !strings.HasPrefix(cut, "Output too large. Showing first ") || !strings.Contains(cut, "\nline 1 of") || !strings.HasSuffix(cut, want[len(want)-100:]) {
			t.Errorf("%d: %.200s", i, cut)
		}
		_, path, _ := strings.Cut(cut, "For full output see: ")
		path, _, _ = strings.Cut(path, "\n")
		if kept.texts[path] != want {
			t.Errorf("%d: %q holds %.50q", i, path, kept.texts[path])
		}
		if id := got.Parts[i].FunctionResponse.ID; id != message.Parts[i].FunctionResponse.ID {
			t.Errorf("id %q", id)
		}
	}
	if !strings.HasPrefix(string(got.Parts[2].FunctionResponse.Response), `{"error":`) || !strings.HasPrefix(string(got.Parts[0].FunctionResponse.Response), `{"output":`) {
		t.Error("a failure has become a success, or the other way")
	}
	if text(message.Parts[0]) != long {
		t.Error("the message itself has changed")
	}

	// Cut again, it still names the file with the whole.
	n := len(kept.texts)
	again := s.Shorten(t.Context(), got, 2000)
	if again.Tokens() > 2000 || len(kept.texts) != n {
		t.Errorf("%d tokens, %d more files", again.Tokens(), len(kept.texts)-n)
	}
	for i := range map[int]bool{0: true, 2: true} {
		first, _, _ := strings.Cut(text(got.Parts[i]), "\n")
		second, _, _ := strings.Cut(text(again.Parts[i]), "\n")
		if _, path, _ := strings.Cut(first, " characters."); path == "" || !strings.HasSuffix(second, path) {
			t.Errorf("%q after %q", second, first)
		}
	}
}

// Messages that fit, and messages without results, keep their pointers.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	s := shorten.New(shorten.Options{})
	for _, tt := range []struct {
		message *llm.Content
		size    int
	}{
		{llm.User(llm.Text(lines(1000))), 10},
		{llm.User(output("1", "short")), 100},
		{llm.User(output("1", "short")), 1},
		{llm.User(output("1", "short"), llm.Text(lines(1000))), 10},
	} {
		if got := s.Shorten(t.Context(), tt.message, tt.size); got != tt.message {
			t.Errorf("%d: changed to %.100v", tt.size, got.Parts)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	message := llm.User(output("1", lines(1000)))
	if s.Shorten(ctx, message, 10) != message {
		t.Error("shortened after the end")
	}
}

// Without a file, the result gives the reason.
func TestNotSaved(t *testing.T) {
	t.Parallel()
	message, warned := llm.User(output("1", lines(1000))), ""
	kept := shelf{err: &fs.PathError{Op: "open", Path: "/secret/place", Err: errors.New("no space left on device")}}
	s := shorten.New(shorten.Options{Save: kept.save, Warn: func(w string) { warned += w }})
	got := text(s.Shorten(t.Context(), message, 500).Parts[0])
	if !strings.Contains(got, "The full output could not be saved: no space left on device\n") || strings.Contains(got, "secret") {
		t.Errorf("%.200s", got)
	}
	if !strings.Contains(warned, "read_file") {
		t.Errorf("warned %q", warned)
	}
	s = shorten.New(shorten.Options{})
	if got := text(s.Shorten(t.Context(), message, 500).Parts[0]); strings.Contains(got, "full output") || len(got) > 3000 {
		t.Errorf("%.200s", got)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{
		`{"output":"a\nb"}`:          "a\nb",
		`{"error":"no"}`:             "no",
		`{"output":"a","error":"b"}`: "a\nError: b",
		`{"content":"c"}`:            "c",
		`{"content":"c","x":1}`:      "{\n  \"content\": \"c\",\n  \"x\": 1\n}",
		`{"output":7}`:               "{\n  \"output\": 7\n}",
		`"text"`:                     "text",
		`{}`:                         "",
		`{"output":`:                 `{"output":`,
	} {
		if got := shorten.Text(json.RawMessage(response)); got != want {
			t.Errorf("%s: %q, want %q", response, got, want)
		}
	}
}

// Whatever the results are, the message has no more tokens than allowed, unless each result has
// its least; no result grows, and a smaller one is never cut before a larger one.
func TestProperties(t *testing.T) {
	t.Parallel()
	alphabets := []string{"ab \n", "0123456789", "漢字かな交じり文", "🙂🚀", "\"\\\n\t", "x"}
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		message := &llm.Content{Role: llm.RoleUser}
		for i := range 1 + r.IntN(6) {
			letters := []rune(alphabets[r.IntN(len(alphabets))])
			var b strings.Builder
			for range r.IntN(1 << r.IntN(17)) {
				b.WriteRune(letters[r.IntN(len(letters))])
			}
			message.Parts = append(message.Parts, output(fmt.Sprint(i), b.String()))
		}
		var kept shelf
		size := r.IntN(20_000)
		got := shorten.New(shorten.Options{Save: kept.save}).Shorten(t.Context(), message, size)
		const least, notice = 100, 100
		if n := got.Tokens(); n > max(size, (least+notice)*len(message.Parts)) {
			t.Errorf("seed %d: %d tokens, want %d", seed, n, size)
		}
		uncut, cut := 0, 1<<40 // the largest that was not cut, the smallest that was
		for i := range message.Parts {
			before, after := text(message.Parts[i]), text(got.Parts[i])
			tokens := llm.EstimateTokens([]llm.Part{{Text: before}})
			if before == after {
				uncut = max(uncut, tokens)
				continue
			}
			cut = min(cut, tokens)
			if len(after) >= len(before) {
				t.Errorf("seed %d: %d bytes have grown to %d", seed, len(before), len(after))
			}
		}
		if uncut > cut+notice {
			t.Errorf("seed %d: %d tokens are cut, %d are not", seed, cut, uncut)
		}
	}
}

func BenchmarkShorten(b *testing.B) {
	message := llm.User(output("1", lines(200_000)), output("2", lines(50)))
	s := shorten.New(shorten.Options{Save: func(string, string, string) (string, error) { return "/x", nil }})
	b.SetBytes(int64(len(text(message.Parts[0]))))
	for b.Loop() {
		s.Shorten(b.Context(), message, 10_000)
	}
}
