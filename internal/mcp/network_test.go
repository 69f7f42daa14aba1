package mcp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
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
	var without, unnamed atomic.Int32
	sse := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return mcptest.New("plain", mcptest.Process{}) }, nil)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "blue" {
			without.Add(1)
		}
		if r.UserAgent() != "Pollux/1" && r.UserAgent() != "mine" {
			unnamed.Add(1)
		}
		if r.Method == http.MethodPost && !strings.Contains(r.URL.RawQuery, "session") {
			http.Error(w, "no streamable HTTP here", http.StatusNotFound)
			return
		}
		sse.ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	s, r, warned := run(t, Options{Configs: []Config{{Name: "toy", URL: service.URL, Headers: map[string]string{"X-Team": "blue"}}}, Transport: transport(t), UserAgent: "Pollux/1"})
	if got := toolNames(r); got != toyTools {
		t.Errorf("tools %q, warnings %q", got, warned())
	}
	if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil {
		t.Errorf("a call: %+v", got.Error)
	}
	if n := without.Load(); n > 0 {
		t.Errorf("%d requests without the header", n)
	}
	if n := unnamed.Load(); n > 0 {
		t.Errorf("%d requests with another User-Agent", n)
	}
	s.Close()
	for _, kind := range []string{"http", "sse"} {
		_, r, warned := run(t, Options{Configs: []Config{{Name: "toy", URL: service.URL, Type: kind, Headers: map[string]string{"X-Team": "blue", "user-agent": "mine"}}}, Transport: transport(t), UserAgent: "Pollux/1"})
		if got := toolNames(r); (got == toyTools) != (kind == "sse") {
			t.Errorf("type %s: tools %q, warnings %q", kind, got, warned())
		}
	}
}

// A service that cannot be reached is named with the reason, not with the requests that failed: when the session
// starts, and when the model calls a tool.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	toy := func(*http.Request) *sdk.Server { return mcptest.New("toy", mcptest.Process{}) }
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(toy, &sdk.StreamableHTTPOptions{Stateless: true}))
	config := Config{Name: "toy", URL: service.URL + "/mcp?key=secret", Type: "http"}
	want := "cannot reach " + strings.TrimPrefix(service.URL, "http://") + ": connection "
	_, r, _ := run(t, Options{Configs: []Config{config}, Transport: transport(t)})
	service.CloseClientConnections()
	service.Close()
	if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error == nil || !strings.Contains(got.Error.Message, want) {
		t.Errorf("a call: %+v, want %q", got.Error, want)
	}
	for _, kind := range []string{"", "http", "sse"} {
		config.Type = kind
		_, _, warned := run(t, Options{Configs: []Config{config}, Transport: transport(t)})
		if got := strings.Join(warned(), "\n"); got != `MCP server "toy": `+want+"refused." {
			t.Errorf("type %q: warned: %s\nwant: %srefused.", kind, got, want)
		}
	}
	// A proxy that cannot be reached is not the service.
	proxied := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: strings.TrimPrefix(service.URL, "http://")})}
	t.Cleanup(proxied.CloseIdleConnections)
	_, _, warned := run(t, Options{Configs: []Config{{Name: "toy", URL: "https://mcp.invalid/mcp"}}, Transport: func() (http.RoundTripper, error) { return proxied, nil }})
	if got := strings.Join(warned(), "\n"); got != `MCP server "toy": cannot reach the proxy: connection refused.` {
		t.Errorf("warned: %s", got)
	}
}
