package trust

import (
	"strings"
	"testing"
)

// TestBrief checks that nothing in a long entry hides the program that it starts.
func TestBrief(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("x", 1000)
	for text, want := range map[string]string{
		"mcpServers.a: {\"args\":[\"b\"],\"command\":\"c\"}":                    `mcpServers.a: {"args":["b"],"command":"c"}`,
		"mcpServers.a: {\"args\":[\"" + filler + "\"],\"command\":\"evil\"}":    `mcpServers.a: command evil, {"args":["xxx`,
		"mcpServers.a: {\"headers\":{\"A\":\"" + filler + "\"},\"url\":\"u\"}":  `mcpServers.a: url u, {"headers":{"A":"xxx`,
		"hooks.BeforeTool: {\"args\":[\"" + filler + "\"],\"command\":[\"e\"]}": `hooks.BeforeTool: command ["e"], {"args"`,
		"telemetry.outfile: " + filler:                                          `telemetry.outfile: xxx`,
	} {
		got := brief(text)
		if !strings.HasPrefix(got, want) || len(got) > 310 {
			t.Errorf("%.60s: %s", text, got)
		}
	}
}
