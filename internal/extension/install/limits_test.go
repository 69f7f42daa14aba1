package install

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pollux/internal/extension"
	"pollux/internal/keychain"
)

// The settings limit where updates come from, too, also from a repository that the extension has moved to.
func TestUpdateSources(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	from, commit := repository(t)
	to, commitTo := repository(t)
	commit(manifest("1.0.0", `,"migratedTo":"`+to+`"`))
	commitTo(manifest("2.0.0", ""))
	e := mustInstall(t, m, from, Options{HasConsent: true})
	if got := m.migratedTo(t.Context(), e); got != to {
		t.Fatalf("moved to %q, want %q", got, to)
	}
	m.Options.Sources = []string{"^" + regexp.QuoteMeta(from) + "$"}
	if got := m.migratedTo(t.Context(), e); got != "" {
		t.Errorf("moved to %q, which the settings do not allow", got)
	}
	m.Options.Sources = []string{"^https://mine/"}
	if _, err := m.Update(t.Context(), e); err == nil || !strings.Contains(err.Error(), "is not allowed") {
		t.Errorf("update from a source that the settings do not allow: %v", err)
	}
}

// An update cannot take the name of another extension.
func TestUpdateKeepsOthers(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	mustInstall(t, m, source(t, manifest("1.0.0", "")), Options{HasConsent: true})
	src := source(t, map[string]string{"gemini-extension.json": `{"name":"y","version":"1.0.0"}`})
	if _, err := m.Install(t.Context(), src, Options{HasConsent: true}); err != nil {
		t.Fatal(err)
	}
	write(t, src, manifest("2.0.0", ""))
	if _, err := m.Update(t.Context(), mustFind(t, m, "y")); err == nil || !strings.Contains(err.Error(), `Cannot update to "x"`) {
		t.Errorf("error %v", err)
	}
	if mustFind(t, m, "x").Version != "1.0.0" || mustFind(t, m, "y").Version != "1.0.0" {
		t.Error("an extension has changed")
	}
}

func TestUninstallRemovesSecrets(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	user.values = map[string]string{"MY_KEY": "secret value"}
	src := source(t, manifest("1.0.0", `,"settings":[{"name":"Key","description":"","envVar":"MY_KEY","sensitive":true}]`))
	e := mustInstall(t, m, src, Options{HasConsent: true})
	service, account := extension.SecretName("x", e.ID, "", "MY_KEY")
	if _, err := m.Keychain.Get(t.Context(), service, account); err != nil {
		t.Fatal(err)
	}
	if err := m.Uninstall(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Keychain.Get(t.Context(), service, account); !errors.Is(err, keychain.ErrNotFound) {
		t.Errorf("the secret is still there: %v", err)
	}
}

// An archive is no folder that can be trusted: the consent is the only question.
func TestArchiveAsksNoTrust(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	m.TrustSource = func(path string) (string, func() error, error) {
		t.Errorf("asked to trust %s", path)
		return "", nil, nil
	}
	path := filepath.Join(t.TempDir(), "x.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(file)
	w, err := z.Create("gemini-extension.json")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write([]byte(manifest("1.0.0", "")["gemini-extension.json"]))
	if err := errors.Join(err, z.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	mustInstall(t, m, path, Options{})
	if asked := user.take(); !strings.Contains(asked, `Installing extension "x".`) {
		t.Error(asked)
	}
}
