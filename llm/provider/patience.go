package provider

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"pollux/llm/httpwire"
)

// localStart is how long a request waits for the first byte of a response from a server at
// a private address. A machine of the user's own reads a long prompt for many minutes.
const localStart = 30 * time.Minute

// maxTimeout is the largest StartTimeout and IdleTimeout of a profile, in seconds: a week.
const maxTimeout = 7 * 24 * 60 * 60

// timeouts returns how long requests wait for the provider: the times of its profile,
// else of the network settings, else localStart at a private address. All others are 0,
// for the default of the protocol.
func (a *Access) timeouts(n httpwire.Timeouts) httpwire.Timeouts {
	start, idle := n.Start, n.Idle
	if a.Profile != nil {
		start, idle = cmp.Or(seconds(a.StartTimeout), start), cmp.Or(seconds(a.IdleTimeout), idle)
	}
	if start <= 0 && IsPrivate(a.BaseURL) {
		start = localStart
	}
	return httpwire.Timeouts{Start: start, Idle: idle}
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func (p *Profile) checkTimeouts() error {
	for _, n := range []float64{p.StartTimeout, p.IdleTimeout} {
		if n < 0 || n > maxTimeout {
			return errors.New("startTimeout and idleTimeout must be seconds between 0 and 604800 (a week)")
		}
	}
	return nil
}

// IsPrivate reports whether an address is that of this machine or of a private network: a
// loopback, private (RFC 1918, RFC 4193), link-local or shared address (RFC 6598, as
// Tailscale uses it), or a name without a dot or under a top-level domain that no public
// name is under, such as host.docker.internal and gpu.local.
func IsPrivate(address string) bool {
	u, err := url.Parse(strings.ReplaceAll(strings.TrimSpace(address), "{model}", "m"))
	if err != nil || u.Hostname() == "" {
		return false
	}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(name); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || sharedAddresses.Contains(ip)
	}
	i := strings.LastIndexByte(name, '.')
	return i < 0 || slices.Contains(privateDomains, name[i+1:]) || strings.HasSuffix(name, ".home.arpa")
}

// privateDomains are top-level domains that no public name is under.
var privateDomains = []string{"localhost", "local", "internal", "lan", "home"}

var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")
