package web

import (
	"context"
	"errors"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer        func(*llm.Request) (*llm.Response, error)
		want, display string
	}{
		"found": {
			says("Go 1.26 is out.", `{"groundingChunks": [{"web": {"uri": "https://go.dev", "title": "go.dev"}}], "groundingSupports": [{"segment": {"endIndex": 15}, "groundingChunkIndices": [0]}]}`),
			"Web search results for \"a \"b\" c\":\n\nGo 1.26 is out.[1]\n\nSources:\n[1] go.dev (https://go.dev)",
			`Search results for "a "b" c" returned.`,
		},
		"nothing": {says("", ""), `No search results or information found for query: "a "b" c"`, "No results."},
		"failure": {
			func(*llm.Request) (*llm.Response, error) { return nil, &llm.Error{Message: "boom"} },
			`web_search_failed: Error during web search for query "a "b" c": boom`, `Error during web search for query "a "b" c": boom`,
		},
	} {
		v := &vendor{hosted: true, answer: tt.answer}
		r := run(t, NewSearch(v.options()), "query", `a "b" c`)
		if text(r) != tt.want || r.Display != tool.TextDisplay(tt.display) {
			t.Errorf("%s: %q, %q", name, text(r), r.Display)
		}
		asked := v.requests[0]
		if asked.Model != "web-search" || !asked.Config.Tools[0].GoogleSearch || asked.Config.SystemInstruction != nil || asked.Contents[0].Text() != `a "b" c` || asked.Use != llm.UseTool {
			t.Errorf("asked %+v", asked)
		}
	}
}

func TestSearchCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	v := &vendor{hosted: true, answer: func(*llm.Request) (*llm.Response, error) { cancel(); return nil, context.Canceled }}
	if got := text(runIn(t, ctx, NewSearch(v.options()), "query", "x")); got != "execution_failed: Web search was cancelled." {
		t.Error(got)
	}
}

func TestSearchArguments(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{}`:               "params must have required property 'query'",
		`{"query": " "}`:   "The 'query' parameter cannot be empty.",
		`{"query": ["a"]}`: "params/query must be string",
	} {
		if _, err := tool.Build(NewSearch(Options{}), []byte(args)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestCanSearch(t *testing.T) {
	t.Parallel()
	if !CanSearch((&vendor{hosted: true}).which) || CanSearch((&vendor{}).which) ||
		CanSearch(func(string) (string, llm.Config, error) { return "", llm.Config{}, errors.New("no such alias") }) {
		t.Error("wrong")
	}
}
