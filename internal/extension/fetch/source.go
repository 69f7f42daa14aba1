package fetch

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/extension"
)

// remote are the beginnings of sources that are repositories.
var remote = [...]string{"http://", "https://", "git@", "sso://", "ssh://", "file://", "github:", "gitlab:"}

// IsRemote reports whether a source is the address of a repository, not the path of a directory.
func IsRemote(source string) bool {
	return slices.ContainsFunc(remote[:], func(prefix string) bool { return strings.HasPrefix(source, prefix) })
}

// Parse returns the request for the address of a repository: with "github:owner/repo" and
// "gitlab:owner/repo" written out.
func Parse(source, ref string) (*Request, error) {
	bad := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	if !IsRemote(source) || strings.ContainsFunc(source, bad) {
		return nil, fmt.Errorf("%.200q is not the address of a repository", source)
	}
	for short, host := range map[string]string{"github:": "https://github.com/", "gitlab:": "https://gitlab.com/"} {
		if rest, ok := strings.CutPrefix(source, short); ok {
			source = host + strings.Trim(rest, "/")
		}
	}
	r := &Request{URL: source, Ref: ref}
	host := strings.TrimPrefix(source, "git@")
	if host == source {
		at, err := url.Parse(source)
		if err != nil || at.Host == "" && at.Scheme != "file" {
			return nil, fmt.Errorf("%.200q is not the address of a repository", source)
		}
		if host = at.Hostname(); at.User != nil && strings.HasPrefix(at.User.Username(), "-") {
			host = "-"
		}
	}
	if strings.HasPrefix(host, "-") { // git passes it to ssh, for which it would be an option
		return nil, fmt.Errorf("%.200q is not the address of a repository", source)
	}
	if err := checkRef(ref); err != nil {
		return nil, err
	}
	if owner, repo, ok := extension.GitHubRepository(source); ok {
		r.Owner, r.Repo = owner, repo
	} else if isGitHub(source) {
		return nil, fmt.Errorf("invalid GitHub repository source: %.200q. Use https://github.com/OWNER/REPOSITORY", source)
	}
	return r, nil
}

// isGitHub reports whether a source is on github.com.
func isGitHub(source string) bool {
	if strings.HasPrefix(source, "git@") {
		return strings.HasPrefix(source, "git@github.com:")
	}
	at, err := url.Parse(source)
	return err == nil && strings.EqualFold(at.Hostname(), "github.com")
}

// checkRef returns an error for a name that is no branch, tag or commit. Git would take some as
// options, or as instructions to change other branches.
func checkRef(ref string) error {
	bad := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`~^:?*[\`, r)
	}
	if strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "+") || strings.Contains(ref, "..") || strings.ContainsFunc(ref, bad) {
		return fmt.Errorf("%.100q is not the name of a branch, tag or commit", ref)
	}
	return nil
}
