package mcp

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/tool"
)

// The model learns once that a resource has changed that was read, until it reads it again.
func TestOutdated(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"news", "plain"} {
		s, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", kind)}})
		read := func() { callTool(t.Context(), t, r, "read_mcp_resource", `{"uri":"toy:test://one"}`, tool.Host{}) }
		if kind == "plain" {
			read()
			if s.list[0].read != nil {
				t.Error("a server that tells no changes is asked for them")
			}
			continue
		}
		touch := func() []string {
			callTool(t.Context(), t, r, "mcp_toy_touch", `{}`, tool.Host{})
			return s.TakeOutdated()
		}
		if ids := touch(); ids != nil {
			t.Errorf("nothing was read, but %q have changed", ids)
		}
		for range 2 {
			read()
			if ids := s.TakeOutdated(); ids != nil {
				t.Errorf("nothing has changed, but %q", ids)
			}
			var got []string
			wait(t, "the change", func() bool { got = touch(); return got != nil })
			if !slices.Equal(got, []string{"toy:test://one"}) {
				t.Errorf("changed: %q", got)
			}
			if ids := touch(); ids != nil {
				t.Errorf("%q are reported twice", ids)
			}
		}
	}
}

// Changes of a limited number of resources are asked for.
func TestOutdatedLimit(t *testing.T) {
	t.Parallel()
	s, _, _ := run(t, Options{Configs: []Config{toy(t, "toy", "news")}})
	one := s.list[0]
	for i := range maxFollowed + 5 {
		if _, err := s.Read(t.Context(), Resource{Server: "toy", URI: "test://day/" + strings.Repeat("x", i)}); err != nil {
			t.Fatal(err)
		}
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(one.read) != maxFollowed {
		t.Errorf("%d resources, want %d", len(one.read), maxFollowed)
	}
}

// buffer is a log that several goroutines write.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// The debug log has the log messages and the standard error of a server. Without a debug log, the server is not
// asked to log.
func TestLogs(t *testing.T) {
	t.Parallel()
	for level, want := range map[slog.Level][]string{
		slog.LevelDebug: {
			`msg="MCP server logs" server=toy level=debug logger=store text="{\"rows\":3}"`,
			`msg="MCP server prints" server=toy text="one line"`,
			`msg="MCP server prints" server=toy text="and another"`,
		},
		slog.LevelInfo: nil,
	} {
		var b buffer
		_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "news")}, Log: slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level}))})
		for _, text := range want {
			wait(t, text, func() bool {
				callTool(t.Context(), t, r, "mcp_toy_log", `{}`, tool.Host{})
				return strings.Contains(b.String(), text)
			})
		}
		if want == nil {
			callTool(t.Context(), t, r, "mcp_toy_log", `{}`, tool.Host{})
			if text := b.String(); strings.Contains(text, "rows") || strings.Contains(text, "one line") {
				t.Errorf("log: %s", text)
			}
		}
	}
}

// A long line without an end does not fill the memory.
func TestLineLog(t *testing.T) {
	t.Parallel()
	var lines []string
	l := &lineLog{write: func(line string) { lines = append(lines, line) }}
	for range 100 {
		_, _ = l.Write(bytes.Repeat([]byte("x"), 100))
	}
	if cap(l.begun) > 2*maxLogged {
		t.Errorf("%d bytes are kept", cap(l.begun))
	}
	_, _ = l.Write([]byte("\n\nshort\nrest"))
	if len(lines) != 2 || len(lines[0]) != maxLogged || lines[1] != "short" {
		t.Errorf("lines: %q", lines)
	}
}
