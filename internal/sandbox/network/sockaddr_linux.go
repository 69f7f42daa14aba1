package network

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Check returns why a program may not connect to an address as the kernel has it, 0 if it may. Addresses of families that
// are not those of the internet pass.
func (p Policy) Check(address []byte) unix.Errno {
	if len(address) < 2 {
		return unix.EINVAL
	}
	switch binary.NativeEndian.Uint16(address) {
	case unix.AF_INET:
		if len(address) < unix.SizeofSockaddrInet4 {
			return unix.EINVAL
		}
		return p.answer(netip.AddrFrom4([4]byte(address[4:8])), address)
	case unix.AF_INET6:
		if len(address) < 24 { // without a scope, as the kernel takes it
			return unix.EINVAL
		}
		return p.answer(netip.AddrFrom16([16]byte(address[8:24])), address)
	}
	return 0
}

func (p Policy) answer(a netip.Addr, address []byte) unix.Errno {
	if !p.Allows(netip.AddrPortFrom(a, binary.BigEndian.Uint16(address[2:4]))) {
		return unix.ENETUNREACH
	}
	return 0
}
