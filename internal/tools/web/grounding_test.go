package web

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/llm"
)

const twoSources = `"groundingChunks": [{"web": {"uri": "https://a.example/x", "title": "A\nside"}}, {"web": {}}]`

func TestAnswer(t *testing.T) {
	t.Parallel()
	const sources = "\n\nSources:\n[1] A side (https://a.example/x)\n[2] Untitled (No URI)"
	for name, tt := range map[string]struct {
		parts     []llm.Part
		grounding string
		want      string
	}{
		"bytes, not characters": {
			[]llm.Part{llm.Text("Größe: 5 €. Ende.")},
			`{` + twoSources + `, "groundingSupports": [
				{"segment": {"startIndex": 0, "endIndex": 15}, "groundingChunkIndices": [0, 1]},
				{"segment": {"endIndex": 21}, "groundingChunkIndices": [1]}]}`,
			"Größe: 5 €.[1][2] Ende.[2]" + sources,
		},
		"in any order, each once": {
			[]llm.Part{llm.Text("ab")},
			`{` + twoSources + `, "groundingSupports": [
				{"segment": {"endIndex": 2}, "groundingChunkIndices": [1]}, {"segment": {"endIndex": 1}, "groundingChunkIndices": [1]},
				{"segment": {"endIndex": 2}, "groundingChunkIndices": [0, 1]}]}`,
			"a[2]b[2][1]" + sources,
		},
		"in the middle of a character, beyond the end, nowhere": {
			[]llm.Part{llm.Text("€uro")},
			`{` + twoSources + `, "groundingSupports": [
				{"segment": {"endIndex": 1}, "groundingChunkIndices": [0]}, {"segment": {"endIndex": 99}, "groundingChunkIndices": [1]},
				{"segment": {"endIndex": -4}, "groundingChunkIndices": [1]}, {"groundingChunkIndices": [0]}, {"segment": {"endIndex": 4}, "groundingChunkIndices": [7, -1]}]}`,
			"€[1]uro[2]" + sources,
		},
		"parts and thoughts": {
			[]llm.Part{{Text: "hm", Thought: true}, llm.Text("one. "), llm.Text("two.")},
			`{` + twoSources + `, "groundingSupports": [
				{"segment": {"partIndex": 1, "endIndex": 4}, "groundingChunkIndices": [0]}, {"segment": {"partIndex": 2, "endIndex": 4}, "groundingChunkIndices": [1]},
				{"segment": {"endIndex": 1}, "groundingChunkIndices": [0]}]}`,
			"one.[1] two.[2]" + sources,
		},
		"no sources":    {[]llm.Part{llm.Text("Just so.")}, ``, "Just so."},
		"sources alone": {nil, `{` + twoSources + `}`, strings.TrimPrefix(sources, "")},
		"wrong type":    {[]llm.Part{llm.Text("Text.")}, `{"groundingChunks": "x"}`, "Text."},
		"nothing":       {[]llm.Part{llm.Text(" \n")}, `{"webSearchQueries": ["q"]}`, ""},
	} {
		got, found := answer(&llm.Response{Candidates: []llm.Candidate{{
			Content: &llm.Content{Parts: tt.parts}, GroundingMetadata: json.RawMessage(tt.grounding),
		}}}, "Untitled", "No URI")
		if got != tt.want || found != (tt.want != "") {
			t.Errorf("%s:\n%q, not\n%q (%v)", name, got, tt.want, found)
		}
	}
	if _, found := answer(&llm.Response{}, "", ""); found {
		t.Error("an answer of no candidate")
	}
}

// However wrong the places are, the text stays unchanged.
func FuzzCite(f *testing.F) {
	f.Add("Größe: 5 €.", 3, 7, uint8(1), uint8(2))
	f.Add("", -1, 1<<62, uint8(0), uint8(9))
	f.Add("\xff\xfea", 1, 2, uint8(3), uint8(3))
	marker := regexp.MustCompile(`\[[0-9]+\]`)
	f.Fuzz(func(t *testing.T, text string, a, b int, x, y uint8) {
		if strings.ContainsAny(text, "[]0123456789") {
			t.Skip()
		}
		got := cite(text, []mark{{a, []int{int(x), int(y)}}, {b, []int{int(y)}}, {a, []int{int(x)}}})
		if plain := marker.ReplaceAllString(got, ""); plain != text {
			t.Errorf("%q became %q", text, plain)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q was broken: %q", text, got)
		}
		if strings.Count(got, "[") == 0 {
			t.Error("no marker")
		}
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add("Größe", `{`+twoSources+`, "groundingSupports": [{"segment": {"partIndex": 1, "endIndex": 3}, "groundingChunkIndices": [0]}]}`)
	f.Fuzz(func(t *testing.T, text, grounding string) {
		r := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(text)), GroundingMetadata: json.RawMessage(grounding)}}}
		got, found := answer(r, "T", "U")
		if found == (got == "") {
			t.Errorf("%v: %q", found, got)
		}
		if len(strings.TrimSpace(text)) > 0 && !found {
			t.Error("the answer is lost")
		}
	})
}
