package a2a

import (
	"errors"
	"fmt"
	"net/url"

	"pollux/internal/oauth"
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

// checkStep returns an error if a card or a redirect at one address must not lead to another one. A server
// can lead to its own addresses, and to servers with https. Thus it does not reach the services without
// encryption of this machine, its network or its provider. Servers of this machine may lead to each other.
func checkStep(from, to *url.URL) error {
	there, isLocal := oauth.Origin(to), oauth.IsLoopback(from.Hostname()) && oauth.IsLoopback(to.Hostname())
	if oauth.Origin(from) == there || to.Scheme == "https" || isLocal {
		return nil
	}
	return fmt.Errorf("%s leads to %s, another host without https", shown(from), there)
}

// shown returns an address for people, without the password and the query, which may be secret.
func shown(u *url.URL) string {
	return terminal.Cut(terminal.Line(oauth.Origin(u)+u.EscapedPath()), 200)
}
