package acceptance

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// releasesWord serves a file as the newest release at $RELEASES_URL, and writes a line for each request to
// releases.log: "asked", or "asked again" if the request is a conditional one.
func releasesWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 1 {
		return false
	}
	file, log := ts.MkAbs(args[0]), ts.MkAbs("releases.log")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := "asked"
		if r.Header.Get("If-None-Match") != "" {
			line = "asked again"
		}
		data, err := os.ReadFile(file)
		out, failed := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil || failed != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer out.Close()
		fmt.Fprintln(out, line)
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(data)))
		if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(data)
	}))
	ts.Defer(server.Close)
	ts.Setenv("RELEASES_URL", server.URL)
	return true
}
