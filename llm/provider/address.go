package provider

import (
	"net/url"
	"strings"
)

// Shown returns an address as it may be shown: without a user's name and
// password, and without the values of its query, but for a version.
func Shown(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	place, query, asked := strings.Cut(rest, "?")
	end := strings.IndexByte(place, '/')
	if _, err := url.Parse(address); err != nil || end < 0 {
		end = len(place) // a password may hold a slash
	}
	if at := strings.LastIndexByte(place[:end], '@'); at >= 0 {
		place = "***" + place[at:]
	}
	if asked {
		pairs := strings.Split(query, "&")
		for i, pair := range pairs {
			if name, _, set := strings.Cut(pair, "="); set && name != "api-version" {
				pairs[i] = name + "=***"
			}
		}
		place += "?" + strings.Join(pairs, "&")
	}
	return short(scheme + place)
}

// host returns an address's host, and its port if that is not the usual one; ""
// if it is no address.
func host(address string) string {
	u, err := url.Parse(strings.ReplaceAll(strings.TrimSpace(address), "{model}", "m"))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	at := strings.ToLower(u.Host)
	if port := u.Port(); port != "" && port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		at = strings.TrimSuffix(at, ":"+port)
	}
	return at
}

// needsAddress reports whether the protocol is so many's that it has no address
// of its own: what is meant for another must not go to OpenAI.
func (p *Profile) needsAddress() bool { return p.Protocol.family() == Chat }
