package a2a

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"pollux/internal/terminal"
)

// parseAddress returns the address of a card or an agent, which must be one of HTTP.
func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https"):
		return nil, errors.New("its address is not valid")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("its address begins with %q, not with https", terminal.Cut(terminal.Line(u.Scheme), 20)+":")
	}
	return u, nil
}

// origin returns the origin of an address: scheme and host, without the port that is the scheme's own.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}

// checkStep returns an error if a card or a redirect at one address must not lead to another one. A server
// can lead to its own addresses, and to servers with https. Thus it does not reach the services without
// encryption of this machine, its network or its provider. Servers of this machine may lead to each other.
func checkStep(from, to *url.URL) error {
	if origin(from) == origin(to) || to.Scheme == "https" || isLoopback(from.Hostname()) && isLoopback(to.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s leads to %s, another host without https", shown(from), origin(to))
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// shown returns an address for people, without the password and the query, which may be secret.
func shown(u *url.URL) string {
	return terminal.Cut(terminal.Line(origin(u)+u.EscapedPath()), 200)
}
