package telemetry

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/llm/observe"
)

// message is a protobuf message by the numbers of its fields.
type message map[int][]any // uint64 for numbers, []byte for all else

// decode reads a message as any reader would that knows only the wire.
func decode(t *testing.T, b []byte) message {
	t.Helper()
	m := message{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("a broken tag before %q", b)
		}
		b = b[n:]
		switch field := int(tag >> 3); tag & 7 {
		case 0:
			v, n := binary.Uvarint(b)
			m[field] = append(m[field], v)
			b = b[n:]
		case 1:
			m[field] = append(m[field], binary.LittleEndian.Uint64(b))
			b = b[8:]
		case 2:
			size, n := binary.Uvarint(b)
			m[field] = append(m[field], b[n:n+int(size)])
			b = b[n+int(size):]
		default:
			t.Fatalf("field %d has an unknown kind", field)
		}
	}
	return m
}

func (m message) text(field int) string {
	if len(m[field]) == 0 {
		return ""
	}
	return string(m[field][0].([]byte))
}

// at returns the nth message in a field.
func (m message) at(t *testing.T, field, n int) message { return decode(t, m[field][n].([]byte)) }

// attributes returns what a field of key-value pairs has.
func (m message) attributes(t *testing.T, field int) map[string]any {
	all := map[string]any{}
	for i := range m[field] {
		pair := m.at(t, field, i)
		value := pair.at(t, 2, 0)
		for kind, v := range value {
			switch v := v[0].(type) {
			case []byte:
				all[pair.text(1)] = string(v)
			case uint64:
				all[pair.text(1)] = v
				if kind == 4 {
					all[pair.text(1)] = math.Float64frombits(v)
				}
			}
		}
	}
	return all
}

// collector takes what is sent, by HTTP or gRPC.
type collector struct {
	mu    sync.Mutex
	got   map[string][]message // by path
	url   string
	reply func(w http.ResponseWriter, r *http.Request) bool // says whether it has
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{got: map[string][]message{}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if c.reply != nil && c.reply(w, r) {
			return
		}
		if r.Header.Get("Content-Type") == "application/grpc" {
			if len(body) < 5 || body[0] != 0 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 || r.Header.Get("Te") != "trailers" || r.ProtoMajor != 2 {
				t.Errorf("this is no gRPC: %s %v %.20q", r.Proto, r.Header, body)
				return
			}
			body = body[5:]
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Trailer", "Grpc-Status")
			_, _ = w.Write([]byte{0, 0, 0, 0, 0})
			w.Header().Set("Grpc-Status", "0")
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got[r.URL.Path] = append(c.got[r.URL.Path], decode(t, body))
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

func sending(url, protocol string, s *warnings) Options {
	o := options("", s)
	o.Endpoint, o.Protocol = url, protocol
	return o
}

func TestOTLP(t *testing.T) {
	t.Parallel()
	for protocol, paths := range map[string][3]string{
		"http": {"/v1/logs", "/v1/traces", "/v1/metrics"},
		"grpc": {
			"/opentelemetry.proto.collector.logs.v1.LogsService/Export",
			"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
			"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
		},
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			c := collect(t)
			var s warnings
			tel := Start(sending(c.url, protocol, &s))
			g := observe.Wrap(&model{chunks: []*llm.Response{answerOf("hello")}}, tel)
			run := func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
				drain(g, ask(strings.Repeat("long ", maxAttribute)))
				return play()(ctx, p)
			}
			for range records.New(tel).Run(t.Context(), agent.Prompt{ID: "session-1########0", Parts: []llm.Part{llm.Text("a \xff prompt")}}, run) {
			}
			tel.Close()
			if len(s.lines) > 0 {
				t.Errorf("warnings: %q", s.lines)
			}

			logs := c.got[paths[0]][0].at(t, 1, 0) // ResourceLogs
			if got := logs.at(t, 1, 0).attributes(t, 1)["service.name"]; got != "gemini-cli" {
				t.Errorf("the service is %v", got)
			}
			scope := logs.at(t, 2, 0)
			if got := scope.at(t, 1, 0).text(1); got != "gemini-cli" {
				t.Errorf("the scope is %q", got)
			}
			prompt := scope.at(t, 2, 0)
			a := prompt.attributes(t, 6)
			if a["event.name"] != "gemini_cli.user_prompt" || a["prompt"] != "a \uFFFD prompt" || a["interactive"] != uint64(0) || prompt[2][0] != uint64(9) ||
				len(prompt.text(9)) != 16 || len(prompt.text(10)) != 8 || prompt.at(t, 5, 0).text(1) == "" {
				t.Errorf("the first record is %v", a)
			}
			if asked := scope.at(t, 2, 1).attributes(t, 6)["request_text"].(string); len(asked) > maxAttribute+10 {
				t.Errorf("a text of %d bytes is sent", len(asked))
			}

			spans := c.got[paths[1]][0].at(t, 1, 0).at(t, 2, 0)
			call, whole := spans.at(t, 2, 0), spans.at(t, 2, 1)
			if call.text(5) != "llm_call" || whole.text(5) != "user_prompt" || call.text(4) != whole.text(2) || call.text(1) != whole.text(1) ||
				call.at(t, 15, 0)[3][0] != uint64(1) || call[7][0].(uint64) > call[8][0].(uint64) {
				t.Errorf("spans are %v, %v", call, whole)
			}

			metrics := c.got[paths[2]][0].at(t, 1, 0).at(t, 2, 0)
			seen := map[string]bool{}
			for i := range metrics[2] {
				m := metrics.at(t, 2, i)
				seen[m.text(1)] = true
				switch m.text(1) {
				case "gemini_cli.session.count":
					sum := m.at(t, 7, 0)
					if p := sum.at(t, 1, 0); p[6][0] != uint64(1) || sum[2][0] != uint64(2) || sum[3][0] != uint64(1) || p.attributes(t, 7)["session.id"] != "session-1" {
						t.Errorf("sessions are %v", p)
					}
				case "gemini_cli.api.request.latency":
					p := m.at(t, 9, 0).at(t, 1, 0)
					if p[4][0] != uint64(1) || len(p.text(6)) != 8*(len(latencies)+1) || len(p.text(7)) != 8*len(latencies) {
						t.Errorf("latency is %v", p)
					}
				}
			}
			if !seen["gemini_cli.session.count"] || !seen["gemini_cli.api.request.latency"] {
				t.Errorf("metrics are %v", seen)
			}
		})
	}
}

// A collector that is not there, or says no, costs a warning that has no secret.
func TestOTLPFails(t *testing.T) {
	t.Parallel()
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for _, tt := range []struct {
		name, protocol string
		reply          func(w http.ResponseWriter, r *http.Request) bool
		want           string
	}{
		{"500", "http", func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}, "500 Internal Server Error"},
		{"elsewhere", "http", func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return true
		}, "307"},
		{"unimplemented", "grpc", func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Grpc-Status", "12")
			w.Header().Set("Grpc-Message", "no such service")
			return true
		}, "gRPC status 12 no such service"},
		{"no gRPC", "grpc", func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusNotFound)
			return true
		}, "to gRPC with 404 Not Found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := collect(t)
			c.reply = tt.reply
			var s warnings
			tel := Start(sending(strings.Replace(c.url, "//", "//me:topsecret@", 1), tt.protocol, &s))
			tel.Close()
			if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], "Telemetry is incomplete: ") || !strings.Contains(s.lines[0], tt.want) || strings.Contains(s.lines[0], "topsecret") {
				t.Errorf("warnings: %q", s.lines)
			}
		})
	}
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		var s warnings
		Start(sending(fmt.Sprintf("http://me:topsecret@%s", l.Addr()), "grpc", &s)).Close()
		if len(s.lines) != 1 || !strings.Contains(s.lines[0], "connection refused") || strings.Contains(s.lines[0], "topsecret") {
			t.Errorf("warnings: %q", s.lines)
		}
	})
	t.Run("silence", func(t *testing.T) {
		t.Parallel()
		over := make(chan struct{})
		defer close(over)
		c := collect(t)
		c.reply = func(_ http.ResponseWriter, r *http.Request) bool {
			select {
			case <-over:
			case <-r.Context().Done():
			case <-time.After(time.Minute):
				t.Error("it is still waited for")
			}
			return true
		}
		var s warnings
		tel := Start(sending(c.url, "http", &s))
		tel.timeout = 10 * time.Millisecond
		tel.Close()
		if len(s.lines) != 1 {
			t.Errorf("warnings: %q", s.lines)
		}
	})
	t.Cleanup(func() {
		if elsewhere > 0 {
			t.Error("a redirect was followed")
		}
	})
}
