package extension

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
)

// InstallName is the file name of the record of an installation.
const InstallName = ".gemini-extension-install.json"

const maxInstall = 64 << 10 // bytes

// Install is the record of how an extension was installed.
type Install struct {
	// Source is the path or the address that the extension came from.
	Source string `json:"source"`
	Type   Type   `json:"type"`
	// Ref is the branch, tag or commit of the source that the user has asked for, "" for none.
	Ref             string `json:"ref,omitempty"`
	AutoUpdate      bool   `json:"autoUpdate,omitempty"`
	AllowPreRelease bool   `json:"allowPreRelease,omitempty"`
	// Plugin is the plugin of a marketplace that is installed, "" if the source is the extension.
	Plugin string `json:"plugin,omitempty"`
	// ReleaseTag is the tag of the release that is installed, "" if it is none.
	ReleaseTag string `json:"releaseTag,omitempty"`
}

// Type is the way in which an extension was installed.
type Type string

// The types.
const (
	Git     Type = "git"
	Release Type = "github-release"
	Local   Type = "local" // a copy of a directory
	Link    Type = "link"  // the directory itself
)

// isRemote reports whether the extension came from a repository.
func (i *Install) isRemote() bool { return i != nil && (i.Type == Git || i.Type == Release) }

// ReadInstall reads the record of the installation in dir, nil if there is none.
func ReadInstall(dir string) (*Install, error) {
	data, err := durable.ReadFile(filepath.Join(dir, InstallName), maxInstall)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", InstallName, err)
	}
	var install *Install
	if json.Unmarshal(data, &install) != nil || install == nil {
		return nil, fmt.Errorf("%s is not valid", InstallName)
	}
	return install, nil
}

// WriteInstall writes the record of the installation in dir.
func WriteInstall(dir string, install *Install) error {
	data, err := json.MarshalIndent(install, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, InstallName), data, 0o644)
}

// IDOf returns the id of an extension, which also names its secrets in the keychain. install may be nil.
func IDOf(name string, install *Install) string {
	value := name
	if install != nil && install.Source != "" {
		value = install.Source
		if owner, repo, ok := GitHubRepository(install.Source); ok && install.isRemote() {
			value = "https://github.com/" + owner + "/" + repo
		}
	}
	if install != nil && install.Plugin != "" {
		value += "#" + install.Plugin
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(value)))
}

// GitHubRepository returns the owner and the name of the repository that a source is, false if it is not one
// on github.com.
func GitHubRepository(source string) (owner, repo string, ok bool) {
	source = strings.TrimPrefix(source, "git@github.com:")
	at, err := url.Parse(source)
	if err != nil || strings.HasPrefix(source, "git@") {
		return "", "", false
	}
	if at.Scheme == "" && at.Host == "" { // relative to github.com, as Gemini CLI reads it
		at.Host = "github.com"
	}
	parts := strings.FieldsFunc(at.EscapedPath(), func(r rune) bool { return r == '/' })
	if !strings.EqualFold(at.Host, "github.com") || len(parts) != 2 {
		return "", "", false
	}
	return parts[0], strings.Replace(parts[1], ".git", "", 1), true
}
