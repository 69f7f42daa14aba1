package ollama

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// parseAddress parses an address in any form of OLLAMA_HOST, which is the
// address a server listens on. An unspecified address such as 0.0.0.0 becomes
// 127.0.0.1.
func parseAddress(s string) (*url.URL, error) {
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
	u.Path, u.RawPath = trimMethod(u.Path), ""
	return u, nil
}

// trimMethod removes the path of a protocol or method from the end of path.
func trimMethod(path string) string {
	path = strings.TrimRight(path, "/")
	for _, end := range []string{"/v1/chat/completions", "/v1", "/api/chat", "/api"} {
		if cut, ok := strings.CutSuffix(path, end); ok {
			return strings.TrimRight(cut, "/")
		}
	}
	return path
}

func (c *Client) url(method string) *url.URL {
	u := *c.base
	u.Path += "/api/" + method
	return &u
}
