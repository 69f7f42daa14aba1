package network

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// ParseAddress reads an address of the internet as the kernel has it. ok is false for other families. err is the error of an address
// that is too short, 0 for others.
func ParseAddress(address []byte) (to netip.AddrPort, ok bool, err unix.Errno) {
	if len(address) < 2 {
		return to, false, unix.EINVAL
	}
	var a netip.Addr
	switch binary.NativeEndian.Uint16(address) {
	case unix.AF_INET:
		if len(address) < unix.SizeofSockaddrInet4 {
			return to, false, unix.EINVAL
		}
		a = netip.AddrFrom4([4]byte(address[4:8]))
	case unix.AF_INET6:
		if len(address) < 24 { // without a scope, as the kernel takes it
			return to, false, unix.EINVAL
		}
		a = netip.AddrFrom16([16]byte(address[8:24]))
	default:
		return to, false, 0
	}
	return netip.AddrPortFrom(a, binary.BigEndian.Uint16(address[2:4])), true, 0
}

// FormatAddress returns an address as the kernel has it for sockets of a family, AF_INET or AF_INET6.
func FormatAddress(family int, a netip.AddrPort) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(family))
	b = binary.BigEndian.AppendUint16(b, a.Port())
	if family == unix.AF_INET {
		ip := [4]byte{}
		if a.Addr().Unmap().Is4() {
			ip = a.Addr().Unmap().As4()
		}
		return append(append(b, ip[:]...), make([]byte, 8)...)
	}
	ip := a.Addr().As16()
	if a.Addr().IsUnspecified() {
		ip = [16]byte{}
	}
	return append(append(append(b, 0, 0, 0, 0), ip[:]...), 0, 0, 0, 0)
}
