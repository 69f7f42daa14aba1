package llm_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"pollux/llm"
)

func TestEncodedConcurrently(t *testing.T) {
	t.Parallel()
	c := llm.User(llm.Text("a"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, key := range []string{"x", "y", "x"} {
				if got := c.Encoded(key, func(dst []byte, _ *llm.Content) []byte { return append(dst, key...) }); string(got) != key {
					t.Errorf("%s: %s", key, got)
				}
			}
		})
	}
	wg.Wait()
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		part          llm.Part
		isText, empty bool
	}{
		{"text", llm.Text("a"), true, false},
		{"no text", llm.Text(""), true, true},
		{"nothing", llm.Part{}, false, true},
		{"a thought", llm.Part{Text: "a", Thought: true}, true, false},
		{"only a signature", llm.Part{ThoughtSignature: "s"}, false, true},
		{"a call", llm.Part{FunctionCall: &llm.FunctionCall{}}, false, false},
		{"no text beside a call", llm.Part{FunctionResponse: &llm.FunctionResponse{}}, false, false},
		{"something unknown", llm.Part{Extra: map[string]json.RawMessage{"x": nil}}, false, false},
	} {
		if c.part.IsText() != c.isText || c.part.IsEmpty() != c.empty {
			t.Errorf("%s: text %v, empty %v", c.name, c.part.IsText(), c.part.IsEmpty())
		}
	}
	var none *llm.Content
	if none.Text() != "" || none.FunctionCalls() != nil {
		t.Error("no message says something")
	}
	var nothing *llm.Response
	if nothing.Text() != "" || nothing.FinishReason() != "" || nothing.Parts() != nil {
		t.Error("no response says something")
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*llm.Error{
		"said":                               {Message: "said", Err: io.EOF, Status: 500},
		"EOF":                                {Err: io.EOF, Status: 500},
		"The request failed with status 500": {Status: 500},
	} {
		if e.Error() != want || e.Err != nil && !errors.Is(e, io.EOF) {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
	labels := map[string]bool{}
	for k := llm.KindOther; k <= llm.KindContextWindow; k++ {
		labels[k.String()] = true
		if strings.ToUpper(k.String()) != k.String() {
			t.Errorf("label %q", k)
		}
	}
	if len(labels) != 13 { // quota, capacity and rate limit share one
		t.Errorf("labels %v", labels)
	}
}

func TestOfferedTools(t *testing.T) {
	t.Parallel()
	sets := []*llm.ToolSet{
		{Functions: []llm.FunctionDeclaration{{Name: "a"}, {Name: "b"}}, URLContext: true},
		{Functions: []llm.FunctionDeclaration{{Name: "c"}}, GoogleSearch: true},
	}
	for _, tt := range []struct {
		config     *llm.ToolConfig
		mode, want string
	}{
		{nil, "", "a b url c search"},
		{&llm.ToolConfig{}, "", "a b url c search"},
		{&llm.ToolConfig{Mode: "auto", Allowed: []string{"b"}}, "AUTO", "b url search"},
		{&llm.ToolConfig{Mode: "ANY", Allowed: []string{"c", "a", "x"}}, "ANY", "a url c search"},
		{&llm.ToolConfig{Mode: "None", Allowed: []string{"b"}}, "NONE", "a b url c search"},
	} {
		c := llm.Config{Tools: sets, ToolConfig: tt.config}
		var got []string
		for _, set := range c.OfferedTools() {
			for _, f := range set.Functions {
				got = append(got, f.Name)
			}
			if set.URLContext {
				got = append(got, "url")
			}
			if set.GoogleSearch {
				got = append(got, "search")
			}
		}
		if text := strings.Join(got, " "); text != tt.want || c.CallMode() != tt.mode {
			t.Errorf("%+v: %q, mode %q, want %q, mode %q", tt.config, text, c.CallMode(), tt.want, tt.mode)
		}
	}
	if len(sets[0].Functions) != 2 {
		t.Error("the original set changed")
	}
}
