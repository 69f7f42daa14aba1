package network

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Host is an entry in the list of hosts that programs reach: a name, the subdomains of a name, or addresses.
type Host struct {
	// Name is in lower case, without a dot at its end; "" for an entry with addresses.
	Name string
	// Subdomains means all names below Name, and not Name itself.
	Subdomains bool
	// MayBePrivate lets the name have addresses of private networks, such as 10.0.0.1.
	MayBePrivate bool
	// Addresses are the addresses of an entry without a name.
	Addresses netip.Prefix
	// Port is the only port that programs reach; 0 means all.
	Port uint16
}

// Hosts is a list of hosts.
type Hosts []Host

// PrivatePrefix begins an entry with a name that may have private addresses.
const PrivatePrefix = "private:"

// ParseHost reads an entry: example.org, *.example.org, 192.0.2.1 or 192.0.2.0/24, each with or without :port, and names also as
// private:example.org. IPv6 addresses with a port are in brackets.
func ParseHost(text string) (h Host, err error) {
	rest := strings.ToLower(strings.TrimSpace(text))
	rest, h.MayBePrivate = strings.CutPrefix(rest, PrivatePrefix)
	if h.Addresses, err = parseAddresses(strings.Trim(rest, "[]")); err == nil {
		return h.checked()
	}
	name := rest
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.Contains(rest, "//") { // that of a URL
		port, err := strconv.ParseUint(rest[i+1:], 10, 16)
		if err != nil || port == 0 {
			return Host{}, fmt.Errorf("%q is no port from 1 to 65535", rest[i+1:])
		}
		h.Port, name = uint16(port), rest[:i]
	}
	if h.Addresses, err = parseAddresses(strings.Trim(name, "[]")); err == nil {
		return h.checked()
	}
	name, h.Subdomains = strings.CutPrefix(name, "*.")
	h.Name = strings.TrimSuffix(name, ".")
	return h.checked()
}

// parseAddresses reads an address or a prefix.
func parseAddresses(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err
}

// checked returns the host if programs could reach it.
func (h Host) checked() (Host, error) {
	switch {
	case h.Addresses.IsValid() && h.MayBePrivate:
		return Host{}, errors.New("private: is only for names, and allows addresses of private networks")
	case h.Addresses.IsValid() && h.Addresses.Bits() == 0:
		return Host{}, errors.New("it contains all addresses: to allow them, switch the network on")
	case !h.Addresses.IsValid() && !IsName(h.Name):
		return Host{}, errors.New("it is no name of a host, such as example.org or *.example.org, and no address, such as 192.0.2.1 or 192.0.2.0/24")
	case h.Port == PortDNS:
		return Host{}, errors.New("commands reach no DNS servers: Pollux answers for the names in the list")
	}
	return h, nil
}

// IsName reports whether a text in lower case is the name of a host as DNS has it.
func IsName(name string) bool {
	if len(name) == 0 || len(name) > 253 {
		return false
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		isOther := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_') }
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, isOther) || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	_, err := strconv.Atoi(labels[len(labels)-1]) // a number, as in 1.2.3
	return err != nil
}

// AllPorts returns the host with all of its ports.
func (h Host) AllPorts() Host {
	h.Port = 0
	return h
}

// String returns the host as [ParseHost] reads it.
func (h Host) String() string {
	text := h.Name
	switch {
	case h.Name == "" && h.Addresses.IsSingleIP():
		text = h.Addresses.Addr().String()
	case h.Name == "":
		text = h.Addresses.String()
	}
	if h.Port != 0 && h.Name == "" && h.Addresses.Addr().Is6() {
		text = "[" + text + "]"
	}
	if h.Subdomains {
		text = "*." + text
	}
	if h.MayBePrivate {
		text = PrivatePrefix + text
	}
	if h.Port != 0 {
		text += ":" + strconv.Itoa(int(h.Port))
	}
	return text
}

// ParseHosts reads a list of entries, and returns the errors of those that it leaves out.
func ParseHosts(list []string) (hosts Hosts, bad []error) {
	for _, text := range list {
		h, err := ParseHost(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("%q: %w", text, err))
			continue
		}
		if !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts, bad
}

// Named returns the entries for a name, which is in lower case and has no dot at its end.
func (l Hosts) Named(name string) (found Hosts) {
	for _, h := range l {
		if h.Name != "" && (!h.Subdomains && name == h.Name || h.Subdomains && strings.HasSuffix(name, "."+h.Name)) {
			found = append(found, h)
		}
	}
	return found
}

// HasPort reports whether a port is one of the entries'.
func (l Hosts) HasPort(port uint16) bool {
	return slices.ContainsFunc(l, func(h Host) bool { return h.Port == 0 || h.Port == port })
}

// Containing returns the entries with an address.
func (l Hosts) Containing(a netip.Addr) (found Hosts) {
	a = a.Unmap().WithZone("")
	for _, h := range l {
		if h.Name == "" && h.Addresses.Contains(a) {
			found = append(found, h)
		}
	}
	return found
}

// AllowResolved reports whether a name with these entries may have an address. Only a public address is allowed, or a private one if
// an entry says so: an owner of a name could let it lead into the networks of this machine. Addresses of loopback and links are never
// allowed.
func (l Hosts) AllowResolved(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	switch {
	case slices.Contains(metadata, a.String()):
		return false
	case isPrivate(a):
		return slices.ContainsFunc(l, func(h Host) bool { return h.MayBePrivate })
	}
	return isPublic(a)
}

// metadata are the addresses of the services that give machines in clouds their credentials, apart from those of links.
var metadata = []string{"fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"}

// isPrivate reports whether an address is one of a private network, one that the customers of a provider share, or one of those for benchmarks,
// which laboratories use, and which programs that lead connections to a proxy let stand in for names.
func isPrivate(a netip.Addr) bool {
	return slices.ContainsFunc(private(), func(p netip.Prefix) bool { return p.Contains(a.Unmap()) })
}

// private returns the prefixes of the addresses that isPrivate reports.
func private() []netip.Prefix {
	unique := netip.PrefixFrom(netip.AddrFrom16([16]byte{0xfc}), 7)
	return []netip.Prefix{prefix4(10, 0, 8), prefix4(172, 16, 12), prefix4(192, 168, 16), prefix4(100, 64, 10), prefix4(198, 18, 15), unique}
}

// reserved returns the IPv4 addresses that are not public, apart from those that netip knows.
func reserved() []netip.Prefix {
	return []netip.Prefix{prefix4(0, 0, 8), prefix4(192, 0, 24), prefix4(240, 0, 4)}
}

// prefix4 returns the IPv4 addresses that begin with two bytes.
func prefix4(a, b byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b}), bits)
}

// IsOfMachine reports whether an address is a public or private one of a single machine, and not that of a service for machines in clouds.
func IsOfMachine(a netip.Addr) bool { return Hosts{{MayBePrivate: true}}.AllowResolved(a) }

// isPublic reports whether an address is a public one of a single machine. An IPv6 address with an IPv4 address in it is public
// if that is.
func isPublic(a netip.Addr) bool {
	if a.Is6() {
		bytes := a.As16()
		nat64 := netip.PrefixFrom(netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b}), 96)
		switch {
		case nat64.Contains(a):
			within := netip.AddrFrom4([4]byte(bytes[12:]))
			return isPublic(within) && !isPrivate(within) && !slices.Contains(metadata, within.String())
		case bytes[0]&0xe0 != 0x20: // outside of 2000::/3
			return false
		}
		isTunnel := bytes[0] == 0x20 && (bytes[1] == 0x02 || bytes[1] == 0x01 && bytes[2] == 0 && bytes[3] == 0) // 6to4, Teredo
		return !isTunnel
	}
	return a.IsGlobalUnicast() && !slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(a) })
}
