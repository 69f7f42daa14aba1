package provider

import (
	"net/url"
	"strings"
)

// RedactAddress returns an address that is safe to show: user name, password and the
// values of the query are replaced by ***, except an API version.
func RedactAddress(address string) string {
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
	return brief(scheme + place)
}

// host returns the host of an address, with its port if that is not the default of
// the scheme, "" if the address is invalid.
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

// needsAddress reports whether a profile must have an address. Many services speak
// OpenAI's protocol, and requests for them must not go to OpenAI.
func (p *Profile) needsAddress() bool { return p.Protocol.family() == Chat }
