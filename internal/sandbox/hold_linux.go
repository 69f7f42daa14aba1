//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// client returns the program as one that asks for names.
func (p *program) client() names.Client { return names.Client{Log: p.log, CanWait: p.questions != nil} }

// isHeld reports whether a connection to an address may have to wait: the address stands in for a name, or the rules do not allow it.
func (p *program) isHeld(to netip.AddrPort) bool {
	return !p.allows(to) || p.names != nil && p.names.NameOf(to.Addr()) != ""
}

// hold has a connection wait until a person has answered whether the program may reach the host, and
// returns the address to connect to: that of the name which the address stands in for, or the address itself. name is that name, "" for none.
func (p *program) hold(c *seccomp.Call, to netip.AddrPort) (_ netip.AddrPort, name string, _ unix.Errno) {
	address := to.Addr().Unmap().WithZone("")
	host := network.Host{Addresses: netip.PrefixFrom(address, address.BitLen()), Port: to.Port()}
	if p.names != nil {
		if name = p.names.NameOf(address); name != "" {
			host = network.Host{Name: name, Port: to.Port()}
		} else if listed := p.names.ListedAt(address); listed != "" { // and not on this port
			host = network.Host{Name: listed, Port: to.Port()}
		}
	}
	isPossible := p.questions != nil && to.Port() != network.PortDNS && (name != "" || network.IsOfMachine(address))
	isListed := name != "" && p.profile.Network.Hosts.Named(name).HasPort(to.Port()) // and its addresses are private
	switch {
	case !isPossible:
		p.log.Add(host.AllPorts().String())
		return to, name, unix.ENETUNREACH
	case !isListed && !p.mayReach(c, host):
		return to, name, unix.ENETUNREACH
	case name == "":
		return to, name, 0
	}
	addrs, err := p.addresses(c, network.Host{Name: name, Port: to.Port()})
	switch {
	case errors.Is(err, names.ErrPrivate):
		return to, name, unix.ENETUNREACH
	case err != nil:
		p.log.AddMissing(name)
	}
	// Only one of the stand-ins leads to each address: a program that has tried one goes on to the other.
	addrs = slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return a.Is4() != address.Is4() })
	if len(addrs) == 0 {
		return to, name, unix.EHOSTUNREACH
	}
	return netip.AddrPortFrom(addrs[p.questions.turn(len(addrs))], to.Port()), name, 0
}

// mayReach waits until a person has answered whether the program may reach a host. Limits of the program's time do not count the time until then.
func (p *program) mayReach(c *seccomp.Call, h network.Host) bool {
	defer p.pause.Begin()()
	if p.questions.wait(c.IsWaiting, h) == Allowed {
		p.log.Remove(h.AllPorts().String())
		return true
	}
	p.log.Add(h.AllPorts().String())
	return false
}

// addresses returns the addresses of a name that a person lets the program reach, or that is in the list. If all are in private networks, it asks
// whether the program may reach these, too.
func (p *program) addresses(c *seccomp.Call, h network.Host) (addrs []netip.Addr, err error) {
	addrs, err = p.names.AddressesOf(context.Background(), h)
	if !errors.Is(err, names.ErrPrivate) {
		return addrs, err
	}
	h.MayBePrivate = true
	if !p.mayReach(c, h) {
		return nil, err
	}
	return p.names.AddressesOf(context.Background(), h)
}
