//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// connect makes a connection itself, with a copy of the address that the program cannot change any more, on the program's own socket.
func (p *program) connect(c *seccomp.Call) unix.Errno {
	address, errno := addressOf(c)
	if errno != 0 {
		return errno
	}
	to, isInternet, errno := network.ParseAddress(address)
	if errno != 0 {
		return errno
	}
	if p.datagrams != nil && binary.NativeEndian.Uint16(address) != unix.AF_UNIX {
		if errno, isDone := p.connectLimited(c, to, address); isDone {
			return errno
		}
	}
	name, isHeld := "", isInternet && p.isHeld(to)
	if isHeld {
		if to, name, errno = p.hold(c, to); errno != 0 {
			return errno
		}
		address = network.FormatAddress(int(binary.NativeEndian.Uint16(address)), to)
	}
	if isInternet && p.isPrivate(to, address) {
		p.log.AddServer(to.String())
		return unix.EACCES
	}
	if binary.NativeEndian.Uint16(address) == unix.AF_UNIX {
		if name := string(address[2:]); strings.HasPrefix(name, "\x00") { // an abstract address: any program may listen there
			if !p.isOwnName(name) {
				return unix.EACCES
			}
		} else {
			file, errno := p.resolve(c, address[2:])
			if errno != 0 {
				return errno
			}
			defer unix.Close(file)
			address = append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), "/proc/self/fd/"+strconv.Itoa(file)+"\x00"...)
		}
	}
	if isHeld && !c.IsWaiting() { // the program has ended, or a signal has ended the call
		return unix.EINTR
	}
	socket, err := c.File(int(int32(c.Args[0])))
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(socket)
	if isInternet && p.broker != nil && isTCP(socket) {
		var hosts network.Hosts
		if name != "" {
			hosts = p.broker.TakesName(name, to.Port())
		} else {
			hosts = p.broker.Takes(context.Background(), to, p.names)
		}
		if !c.IsWaiting() { // a signal has ended the call meanwhile
			return unix.EINTR
		}
		if len(hosts) > 0 {
			return p.lead(c, socket, to, hosts, address)
		}
	}
	errno = connect(socket, address)
	if isHeld {
		return p.questions.seen(c, socket, errno)
	}
	return errno
}

// isTCP reports whether a socket of the internet is one for TCP, and not yet connected.
func isTCP(socket int) bool {
	const closed = 7 // TCP_CLOSE
	number, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	if err != nil || number != unix.IPPROTO_TCP {
		return false
	}
	info, err := unix.GetsockoptTCPInfo(socket, unix.IPPROTO_TCP, unix.TCP_INFO)
	return err == nil && info.State == closed
}

// lead connects a program's socket with the broker in place of an address. An address without a route is refused as without the broker, so
// that the program tries another one of the host.
func (p *program) lead(c *seccomp.Call, socket int, to netip.AddrPort, hosts network.Hosts, address []byte) unix.Errno {
	probe, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to.Addr().Unmap(), to.Port()))) // sends nothing
	if err != nil {
		return unix.ENETUNREACH
	}
	_ = probe.Close()
	by := broker.Program{Open: p.open}
	by.File, _ = os.Readlink("/proc/" + strconv.Itoa(c.PID) + "/exe") // only to know it again
	family := int(binary.NativeEndian.Uint16(address))
	return meet(socket, family, func() {}, func(conn net.Conn) { p.broker.Serve(conn, to, hosts, by) })
}

// addressOf returns a copy of the address that a call of connect(2) or bind(2) has.
func addressOf(c *seccomp.Call) ([]byte, unix.Errno) {
	size := int(uint32(c.Args[2]))
	if size < 2 || size > unix.SizeofSockaddrAny {
		return nil, unix.EINVAL
	}
	address, err := c.Memory(c.Args[1], size)
	if err != nil {
		return nil, unix.EFAULT
	}
	return address, 0
}

// allows reports whether programs may connect to an address.
func (r *rules) allows(to netip.AddrPort) bool {
	return r.profile.Network.Allows(to) || r.names != nil && !network.IsLocal(to.Addr()) && r.names.Allows(to)
}

// resolve opens the local socket with an address of a program, if the program may connect to it.
func (r *rules) resolve(c *seccomp.Call, name []byte) (file int, errno unix.Errno) {
	path, _, _ := strings.Cut(string(name), "\x00")
	if path == "" {
		return -1, unix.EACCES
	}
	if file, errno = locate(c, unix.AT_FDCWD, path, 0); errno != 0 {
		return -1, errno
	}
	real, err := readFD(file)
	isAllowed := r.isOwnFile(file) ||
		err == nil && r.profile.mayConnect(real) && (isWithinOne(real, r.profile.Sockets) || !r.profile.isHiddenSocket(boundName(file)))
	if err != nil || !c.IsWaiting() || !isAllowed {
		_ = unix.Close(file)
		return -1, unix.EACCES
	}
	return file, 0
}

// readFD returns the path of an open file.
func readFD(file int) (string, error) {
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(file), b)
	return string(b[:max(n, 0)]), err
}

func errnoOf(err error) unix.Errno {
	if errno, ok := err.(unix.Errno); ok {
		return errno
	}
	return unix.EACCES
}

// connect makes a connection with an address as the kernel has it.
func connect(socket int, address []byte) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(socket), uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
	return errno
}
