package web

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/llm"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vendor is a model that answers each question with a function.
type vendor struct {
	hosted bool // it searches, and reads pages
	answer func(*llm.Request) (*llm.Response, error)
	// fellBack is [Options.OnFallback].
	fellBack func(reason string)

	mu       sync.Mutex
	requests []*llm.Request
}

func (v *vendor) Generate(ctx context.Context, r *llm.Request) (*llm.Response, error) {
	v.mu.Lock()
	v.requests = append(v.requests, r)
	v.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return v.answer(r)
}

func (*vendor) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(func(*llm.Response, error) bool) {}
}
func (*vendor) CountTokens(context.Context, *llm.Request) (int, error)       { return 0, nil }
func (*vendor) Embed(context.Context, string, []string) ([][]float32, error) { return nil, nil }

func (v *vendor) which(question string) (model string, how llm.Config, err error) {
	if v.hosted {
		switch question {
		case "web-search":
			how.Tools = []*llm.ToolSet{{GoogleSearch: true}}
		case "web-fetch":
			how.Tools = []*llm.ToolSet{{URLContext: true}}
		}
	}
	return question, how, nil // the request asks for a model by its name
}

func (v *vendor) options() Options {
	return Options{Generator: v, ResolveModel: v.which, OnFallback: v.fellBack}
}

// says returns a vendor's answer with its sources.
func says(text, grounding string) func(*llm.Request) (*llm.Response, error) {
	return func(*llm.Request) (*llm.Response, error) {
		return &llm.Response{Candidates: []llm.Candidate{{
			Content: llm.Model(llm.Text(text)), GroundingMetadata: json.RawMessage(grounding),
		}}}, nil
	}
}

// echo answers like a vendor that repeats the question.
func echo(r *llm.Request) (*llm.Response, error) {
	return says(r.Contents[0].Text(), "")(r)
}

// loopbackToo lets a test's client reach the test's servers, and otherwise the usual public
// addresses.
func loopbackToo(a netip.Addr) bool { return a.Unmap().IsLoopback() || isPublic(a) }

// fetching returns a web_fetch that reaches this machine.
func fetching(v *vendor) *fetchTool {
	t := NewFetch(v.options()).(*fetchTool)
	t.client.public, t.client.pause = loopbackToo, time.Millisecond
	return t
}

func fetchingDirect() *directTool {
	t := NewFetch(Options{Direct: true}).(*directTool)
	t.client.public, t.client.pause = loopbackToo, time.Millisecond
	return t
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// run calls a tool with one argument.
func run(t *testing.T, of tool.Tool, name, value string) *tool.Result {
	t.Helper()
	return runIn(t, t.Context(), of, name, value)
}

func runIn(t *testing.T, ctx context.Context, of tool.Tool, name, value string) *tool.Result {
	t.Helper()
	args, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		t.Fatal(err)
	}
	call, err := tool.Build(of, args)
	if err != nil {
		t.Fatal(err)
	}
	return call.Run(ctx, tool.Host{})
}

func text(r *tool.Result) string {
	if r.Error != nil {
		return string(r.Error.Type) + ": " + r.Error.Message
	}
	return llm.PartsText(r.Content)
}

func framed(s string) string { return "<untrusted_context>\n" + s + "\n</untrusted_context>" }

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in:\n%.2000s", p, text)
		}
	}
}

func pemFile(t *testing.T, c *x509.Certificate) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// bomb writes so many zeros, packed.
func bomb(w io.Writer, r *http.Request, size int) {
	z := gzip.NewWriter(w)
	piece := make([]byte, 1<<20)
	for range size / len(piece) {
		if _, err := z.Write(piece); err != nil || r.Context().Err() != nil {
			return
		}
	}
	_ = z.Close()
}
