package session

import (
	"slices"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestExtensionSecrets checks that the values of sensitive settings of extensions are secrets of the session.
func TestExtensionSecrets(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.AddExtension("e", `"settings": [{"name": "Key", "envVar": "E_KEY", "sensitive": true}]`, map[string]string{".env": "E_KEY=secret-value\n"})
	p := u.Open(func(o *project.Options) { o.Folder = trust.Trusted })
	if !slices.Contains((&Session{Project: p}).secrets(), "secret-value") {
		t.Error("the secret of a setting can reach a log")
	}
}
