package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/mcp/mcptest"
	"pollux/tool"
)

// A service that speaks SSE only is found out, and gets the headers of its entry with each request.
func TestFallsBackToSSE(t *testing.T) {
	t.Parallel()
	var without atomic.Int32
	sse := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return mcptest.New("plain", mcptest.Process{}) }, nil)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "blue" {
			without.Add(1)
		}
		if r.Method == http.MethodPost && !strings.Contains(r.URL.RawQuery, "session") {
			http.Error(w, "no streamable HTTP here", http.StatusNotFound)
			return
		}
		sse.ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	s, r, warned := run(t, Options{Configs: []Config{{Name: "toy", URL: service.URL, Headers: map[string]string{"X-Team": "blue"}}}, Transport: transport(t)})
	if got := toolNames(r); got != toyTools {
		t.Errorf("tools %q, warnings %q", got, warned())
	}
	if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil {
		t.Errorf("a call: %+v", got.Error)
	}
	if n := without.Load(); n > 0 {
		t.Errorf("%d requests without the header", n)
	}
	s.Close()
	for _, kind := range []string{"http", "sse"} {
		_, r, warned := run(t, Options{Configs: []Config{{Name: "toy", URL: service.URL, Type: kind, Headers: map[string]string{"X-Team": "blue"}}}, Transport: transport(t)})
		if got := toolNames(r); (got == toyTools) != (kind == "sse") {
			t.Errorf("type %s: tools %q, warnings %q", kind, got, warned())
		}
	}
}

// The error for a service that cannot be reached says so in a few words.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(nil)
	service.Close()
	host := strings.TrimPrefix(service.URL, "http://")
	for _, kind := range []string{"", "http", "sse"} {
		_, _, warned := run(t, Options{Configs: []Config{{Name: "toy", URL: service.URL + "/mcp?key=s3", Type: kind}}, Transport: transport(t)})
		if w := warned(); len(w) != 1 || w[0] != `MCP server "toy": cannot reach `+host+` (connection refused).` {
			t.Errorf("type %q: warnings %q", kind, w)
		}
	}
}
