//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/private"
)

// isPrivate reports whether a server at an address acts for all clients, see package private. address is the same as the kernel has it. Marks of confined
// programs do not count: they would take ports from others.
func (r *rules) isPrivate(to netip.AddrPort, address []byte) bool {
	if !network.IsLocal(to.Addr()) && !endsHere(to.Addr(), address) {
		return false
	}
	all, err := allListening()
	if err != nil {
		text, _ := os.ReadFile("/proc/net/unix")
		all = parseListed(string(text))
	}
	return slices.ContainsFunc(all, func(s listening) bool {
		port, isMark := private.PortOf(s.name)
		return isMark && port == to.Port() && !r.own.has(uint64(s.number))
	})
}

// endsHere reports whether a connection to an address may end on this machine: the kernel chooses an address of the machine as its own source. It sends nothing.
func endsHere(to netip.Addr, address []byte) bool {
	probe, err := unix.Socket(int(binary.NativeEndian.Uint16(address)), unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return true
	}
	defer unix.Close(probe)
	if connect(probe, address) != 0 {
		return true
	}
	switch a, _ := unix.Getsockname(probe); a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(a.Addr) == to.Unmap()
	case *unix.SockaddrInet6:
		return netip.AddrFrom16(a.Addr).Unmap() == to.Unmap()
	}
	return true
}

// parseListed reads the local sockets without a file in a list of the kernel's. It is for kernels that do not answer [allListening].
func parseListed(text string) (list []listening) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line) // the seventh is the number, the eighth the name
		if len(words) < 8 {
			continue
		}
		name, isAbstract := strings.CutPrefix(words[7], "@")
		if number, err := strconv.ParseUint(words[6], 10, 32); err == nil && isAbstract {
			list = append(list, listening{number: uint32(number), name: "\x00" + name})
		}
	}
	return list
}
