package gemini_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/gemini"
)

// TestDefaultCredentials checks that the client loads the key of a service account
// from GOOGLE_APPLICATION_CREDENTIALS and exchanges it for a token once.
func TestDefaultCredentials(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	trades := 0
	var seen []http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			trades++
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":"traded","token_type":"Bearer","expires_in":3600}`)
			return
		}
		seen = append(seen, r.Header)
		_, _ = io.WriteString(w, hello)
	}))
	defer s.Close()
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "p", "client_email": "a@p.example", "private_key_id": "1",
		"private_key":      string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":        s.URL + "/token",
		"quota_project_id": "payer",
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)

	g, err := gemini.New(gemini.Options{Vertex: &gemini.Vertex{Project: "p", Location: "us-central1"}, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	generate := func() error {
		_, err := g.Generate(t.Context(), &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hello"))}})
		return err
	}
	if err := generate(); err == nil || !strings.HasPrefix(err.Error(), "Could not load the default credentials. ") {
		t.Errorf("without a file: %v", err)
	}
	// The client does not cache the failure: the user may sign in meanwhile.
	if err := os.WriteFile(file, account, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := generate(); err != nil {
			t.Fatal(err)
		}
	}
	if trades != 1 || len(seen) != 2 {
		t.Errorf("%d trades for %d requests", trades, len(seen))
	}
	for _, h := range seen {
		if h.Get("Authorization") != "Bearer traded" || h.Get("X-Goog-User-Project") != "payer" || h.Get("X-Goog-Api-Key") != "" {
			t.Errorf("headers %v", h)
		}
	}
}
