package session

import (
	"slices"
	"testing"

	"pollux/internal/project/projecttest"
)

// TestExtensionSecrets checks that the values of sensitive settings of extensions are kept out of logs.
func TestExtensionSecrets(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{}`)
	projecttest.AddExtension(t, p, "e", `, "settings": [{"name": "Key", "envVar": "E_KEY", "sensitive": true}]`, map[string]string{".env": "E_KEY=secret-value\n"})
	if !slices.Contains((&Session{Project: p}).secrets(), "secret-value") {
		t.Error("the secret of a setting can reach a log")
	}
}
