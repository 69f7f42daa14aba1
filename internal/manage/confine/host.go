package confine

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/limits"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/proxy"
	"pollux/internal/terminal"
)

// describeReach says which hosts commands in the sandbox reach where the network is off.
func describeReach(policy network.Policy) string {
	const own = "TCP servers on this machine's loopback addresses"
	if policy.Proxy != "" {
		text := "In the sandbox, commands reach other machines only by the proxy " + policy.Proxy + " (" + proxy.Variable + ")"
		if len(policy.Hosts) > 0 {
			text += " and these hosts (pollux.sandboxHosts): " + join(policy.Hosts)
		}
		return text + ", and " + own + "."
	}
	if len(policy.Hosts) == 0 {
		return "In the sandbox, commands have no network (networkAccess in tools.sandbox): they reach only " + own + "."
	}
	return "In the sandbox, commands reach only " + own + " and these hosts (pollux.sandboxHosts): " + join(policy.Hosts) + "."
}

// join returns a list of hosts as people read it.
func join(hosts network.Hosts) string {
	list := make([]string, len(hosts))
	for i, h := range hosts {
		list[i] = h.String()
	}
	return strings.Join(list, ", ")
}

// host is a host that a person names, with a port or 0.
type host struct {
	name string
	port uint16
}

// parseHost reads a host as an address, a name with a dot, "localhost" or a URL, with or without a port; ok is false for
// other words.
func parseHost(word string) (h host, ok bool) {
	if to, err := netip.ParseAddrPort(word); err == nil {
		return host{to.Addr().String(), to.Port()}, true
	}
	if a, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil {
		return host{name: a.String()}, true
	}
	if !strings.Contains(word, "://") {
		word = "tcp://" + word
	}
	u, err := url.Parse(word)
	if err != nil || u.Scheme == "tcp" && u.Path != "" {
		return host{}, false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil && u.Port() != "" {
		return host{}, false
	}
	name := u.Hostname()
	return host{name, uint16(port)}, name == "localhost" || u.Scheme != "tcp" && name != "" || strings.Contains(strings.Trim(name, "."), ".")
}

// explainHost says whether commands in the sandbox reach a host.
func explainHost(h host, policy network.Policy, limit limits.Limit) (text string, reaches bool) {
	shown := terminal.Cut(terminal.Line(h.name), 200)
	address, err := netip.ParseAddr(h.name)
	named := policy.Hosts.Named(strings.ToLower(strings.TrimSuffix(h.name, ".")))
	if h.name == "localhost" {
		address, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	} else if err == nil {
		named = policy.Hosts.Containing(address)
	}
	switch {
	case !policy.Off:
		return fmt.Sprintf("Commands in the sandbox reach %s, because the network is open. To switch it off, set tools.sandbox to {\"enabled\": true, \"networkAccess\": false}.", shown), true
	case err == nil && network.IsLocal(address) && policy.Allows(netip.AddrPortFrom(address, h.port)):
		return fmt.Sprintf("Commands in the sandbox reach TCP servers on %s, because it is this machine.", shown), true
	case len(named) > 0 && (h.port == network.PortDNS || h.port != 0 && !named.HasPort(h.port)):
		return fmt.Sprintf("Commands in the sandbox do not reach port %d of %s: pollux.sandboxHosts has %s.", h.port, shown, join(named)), false
	case len(named) > 0:
		return fmt.Sprintf("Commands in the sandbox reach %s, because pollux.sandboxHosts has %s.", shown, join(named)), true
	case err == nil && network.IsLocal(address):
		return fmt.Sprintf("Commands in the sandbox do not reach port %d of %s, because a resolver there would pass on what they ask.", h.port, shown), false
	case policy.Proxy != "":
		return fmt.Sprintf("Commands in the sandbox reach %s only by the proxy %s (%s), if that does.", shown, policy.Proxy, proxy.Variable), false
	case limit.IsOffline && limit.IsBuiltIn:
		return fmt.Sprintf("Commands in the sandbox do not reach %s without your approval, because of the approval mode: see %s. To let them, set tools.sandboxNetworkAccess to true.", shown, limit.Source), false
	case limit.IsOffline:
		return fmt.Sprintf("Commands in the sandbox do not reach %s, because of the approval mode: see %s.", shown, terminal.Line(limit.Source)), false
	case len(policy.Hosts) > 0:
		return fmt.Sprintf("Commands in the sandbox do not reach %s, because pollux.sandboxHosts does not have it.", shown), false
	}
	return fmt.Sprintf("Commands in the sandbox do not reach %s, because tools.sandbox has networkAccess: false. To let them, set tools.sandboxNetworkAccess to true.", shown), false
}

// describeCredentials lists the credentials that commands use without having them.
func describeCredentials(c *confine.Confinement, list []confine.Credential) string {
	parts := make([]string, len(list))
	for i, one := range list {
		parts[i] = one.Describe()
		if len(one.Hosts) > 0 {
			parts[i] += " for " + join(one.Hosts)
		}
		if !c.IsSet(one) {
			parts[i] += " (not set)"
		}
	}
	return "Commands use these credentials without having them (pollux.sandboxCredentials): " + strings.Join(parts, "; ") + "."
}

// explainCredential says which credential commands use at a host, "" for none.
func explainCredential(h host, list []confine.Credential) string {
	for _, one := range list {
		for _, known := range one.Hosts {
			isPort := h.port == 0 || h.port == cmp.Or(known.Port, network.PortHTTPS)
			if isPort && (known.Name != "" && strings.EqualFold(h.name, known.Name) || known.Name == "" && h.name == known.Addresses.Addr().String()) {
				return "At " + known.String() + ", they use the credential of " + one.Describe() + " without having it."
			}
		}
	}
	return ""
}
