package telemetry

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/llm/httpwire"
)

func TestDebugLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "debug.log")
	h, closer, err := DebugLog(path, secret.NewEraser([]string{"hunter22"}))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(h)
	log.Debug("request", "model", "m", "words", "two words", "empty", "", "err", errors.New("a\nb"))
	log.Info("over\nlines\x1b[31m")
	log.With("a", 1).WithGroup("g").With("b", 2).Warn("nested", "c", 3, slog.Group("d", "e", true))
	log.Error("bad hunter22", "key", "hunter22 x")
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	want := `[TIME] [DEBUG] request model=m words="two words" empty="" err="a\nb"
[TIME] [LOG] over\nlines[31m
[TIME] [WARN] nested a=1 g.b=2 g.c=3 g.d.e=true
[TIME] [ERROR] bad [REDACTED] key="[REDACTED] x"
`
	if got := regexp.MustCompile(`\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\]`).ReplaceAllString(string(data), "[TIME]"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if _, _, err := DebugLog(filepath.Dir(path), asIs); err == nil {
		t.Error("a directory is a log")
	}
}

func TestActivity(t *testing.T) {
	t.Parallel()
	const key = "sk-very-secret-key"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "id=very-secret-cookie")
		_, _ = io.WriteString(w, `{"echo":"`+r.Header.Get("Authorization")+`"}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "activity.jsonl")
	var s warnings
	a := NewActivity(ActivityOptions{
		Path: path, Session: func() string { return "session-1" }, Warn: s.warn,
		Clean: secret.NewEraser([]string{key}),
	})
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file before there is anything to say: %v", err)
	}
	slog.New(a.Handler()).Info("hello "+key, "n", 1)
	at, err := url.Parse(strings.Replace(server.URL, "//", "//me:very-secret-word@", 1) + "/v1?key=very-secret-query&alt=sse")
	if err != nil {
		t.Fatal(err)
	}
	body := httpwire.NewBody(1)
	body.Text("the key is " + key)
	client := httpwire.NewClient(httpwire.Options{})
	ctx := httpwire.Watch(t.Context(), a.exchange)
	send := func() {
		res, err := client.Post(ctx, httpwire.Request{URL: at, Header: http.Header{"Authorization": {"Bearer " + key}, "X-Goog-Api-Key": {"very-secret-other"}}, Body: body, HeaderTimeout: httpwire.HeaderTimeout})
		if err == nil {
			_, _ = io.ReadAll(res.Body)
			res.Close()
		}
	}
	send()
	server.Close()
	send()
	a.Record(records.Warned{Text: "two\nlines " + key})
	a.Record(records.Rewound{})
	a.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "very-secret") {
		t.Errorf("a secret is in the file:\n%s", data)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 4 || len(s.lines) > 0 {
		t.Fatalf("%d lines, warnings %q:\n%s", len(lines), s.lines, data)
	}
	type line struct {
		Type, SessionID string
		Timestamp       int64
		Payload         struct {
			Type, Content, Method, URL, Body, Error string
			Headers                                 map[string]string
			Response                                *struct {
				Status int
				Body   string
			}
		}
	}
	var got [4]line
	for i := range got {
		if err := json.Unmarshal([]byte(lines[i]), &got[i]); err != nil {
			t.Fatal(err)
		}
		if got[i].SessionID != "session-1" || got[i].Timestamp == 0 {
			t.Errorf("line %d is %s", i, lines[i])
		}
	}
	if p := got[0].Payload; got[0].Type != "console" || p.Type != "log" || p.Content != "hello [REDACTED] n=1" {
		t.Errorf("the first is %s", lines[0])
	}
	if p := got[1].Payload; got[1].Type != "network" || p.Method != "POST" || p.Headers["authorization"] != secret.Redacted || p.Body != "the key is [REDACTED]" ||
		p.Response == nil || p.Response.Status != 200 || p.Response.Body != `{"echo":"Bearer [REDACTED]"}` || !strings.Contains(p.URL, "alt=sse") {
		t.Errorf("the second is %s", lines[1])
	}
	if p := got[2].Payload; p.Response != nil || p.Error == "" {
		t.Errorf("the third is %s", lines[2])
	}
	if p := got[3].Payload; got[3].Type != "console" || p.Type != "warn" || p.Content != `two\nlines [REDACTED]` {
		t.Errorf("the fourth is %s", lines[3])
	}
}

func TestNoActivity(t *testing.T) {
	t.Parallel()
	if NewActivity(ActivityOptions{}) != nil {
		t.Error("an activity log without a path")
	}
	var none *Activity
	none.Record(records.Warned{})
	none.Close()

	var s warnings
	var bad *Activity
	bad = NewActivity(ActivityOptions{Path: t.TempDir(), Session: func() string { return "" }, Clean: asIs, Warn: func(text string) {
		s.warn(text)
		bad.Record(records.Warned{Text: text})
	}})
	log := slog.New(bad.Handler())
	log.Info("a")
	log.Info("b")
	bad.Close()
	if len(s.lines) != 1 {
		t.Errorf("warnings: %q", s.lines)
	}
}
