package doctor

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// The test request goes only where a script would send the user's key: an address that a folder names, and that the
// user has not seen, gets none.
func TestUnseenAddress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, text string
		vars       []string
		want       string // in the section about trust
	}{
		".env, trusted by a variable": {
			".env", "GOOGLE_GEMINI_BASE_URL=$ADDRESS",
			[]string{"GEMINI_API_KEY=secret", "GEMINI_CLI_TRUST_WORKSPACE=true"},
			".env sets GOOGLE_GEMINI_BASE_URL=$ADDRESS, where requests go with your key",
		},
		".env, trusted by the user": {
			".gemini/.env", "GOOGLE_GEMINI_BASE_URL=$ADDRESS",
			[]string{"GEMINI_API_KEY=secret"},
			".env sets GOOGLE_GEMINI_BASE_URL=$ADDRESS, where requests go with your key",
		},
		"the other variable of Gemini": {
			".env", "GEMINI_API_ENDPOINT=$ADDRESS",
			[]string{"GEMINI_API_KEY=secret", "GEMINI_CLI_TRUST_WORKSPACE=true"},
			".env sets GEMINI_API_ENDPOINT=$ADDRESS, where requests go with your key",
		},
		"OpenAI": {
			".env", "OPENAI_BASE_URL=$ADDRESS\nOPENAI_MODEL=large",
			[]string{"OPENAI_API_KEY=secret", "GEMINI_CLI_TRUST_WORKSPACE=true"},
			".env sets OPENAI_BASE_URL=$ADDRESS, where requests go with your key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
			t.Cleanup(server.Close)
			home, dir := t.TempDir(), t.TempDir()
			write := func(path, text string) {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "$ADDRESS", server.URL)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(filepath.Join(dir, tt.file), tt.text)
			write(filepath.Join(home, ".gemini/trustedFolders.json"), `{"`+filepath.ToSlash(dir)+`": "TRUST_FOLDER"}`)
			record := filepath.Join(home, ".gemini/pollux/folders.json")
			write(record, `{}`)
			env := config.NewEnv(append(tt.vars, "HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(home, "none.json"),
				"HTTPS_PROXY=http://127.0.0.1:1")...) // no request leaves this machine
			term, _, _ := terminal.Test("")
			warn := func(text string) { t.Errorf("beside the report: %s", text) }
			d, err := Examine(t.Context(), Options{Session: project.Options{Env: env, Dir: dir, Warn: warn}, Terminal: term})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(tt.want, "$ADDRESS", server.URL)
			if text := sectionText(t, d, "trust"); !strings.Contains(text, "warning unseen: Ignoring what you have not seen of this folder: "+want) {
				t.Errorf("the section about trust is %s", text)
			}
			if n := requests.Load(); n > 0 || !strings.Contains(strings.Join(d.LeftOut, "\n"), want) {
				t.Errorf("%d requests, left out: %q", n, d.LeftOut)
			}
			if text, err := os.ReadFile(record); string(text) != "{}" {
				t.Errorf("the record is %s, %v", text, err)
			}
		})
	}
}
