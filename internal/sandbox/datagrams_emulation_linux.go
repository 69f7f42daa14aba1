//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// emulated returns the rules for the calls that see more of the sockets of [datagrams] than their messages.
func emulated() []seccomp.Rule {
	ask := func(call uint32, arg int, value uint32) seccomp.Rule {
		return seccomp.Rule{Call: call, Arg: arg, Mask: whole, Value: value, Action: seccomp.Ask}
	}
	rules := []seccomp.Rule{
		{Call: unix.SYS_BIND, Action: seccomp.Ask},
		{Call: unix.SYS_GETSOCKNAME, Action: seccomp.Ask},
		{Call: unix.SYS_GETPEERNAME, Action: seccomp.Ask},
		{Call: unix.SYS_RECVMSG, Action: seccomp.Ask},
		{Call: unix.SYS_RECVFROM, Arg: 4, Mask: whole, Value: 0, Not: true, Action: seccomp.Ask}, // that wants an address
	}
	for _, option := range []uint32{unix.SO_TYPE, unix.SO_DOMAIN, unix.SO_PROTOCOL} {
		rules = append(rules, ask(unix.SYS_GETSOCKOPT, 2, option))
	}
	for _, level := range []uint32{unix.SOL_IP, unix.SOL_IPV6, unix.SOL_UDP} {
		rules = append(rules, ask(unix.SYS_SETSOCKOPT, 1, level))
	}
	return rules
}

// addresses returns the addresses that a program sees for a socket: its own, the one it is connected to, and the one that messages
// come from.
func (d *datagrams) addresses(s *datagram) (local, peer, from netip.AddrPort) {
	d.mu.Lock()
	defer d.mu.Unlock()
	local, peer, from = s.local, s.peer, s.peer
	if !from.IsValid() {
		from = netip.AddrPortFrom(names.Servers("/etc/resolv.conf")[0], network.PortDNS)
	}
	return local, peer, from
}

// returnName answers getsockname(2) and getpeername(2).
func (d *datagrams) returnName(s *datagram, c *seccomp.Call) unix.Errno {
	name, peer, _ := d.addresses(s)
	if c.Number == unix.SYS_GETPEERNAME {
		if name = peer; !peer.IsValid() {
			return unix.ENOTCONN
		}
	}
	return setAddress(c, c.Args[1], c.Args[2], network.FormatAddress(s.family, name))
}

// returnKind answers getsockopt(2) for the kind of a socket.
func (d *datagrams) returnKind(s *datagram, c *seccomp.Call) unix.Errno {
	if uint32(c.Args[1]) != unix.SOL_SOCKET {
		return unix.ENOPROTOOPT
	}
	value := map[uint32]int{unix.SO_TYPE: unix.SOCK_DGRAM, unix.SO_DOMAIN: s.family, unix.SO_PROTOCOL: unix.IPPROTO_UDP}[uint32(c.Args[2])]
	return setAddress(c, c.Args[3], c.Args[4], binary.NativeEndian.AppendUint32(nil, uint32(value)))
}

// setAddress writes a value as calls return addresses: as much as there is room for, and its size.
func setAddress(c *seccomp.Call, at, sizeAt uint64, value []byte) unix.Errno {
	room, err := c.Memory(sizeAt, 4)
	if err != nil {
		return unix.EFAULT
	}
	n := min(int(binary.NativeEndian.Uint32(room)), len(value))
	size := binary.NativeEndian.AppendUint32(nil, uint32(len(value)))
	if err := errors.Join(c.SetMemory(at, value[:n]), c.SetMemory(sizeAt, size)); err != nil {
		return unix.EFAULT
	}
	return 0
}

// receiveFrom answers recvfrom(2) with the address that the message would come from.
func (d *datagrams) receiveFrom(s *datagram, c *seccomp.Call) (int, unix.Errno) {
	b, n, errno := d.receive(s, c, int(min(c.Args[2], maxMessage)), int(int32(c.Args[3])))
	if errno != 0 {
		return 0, errno
	}
	_, _, from := d.addresses(s)
	if c.SetMemory(c.Args[1], b) != nil {
		return 0, unix.EFAULT
	}
	if c.Args[5] == 0 {
		return n, 0
	}
	return n, setAddress(c, c.Args[4], c.Args[5], network.FormatAddress(s.family, from))
}

// maxMessage is the size of the largest message.
const maxMessage = 64 << 10

// receive takes a message from a socket of a program, of at most size bytes, and waits for one as long as the program would. n is the
// length for the program, which may be larger than that of b.
func (d *datagrams) receive(s *datagram, c *seccomp.Call, size, flags int) (b []byte, n int, errno unix.Errno) {
	file, err := c.File(int(int32(c.Args[0])))
	if err != nil {
		return nil, 0, errnoOf(err)
	}
	defer unix.Close(file)
	if d.of(file) != s {
		return nil, 0, unix.EBADF
	}
	mode, err := unix.FcntlInt(uintptr(file), unix.F_GETFL, 0)
	waits := err == nil && mode&unix.O_NONBLOCK == 0 && flags&unix.MSG_DONTWAIT == 0
	limit, err := unix.GetsockoptTimeval(file, unix.SOL_SOCKET, unix.SO_RCVTIMEO)
	var end time.Time
	if err == nil && limit.Nano() > 0 {
		end = time.Now().Add(time.Duration(limit.Nano()))
	}
	b = make([]byte, max(size, 1))
	for {
		n, _, err = unix.Recvfrom(file, b[:size], flags|unix.MSG_DONTWAIT)
		switch {
		case err == nil:
			return b[:min(n, size)], n, 0
		case !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR):
			return nil, 0, errnoOf(err)
		case !waits, !end.IsZero() && time.Now().After(end):
			return nil, 0, unix.EAGAIN
		case !c.IsWaiting(): // a signal has ended the call
			return nil, 0, unix.EINTR
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(file), Events: unix.POLLIN}}, 50)
	}
}

// The sizes of the structures of recvmsg(2).
const (
	headerSize  = 56
	maxSegments = 64
)

// receiveMessage answers recvmsg(2) as receiveFrom answers recvfrom(2).
func (d *datagrams) receiveMessage(s *datagram, c *seccomp.Call) (int, unix.Errno) {
	head, err := c.Memory(c.Args[1], headerSize)
	if err != nil {
		return 0, unix.EFAULT
	}
	word := func(b []byte, i int) uint64 { return binary.NativeEndian.Uint64(b[i:]) }
	name, list, segments := word(head, 0), word(head, 16), word(head, 24)
	if segments > maxSegments {
		return 0, unix.EMSGSIZE
	}
	var vector []byte
	size := uint64(0)
	if segments > 0 {
		if vector, err = c.Memory(list, int(16*segments)); err != nil {
			return 0, unix.EFAULT
		}
	}
	for i := 0; i < len(vector); i += 16 {
		size = min(size+min(word(vector, i+8), maxMessage), maxMessage)
	}
	flags := int(int32(c.Args[2]))
	b, n, errno := d.receive(s, c, int(size), flags|unix.MSG_TRUNC)
	if errno != 0 {
		return 0, errno
	}
	result := uint32(0)
	if n > len(b) {
		result = unix.MSG_TRUNC
		if flags&unix.MSG_TRUNC == 0 {
			n = len(b)
		}
	}
	for i, rest := 0, b; i < len(vector) && len(rest) > 0; i += 16 {
		part := rest[:min(uint64(len(rest)), word(vector, i+8))]
		if c.SetMemory(word(vector, i), part) != nil {
			return 0, unix.EFAULT
		}
		rest = rest[len(part):]
	}
	_, _, from := d.addresses(s)
	if name != 0 {
		if errno := setAddress(c, name, c.Args[1]+8, network.FormatAddress(s.family, from)); errno != 0 {
			return 0, errno
		}
	}
	if c.SetMemory(c.Args[1]+40, make([]byte, 8)) != nil || c.SetMemory(c.Args[1]+48, binary.NativeEndian.AppendUint32(nil, result)) != nil {
		return 0, unix.EFAULT
	}
	return n, 0
}
