package web

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// isPublic reports whether an address belongs to the internet: not to this machine, a private
// network, its provider's services or a reserved block. An IPv6 address that contains an IPv4
// address is judged by that.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	switch b := addr.As16(); {
	case !addr.IsValid() || !addr.IsGlobalUnicast() || addr.IsPrivate():
		return false
	case netip.MustParsePrefix("64:ff9b::/96").Contains(addr): // NAT64: 64:ff9b::a.b.c.d
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	case addr.Is6() && b[0]>>5 != 1: // not in 2000::/3, all allocated addresses
		return false
	}
	return !slices.ContainsFunc(reserved, func(block string) bool { return netip.MustParsePrefix(block).Contains(addr) })
}

// reserved are the blocks that IANA lists as not globally reachable, except those that package
// netip knows, and the obsolete blocks that carry IPv4 addresses.
var reserved = []string{
	"0.0.0.0/8",
	"100.64.0.0/10",    // behind a provider's NAT
	"168.63.129.16/32", // Azure's service for its machines
	"192.0.0.0/24",
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // was a relay to IPv6
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",
	"2001::/23",     // protocols, including Teredo
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4
	"3fff::/20",     // documentation
}

// standIns are the addresses with which proxies such as Clash stand in for all names: their resolvers know no others. As with another proxy, the name alone
// decides. No host that is named by such an address can be contacted.
var standIns = netip.MustParsePrefix("198.18.0.0/15")

// isPrivateName reports whether a host name means a machine in a private network, whatever its
// address: a name without a dot, or below a domain that the internet does not have. A proxy
// may be able to resolve them.
func isPrivateName(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	if host == "metadata.goog" || !strings.Contains(host, ".") {
		return true
	}
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "localhost", "local", "internal", "localdomain", "lan", "home", "corp", "intranet", "private":
		return true
	}
	return strings.HasSuffix(host, ".home.arpa")
}

var errNumber = errors.New("the host is neither a name nor an address")

// literal returns the address that a host is, ok is false if it is a name. Like browsers, it
// accepts all forms of IPv4 addresses: 127.1, 0x7f000001, 017700000001. A host that ends like
// an address but is invalid is an error.
func literal(host string) (addr netip.Addr, ok bool, err error) {
	if strings.Contains(host, ":") {
		addr, err = netip.ParseAddr(host)
		return addr, err == nil, err
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if _, err := number(parts[len(parts)-1]); err != nil {
		return addr, false, nil
	}
	if len(parts) > 4 {
		return addr, false, errNumber
	}
	var ip uint64
	for i, part := range parts {
		n, err := number(part)
		last := i == len(parts)-1
		if err != nil || !last && n > 0xFF || last && n >= 1<<(8*(5-len(parts))) {
			return addr, false, errNumber
		}
		if last {
			ip |= n
		} else {
			ip |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}), true, nil
}

// number parses one number of an IPv4 address: decimal, 0x.. or 0...
func number(s string) (uint64, error) {
	base, digits := 10, s
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		base, digits = 16, s[2:]
		if digits == "" {
			return 0, nil
		}
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	if strings.ContainsAny(digits, "+-_") {
		return 0, errNumber
	}
	return strconv.ParseUint(digits, base, 64)
}
