// Package network decides which addresses confined programs may connect to:
//
//	policy := network.Policy{Off: true}
//	allowed := policy.Allows(netip.MustParseAddrPort("127.0.0.1:8080"))
package network

import "net/netip"

// Policy limits the addresses that confined programs can reach. The zero Policy allows all.
type Policy struct {
	// Off leaves only the servers of this machine on its loopback addresses, except those that would ask others by DNS.
	Off bool
}

// asksOthers reports whether the servers at a port pass questions on to other machines, by DNS.
func asksOthers(port uint16) bool { return port == 53 || port == 853 }

// Allows reports whether a program may connect to an address.
func (p Policy) Allows(to netip.AddrPort) bool {
	return !p.Off || IsLocal(to.Addr()) && !asksOthers(to.Port())
}

// IsLocal reports whether a connection to an address ends on this machine, whatever the routes are: it is one of
// loopback's, or none, which the kernel takes for it.
func IsLocal(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsUnspecified()
}
