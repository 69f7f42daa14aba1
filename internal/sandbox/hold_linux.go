//go:build amd64 || arm64

package sandbox

import (
	"cmp"
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
func (p *program) client() names.Client { return names.Client{Log: p.log, CanWait: p.ask != nil} }

// hold has a connection to an address that the rules do not allow wait until a person has answered whether the program may reach it, and
// returns the address to connect to: that of the name which the address stands in for, or the address itself. name is that name, "" for none.
func (p *program) hold(c *seccomp.Call, to netip.AddrPort) (_ netip.AddrPort, name string, _ unix.Errno) {
	address := to.Addr().Unmap().WithZone("")
	if p.names != nil {
		name = p.names.NameOf(address)
	}
	isPossible := p.names != nil && p.ask != nil && to.Port() != network.PortDNS && (name != "" || network.IsOfMachine(address))
	isListed := p.profile.Network.Hosts.Named(name).HasPort(to.Port()) // and its addresses are private
	if host := cmp.Or(name, address.String()); !isPossible || !isListed && !p.mayReach(host) {
		p.log.Add(host)
		return to, name, unix.ENETUNREACH
	}
	if !c.IsWaiting() { // the program has ended, or a signal has ended the call
		return to, name, unix.EINTR
	}
	if name == "" {
		return to, name, 0
	}
	addrs, err := p.addresses(name)
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
	return netip.AddrPortFrom(addrs[int(p.turn.Add(1)-1)%len(addrs)], to.Port()), name, 0
}

// mayReach asks a person whether the program may reach a host. Limits of the program's time do not count the time until the answer.
func (p *program) mayReach(host string) bool {
	defer p.pause.Begin()()
	if !p.ask(host) {
		return false
	}
	p.log.Remove(host)
	return true
}

// addresses returns the addresses of a name that a person lets the program reach, or that is in the list. If all are in private networks, it asks
// whether the program may reach these, too.
func (p *program) addresses(name string) (addrs []netip.Addr, err error) {
	h := network.Host{Name: name}
	addrs, err = p.names.AddressesOf(context.Background(), h)
	if !errors.Is(err, names.ErrPrivate) {
		return addrs, err
	}
	h.MayBePrivate = true
	if host := h.String(); !p.mayReach(host) {
		p.log.Add(host)
		return nil, err
	}
	return p.names.AddressesOf(context.Background(), h)
}
