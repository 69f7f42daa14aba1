package web

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"pollux/internal/urltext"
	"pollux/tool"
)

// target is a page to be fetched.
type target struct {
	url  *url.URL
	name string // the normalized address, for messages
}

// targets returns the addresses in a prompt, each once, and messages about invalid ones.
func targets(prompt string) (found []target, wrong []string) {
	seen := map[string]bool{}
	for _, at := range urltext.Find(prompt) {
		word := prompt[at.Start:at.End]
		t, err := parseTarget(word)
		switch {
		case err == errProtocol:
			wrong = append(wrong, fmt.Sprintf("Unsupported protocol in URL: %q. %v", word, err))
		case err == errSecret:
			wrong = append(wrong, fmt.Sprintf("Name or password in URL: %q. %v", t.name, err))
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("Malformed URL detected: %q.", word))
		case !seen[t.name]:
			seen[t.name] = true
			found = append(found, t)
		}
	}
	return found, wrong
}

// The errors of parseTarget, as hints for the model.
const (
	errMalformed tool.Message = "It is no address."
	errProtocol  tool.Message = "Only http and https are supported."
	errSecret    tool.Message = "Leave name and password out."
)

// parseTarget parses an address. Its errors are the three above. For an address with a
// password it also returns the name without the password.
func parseTarget(word string) (t target, err error) {
	u, err := url.Parse(word)
	switch {
	case err != nil || u.Scheme == "":
		return t, errMalformed
	case u.Scheme != "http" && u.Scheme != "https":
		return t, errProtocol
	case u.User != nil:
		return target{name: u.Redacted()}, errSecret
	}
	host, err := normalHost(u.Hostname())
	if err != nil {
		return t, errMalformed
	}
	port := u.Port()
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	switch {
	case port != "":
		u.Host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		u.Host = "[" + host + "]"
	default:
		u.Host = host
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	named := *u
	if len(named.Path) > 1 {
		named.Path = strings.TrimSuffix(named.Path, "/")
		named.RawPath = strings.TrimSuffix(named.RawPath, "/")
	}
	return target{u, named.String()}, nil
}

// normalHost returns a host in normal form: lower case, ASCII, addresses in their usual
// notation.
func normalHost(host string) (string, error) {
	if strings.TrimRight(host, ".") == "" {
		return "", errNumber
	}
	for i := range len(host) {
		if host[i] >= 0x80 {
			ascii, err := idna.Lookup.ToASCII(host)
			if err != nil {
				return "", err
			}
			host = ascii
			break
		}
	}
	addr, ok, err := literal(host)
	if err != nil {
		return "", err
	}
	if ok {
		return addr.Unmap().WithZone("").String(), nil
	}
	return strings.ToLower(host), nil
}

// raw returns the address of a file's content if u is GitHub's page about the file, else u.
func raw(u *url.URL) *url.URL {
	if u.Host != "github.com" && u.Host != "www.github.com" {
		return u
	}
	parts := strings.SplitN(u.EscapedPath(), "/", 5) // "", owner, repository, "blob", the rest
	if len(parts) < 5 || parts[3] != "blob" {
		return u
	}
	path := "/" + parts[1] + "/" + parts[2] + "/" + parts[4]
	direct := &url.URL{Scheme: u.Scheme, Host: "raw.githubusercontent.com"}
	var err error
	if direct.Path, err = url.PathUnescape(path); err != nil {
		return u
	}
	direct.RawPath = path
	return direct
}
