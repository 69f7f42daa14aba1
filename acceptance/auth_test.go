package acceptance

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// metadata is a metadata server of Google Cloud.
func metadata(t *testing.T, token string) (host string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/computeMetadata/v1/")
		switch {
		case r.Header.Get("Metadata-Flavor") != "Google" || token == "":
			w.WriteHeader(http.StatusNotFound)
		case path == "project/project-id":
			_, _ = io.WriteString(w, "the-project")
		case path == "instance/service-accounts/default/token":
			_, _ = io.WriteString(w, token)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// silent returns the address of a server that accepts connections and never responds.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String() // the system accepts connections without Accept
}

// TestVertexAccounts checks requests to Vertex AI with a service account and with the account of
// the machine.
func TestVertexAccounts(t *testing.T) {
	t.Parallel()
	const token = `{"access_token": "test-key", "token_type": "Bearer", "expires_in": 3600}`
	for name, c := range map[string]struct {
		env  func(t *testing.T) []string
		path string
	}{
		"service account": {func(t *testing.T) []string {
			return []string{
				"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=l",
				"GOOGLE_APPLICATION_CREDENTIALS=" + serviceAccount(t),
			}
		}, "/v1beta1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:streamGenerateContent"},
		"machine": {func(t *testing.T) []string {
			return []string{"GEMINI_CLI_USE_COMPUTE_ADC=true", "GCE_METADATA_HOST=" + metadata(t, token)}
		}, "/v1beta1/projects/the-project/locations/global/publishers/google/models/gemini-2.5-flash:streamGenerateContent"},
		"cloud shell": {func(t *testing.T) []string {
			return []string{"CLOUD_SHELL=true", "DEVSHELL_PROJECT_ID=mine", "GOOGLE_CLOUD_LOCATION=eu", "GCE_METADATA_HOST=" + metadata(t, token)}
		}, "/v1beta1/projects/mine/locations/eu/publishers/google/models/gemini-2.5-flash:streamGenerateContent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization")+r.Header.Get("X-Goog-Api-Key"))
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}]}`+"\n\n")
			}))
			defer server.Close()
			p := newPerson(t)
			p.environ = append(p.environ, "GEMINI_MODEL=gemini-2.5-flash", "GOOGLE_VERTEX_BASE_URL="+server.URL)
			p.environ = append(p.environ, c.env(t)...)
			var stderr bytes.Buffer
			cmd := p.command("pollux", "-p", "hi")
			cmd.Stderr = &stderr
			if out, err := cmd.Output(); err != nil || string(out) != "Hello.\n" {
				t.Errorf("it said %q, %v\n%s", out, err, &stderr)
			}
			if len(asked) != 1 || asked[0] != c.path+" Bearer test-key" {
				t.Errorf("it asked %q", asked)
			}
			if _, err := os.Stat(filepath.Join(p.home, ".gemini", "settings.json")); err == nil {
				t.Error("it has written settings")
			}
		})
	}
}

// TestNoAccount checks that missing credentials end the run with exit code 41 and one line.
func TestNoAccount(t *testing.T) {
	t.Parallel()
	const machine = "Cannot use the Google Cloud account of this machine: "
	const file = "Cannot use your Google Cloud credentials: cannot use the credentials file "
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	huge := write("huge.json", "")
	if err := os.Truncate(huge, 1<<30); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	vertex := []string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=l"}
	with := func(path string) []string { return append(vertex[:3:3], "GOOGLE_APPLICATION_CREDENTIALS="+path) }
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"a server that is silent":       {[]string{"CLOUD_SHELL=true", "GCE_METADATA_HOST=" + silent(t)}, machine + "the metadata server does not respond. "},
		"a server that knows nothing":   {[]string{"CLOUD_SHELL=true", "GCE_METADATA_HOST=" + metadata(t, "")}, machine + "metadata: GCE metadata "},
		"a server that talks":           {[]string{"CLOUD_SHELL=true", "GCE_METADATA_HOST=" + metadata(t, "<html>")}, machine + "the metadata server returned no token. "},
		"no server":                     {[]string{"CLOUD_SHELL=true", "GCE_METADATA_HOST=127.0.0.1:1"}, machine},
		"no file":                       {with(filepath.Join(dir, "none.json")), file + filepath.Join(dir, "none.json") + ": no such file or directory. "},
		"a directory":                   {with(dir), file + dir + ": it is a directory. "},
		"a file without end":            {with("/dev/zero"), file + "/dev/zero: it is not a regular file. "},
		"a file of a gigabyte":          {with(huge), file + huge + ": it is larger than 1 MB. "},
		"a file that is no JSON":        {with(write("text.json", "hunter2")), ": it is not a JSON credentials file. "},
		"a file of something different": {with(write("other.json", `{"type": "pigeon"}`)), `: unknown credentials type "pigeon". `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.environ = append(p.environ, c.env...)
			var stderr bytes.Buffer
			cmd := p.command("pollux", "-p", "hi")
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != 41 || len(out) > 0 || !strings.Contains(stderr.String(), c.want) ||
				strings.Count(stderr.String(), "\n") != 1 || strings.Contains(stderr.String(), "hunter2") {
				t.Errorf("%d, %q\n%s", code, out, &stderr)
			}
		})
	}
}

// TestTypedKey checks that a typed key is not shown, and that the user can cancel.
func TestTypedKey(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("stty"); err != nil {
		t.Skip("NOT TESTED: stty is not installed")
	}
	for name, c := range map[string]struct{ typed, want, code string }{
		"a key":     {"typed-key\n", "Stored the key", "0"},
		"nothing":   {"\n", "No key was entered.", "42"},
		"the end":   {"\x04", "No key was entered.", "42"},
		"no, don't": {"typed-\x03", "", "130"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			cmd := p.command("sh", "-c", "trap : INT; pollux auth set --no-test; echo code $?; stty -a | grep -o -e '[-]*echo '")
			tty, err := pty.Start(cmd)
			if err != nil {
				t.Skip("no pseudo-terminal here: ", err)
			}
			defer tty.Close()
			var screen bytes.Buffer
			seen := func(text string) bool {
				buf := make([]byte, 4096)
				for !strings.Contains(screen.String(), text) {
					n, err := tty.Read(buf)
					screen.Write(buf[:n])
					if err != nil {
						return strings.Contains(screen.String(), text)
					}
				}
				return true
			}
			stop := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGKILL); _ = tty.Close() })
			defer stop.Stop()
			if !seen(" (not shown): ") {
				t.Fatalf("it does not ask: %q", &screen)
			}
			if _, err := io.WriteString(tty, c.typed); err != nil {
				t.Fatal(err)
			}
			if !seen("echo ") || !strings.Contains(screen.String(), "code "+c.code) || !strings.Contains(screen.String(), c.want) ||
				strings.Contains(screen.String(), "typed") || strings.Contains(screen.String(), "-echo ") {
				t.Errorf("%q", &screen)
			}
			_ = cmd.Wait()
		})
	}
}

// TestInterruptedKeychain checks that Ctrl+C ends the wait for a keychain that does not respond.
func TestInterruptedKeychain(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"models", "auth", "auth list", "auth set --no-test", "auth remove", "doctor --offline", "-p hi"} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "bus") // a socket's path must be short
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			bus, err := net.Listen("unix", filepath.Join(dir, "s"))
			if err != nil {
				t.Skip("no sockets here: ", err)
			}
			defer bus.Close()
			if err := bus.(*net.UnixListener).SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			p := newPerson(t)
			p.environ = append(p.environ, "DBUS_SESSION_BUS_ADDRESS=unix:path="+bus.Addr().String(), "GEMINI_FORCE_FILE_STORAGE=")
			var stderr bytes.Buffer
			cmd := p.command("pollux", strings.Fields(words)...)
			cmd.Stderr, cmd.Stdin = &stderr, strings.NewReader("the-key")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := bus.Accept(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 || strings.Contains(stderr.String(), "does not answer") {
				t.Errorf("%d\n%s", code, &stderr)
			}
		})
	}
}
