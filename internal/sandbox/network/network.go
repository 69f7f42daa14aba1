// Package network decides which addresses confined programs may connect to:
//
//	policy := network.Policy{Off: true}
//	allowed := policy.Allows(netip.MustParseAddrPort("127.0.0.1:8080"))
//
// A policy may name hosts that they reach nevertheless: see [ParseHost].
package network

import "net/netip"

// Policy limits the addresses that confined programs can reach. The zero Policy allows all.
type Policy struct {
	// Off leaves only the servers of this machine on its loopback addresses, except those that would ask others by DNS.
	Off bool
	// Source is the place, other than settings, that switches the network off, "" for none. It is for words only.
	Source string
	// Proxy is the address of a server of this machine by which programs reach others, "" for none. It is for words only.
	Proxy string
	// Hosts are the hosts that programs reach although the network is off.
	Hosts Hosts
	// NamesHosts makes Pollux learn which hosts programs want to reach, so that a person can be asked about each, also if Hosts is empty.
	NamesHosts bool
}

// IsByName reports whether programs ask Pollux for the addresses of names.
func (p Policy) IsByName() bool { return p.Off && (len(p.Hosts) > 0 || p.NamesHosts) }

// PortDNS is the port of resolvers, and PortHTTPS that of web servers.
const (
	PortDNS   = 53
	PortHTTPS = 443
)

// asksOthers reports whether the servers at a port pass questions on to other machines, by DNS.
func asksOthers(port uint16) bool { return port == PortDNS || port == 853 }

// Allows reports whether a program may connect to an address, whatever names have it.
func (p Policy) Allows(to netip.AddrPort) bool {
	switch {
	case !p.Off:
		return true
	case IsLocal(to.Addr()):
		return !asksOthers(to.Port())
	}
	return to.Port() != PortDNS && p.Hosts.Containing(to.Addr()).HasPort(to.Port())
}

// IsLocal reports whether a connection to an address ends on this machine, whatever the routes are: it is one of
// loopback's, or none, which the kernel takes for it.
func IsLocal(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsUnspecified()
}
