package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/secret"
	"pollux/internal/transcript"
	"pollux/llm"
)

func TestMasked(t *testing.T) {
	t.Parallel()
	const key = "hunter22&<x>"
	history := []agent.Message{
		{ID: "u", Content: llm.User(llm.Text("say "+key), llm.Text("b")), Shown: "show " + key},
		{ID: "m", Thoughts: []agent.Thought{{Subject: key, Description: key}}, Content: llm.Model(llm.Text(key),
			llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "x", Args: []byte(`{"a":"hunter22\u0026<x>"}`)}},
			llm.Part{Extra: map[string]json.RawMessage{"executableCode": json.RawMessage(`{"code":"hunter22&<x>"}`)}})},
		{ID: "r", Content: llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "1", Name: "x", Response: []byte(`{"output":"hunter22&<x>"}`), Parts: []llm.Part{llm.Text(key)}}})},
	}
	masked := transcript.Masked(history, secret.NewMasker([]string{key}))
	for name, write := range map[string]func([]agent.Message) string{
		"md":       func(h []agent.Message) string { return transcript.Markdown(info, h) },
		"html":     func(h []agent.Message) string { return transcript.HTML(info, h) },
		"json":     func(h []agent.Message) string { data, _ := transcript.JSON(info, h); return string(data) },
		"contents": func(h []agent.Message) string { data, _ := transcript.Contents(h); return string(data) },
	} {
		if text := write(masked); strings.Contains(text, "hunter22") || !strings.Contains(text, secret.Redacted) {
			t.Errorf("%s: %s", name, text)
		}
		if !strings.Contains(write(transcript.Masked(history, nil)), "hunter22") {
			t.Errorf("%s: the conversation itself has changed", name)
		}
	}
}
