package companion

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/ide"
)

// FuzzHear checks that no notification of an editor breaks the companion, and that the description of its files is one block.
func FuzzHear(f *testing.F) {
	for _, params := range []string{
		`{"workspaceState":{"openFiles":[{"path":"/a","timestamp":1,"isActive":true,"cursor":{"line":1,"character":2},"selectedText":"x"}],"isTrusted":false}}`,
		`{"workspaceState":null}`, `{"workspaceState":{"openFiles":null}}`, `{"filePath":"/a","content":"x"}`, `{"filePath":1}`, `[]`, `null`, "",
		`{"workspaceState":{"openFiles":[{"path":"/a` + "`" + "``" + `\n","timestamp":-1e308,"isActive":true,"selectedText":"` + strings.Repeat("x", 20_000) + `"}]}}`,
	} {
		for _, method := range []string{"ide/contextUpdate", "ide/diffAccepted", "ide/diffRejected", "ping"} {
			f.Add(method, params)
		}
	}
	f.Fuzz(func(t *testing.T, method, params string) {
		c := &Companion{phase: Connected}
		d := &Diff{companion: c, path: "/a", proposed: "old", done: make(chan struct{})}
		c.diff = d
		c.hear(method, json.RawMessage(params))
		if len(c.state.Files) > maxFiles {
			t.Errorf("%d files", len(c.state.Files))
		}
		text := ide.New(func() (ide.State, bool) { return c.state, c.isTold }).Context(true)
		if strings.Count(text, "```") > 2 {
			t.Errorf("more than one block: %q", text)
		}
		if c.diff == nil {
			<-d.done
		}
	})
}

// FuzzListing checks that the file of a companion breaks nothing, and leads to this machine only.
func FuzzListing(f *testing.F) {
	for _, text := range []string{`{"port":1234,"workspacePath":"/a:/b","authToken":"x"}`, `{"port":"1234"}`, `{"port":-1}`, `{"port":1e4}`, `{"port":"80@evil.example"}`, `{"stdio":{"command":"x","args":["a"]}}`, "", "[]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "gemini-ide-server-1-1.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l, ok := readListing(path)
		if !ok {
			return
		}
		c, ok := service(l.Port.String(), l.Token)
		if ok && !strings.HasPrefix(c.HTTPURL, "http://127.0.0.1:") {
			t.Errorf("it leads to %s", c.HTTPURL)
		}
		nearest("/a", l.Roots)
	})
}
