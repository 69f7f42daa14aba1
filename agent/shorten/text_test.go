package shorten

import (
	"encoding/json"
	"testing"
)

// FuzzSplit checks that the quick way to the text of a result is right wherever it is taken.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		`{"output":"a\n\u00e9"}`, `{"error":"b"}`, `{"output":"a","error":"b"}`, `{"output":"\ud800"}`, `{"output":1}`, `{"output":"a","output":"b"}`,
		`{"Output":"a"}`, `{"output":"a"} x`, `{"content":"c"}`, `"text"`, `{"output":"` + "\xff" + `"}`, `{"output":"\ud83d\ude00"}`, `{}`, `null`, ` { "output" : "a" } `,
		"{\"output\":\"a\nb\"}", `{"output":"a`, `{"output":"a",}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, isError, ok := only(data)
		if want, wantError := split(data); ok && (text != want || isError != wantError) {
			t.Errorf("%q: %q, %v; want %q, %v", data, text, isError, want, wantError)
		}
		if !json.Valid(data) && ok {
			t.Errorf("%q is no JSON", data)
		}
	})
}

// TestOnly checks that usual results go the quick way.
func TestOnly(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]bool{`{"output":"a\nb é"}`: true, `{"error":"b"}`: true, `{"output":"a","more":"b"}`: false} {
		if _, _, ok := only([]byte(response)); ok != want {
			t.Errorf("%s: %v", response, ok)
		}
	}
}
