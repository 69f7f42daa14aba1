package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process/processtest"
)

// TestPeer checks the tools and notifications of a server that is a program.
func TestPeer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	p, err := Dial(t.Context(), toy(t, "toy", "tells"), Options{Dir: t.TempDir()}, func(method string, params json.RawMessage) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, method+" "+string(params))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Has("tell", "fail") || p.Has("tell", "other") {
		t.Error("the tools are others")
	}
	if text, err := p.Call(t.Context(), "tell", map[string]any{"a": 1}); text != "told" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := p.Call(t.Context(), "fail", nil); err == nil || err.Error() != "no such file" {
		t.Errorf("%v", err)
	}
	mu.Lock()
	if want := []string{`own/news {"given":{"a":1}}`, "ping "}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	mu.Unlock()
	p.Close()
	select {
	case <-p.Done():
	default:
		t.Error("the connection is not closed")
	}
	if _, err := p.Call(t.Context(), "tell", nil); err == nil {
		t.Error("a closed peer answers")
	}
}

// TestPeerEnds checks servers that end, or that never answer.
func TestPeerEnds(t *testing.T) {
	t.Parallel()
	p, err := Dial(t.Context(), toy(t, "toy", "dies"), Options{Dir: t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Call(t.Context(), "die", nil); err == nil {
		t.Error("a server that has ended answers")
	}
	<-p.Done()
	p.Close()

	if _, err := Dial(t.Context(), toy(t, "toy", "gone"), Options{Dir: t.TempDir()}, nil); err == nil || !strings.Contains(err.Error(), "cannot open the database") {
		t.Errorf("%v", err)
	}
	if _, err := Dial(t.Context(), Config{Name: "toy", Command: "/none/such"}, Options{Dir: t.TempDir()}, nil); err == nil {
		t.Error("a program that does not exist answers")
	}
	impatient := errors.New("no time")
	ctx, cancel := context.WithCancelCause(t.Context())
	began := make(chan struct{})
	go func() {
		<-began
		cancel(impatient)
	}()
	close(began)
	if _, err := Dial(ctx, toy(t, "toy", "silent"), Options{Dir: t.TempDir()}, nil); !errors.Is(err, impatient) {
		t.Errorf("%v", err)
	}
	processtest.WaitUntil(t, "the context has ended", func() bool { return ctx.Err() != nil })
}
