package doctor

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel"
	geminiwire "pollux/internal/scriptmodel/gemini"
	"pollux/llm"
)

// probeAddress sends the test request to the server at an address.
func probeAddress(t *testing.T, ctx context.Context, address string) probeResult {
	t.Helper()
	dir := t.TempDir()
	set := project.New(project.Options{
		Dir: dir, Folder: trust.Trusted, Model: "gemini-2.5-flash", Warn: func(text string) { t.Error(text) },
		Env: config.NewEnv("GEMINI_API_KEY=some-key-0123", "GOOGLE_GEMINI_BASE_URL="+address,
			"GEMINI_CLI_HOME="+filepath.Join(dir, "home"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(dir, "none")),
	})
	if err := set.Load(ctx); err != nil {
		t.Fatal(err)
	}
	set.ReadEnv()
	accounts, err := auth.Open(auth.Inputs{Settings: set.Settings(), Env: set.Env(), Warn: set.Warn})
	if err != nil {
		t.Fatal(err)
	}
	c, err := chooseModel(ctx, accounts, set, false)
	if err != nil {
		t.Fatal(err)
	}
	return probe(ctx, &c)
}

// startScript starts a server that plays a script, and returns its URL.
func startScript(t *testing.T, text string) string {
	t.Helper()
	script, err := scriptmodel.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptmodel.Start(script, scriptmodel.Options{Wires: []scriptmodel.Wire{geminiwire.Wire{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server.URL()
}

func TestProbe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script, calls, answer string
		repeated              bool
		requests              int
		err                   string
	}{
		"well": {
			"turn\n call connection_check {\"ping\": \"hello\"}\nturn\n expect result connection_check_1 The word is quince.\n text \"The word is Quince!\"",
			callsNative, "The word is Quince!", true, 2, "",
		},
		"deaf":   {"turn\n text \"Calling it.\"\n call connection_check {\"ping\": \"a\"}\nturn\n text Done.", callsNative, "Done.", false, 2, ""},
		"mute":   {"turn\n text quince", "", "quince", true, 1, ""},
		"wrong":  {"turn\n call connection_check {\"pong\": 1}\nturn\n text Sorry.", "", "Sorry.", false, 2, ""},
		"unable": {"turn\n call run_shell_command {\"command\": \"rm -rf /\"}\nturn\n text Sorry.", "", "Sorry.", false, 2, ""},
		"circle": {"turn\n times always\n call connection_check {\"ping\": \"a\"}", callsNative, "", false, 3, "the model keeps calling the tool"},
		"empty":  {"turn\n finish STOP", "", "", false, 1, "empty response"},
		"busy":   {"turn\n fail 503 UNAVAILABLE The model is overloaded.", "", "", false, 1, "The model is overloaded."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := probeAddress(t, t.Context(), startScript(t, tt.script))
			if got.Calls != tt.calls || got.Answer != tt.answer || got.Repeated != tt.repeated || got.Requests != tt.requests {
				t.Errorf("%+v", got)
			}
			switch {
			case tt.err == "" && got.Err != nil, tt.err != "" && (got.Err == nil || !strings.Contains(got.Err.Error(), tt.err)):
				t.Errorf("the error is %v", got.Err)
			case got.Err == nil && (got.First <= 0 || got.Total < got.First || got.Usage.Prompt == 0 || got.Cost == nil):
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestProbeEnds checks that probe stops when ctx ends, even if the server hangs or never stops
// sending.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	why := errors.New("enough")
	for name, serve := range map[string]func(http.ResponseWriter, *http.Request){
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"and \"}]}}]}\r\n\r\n"); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice a disconnect
				time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
				serve(w, r)
			}))
			defer server.Close()
			if got := probeAddress(t, ctx, server.URL); !errors.Is(got.Err, why) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestProbeGarbage checks the error for a response that is not valid JSON.
func TestProbeGarbage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: \x00\x1b[31m{{{\r\n\r\n")) // fails if the client has disconnected
	}))
	defer server.Close()
	got := probeAddress(t, t.Context(), server.URL)
	var api *llm.Error
	if !errors.As(got.Err, &api) || got.Requests != 1 {
		t.Errorf("%+v", got)
	}
}
