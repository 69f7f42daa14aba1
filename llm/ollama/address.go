package ollama

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// address reads an address in the forms that OLLAMA_HOST has. As that says where
// a server listens, it may be one that cannot be called: any address is this
// machine's then.
func address(s string) (*url.URL, error) {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	scheme, rest, schemed := strings.Cut(s, "://")
	port := ""
	if !schemed {
		scheme, rest, port = "http", s, "11434"
	}
	host, path, _ := strings.Cut(rest, "/")
	switch {
	case !schemed && host == "ollama.com":
		scheme, port = "https", ""
	case strings.Contains(host, ":") && net.ParseIP(host) != nil:
		host = "[" + host + "]"
	case host == "" && !schemed:
		host = "127.0.0.1"
	}
	u, err := url.Parse(scheme + "://" + host + "/" + path)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		//lint:ignore ST1005 the text is a contract
		return nil, fmt.Errorf("Invalid custom base URL: %s", s)
	}
	if p := u.Port(); p != "" {
		port = p
	}
	name := u.Hostname()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	switch {
	case port != "":
		u.Host = net.JoinHostPort(name, port)
	case strings.Contains(name, ":"):
		u.Host = "[" + name + "]"
	default:
		u.Host = name
	}
	u.Path, u.RawPath = plainPath(u.Path), ""
	return u, nil
}

// plainPath strips from a path what leads to one of the server's protocols.
func plainPath(path string) string {
	path = strings.TrimRight(path, "/")
	for _, end := range []string{"/v1/chat/completions", "/v1", "/api/chat", "/api"} {
		if cut, ok := strings.CutSuffix(path, end); ok {
			return strings.TrimRight(cut, "/")
		}
	}
	return path
}

// url returns where a method is.
func (c *Client) url(method string) *url.URL {
	u := *c.base
	u.Path += "/api/" + method
	return &u
}
