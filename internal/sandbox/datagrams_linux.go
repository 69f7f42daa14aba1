//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// datagrams are the UDP sockets of programs that reach some hosts. In truth each is one end of a pair of local sockets, which has no way
// to another machine, whatever addresses and options a program uses. Pollux holds the other end, and answers questions for names there.
// The sockets behave like those of UDP as far as resolvers need that. The calls that Pollux answers for that purpose are no
// restrictions: for all other sockets, the kernel makes them.
type datagrams struct {
	names  *names.Server
	allows func(netip.AddrPort) bool
	slots  chan struct{} // limits the questions that are answered at once

	mu   sync.Mutex // guards the following, and the sockets
	open map[uint64]*datagram
}

// datagram is a UDP socket of a program, as the program sees it.
type datagram struct {
	family      int // AF_INET or AF_INET6
	peer, local netip.AddrPort
	end         *os.File // of Pollux
	client      names.Client
}

const (
	maxDatagrams = 512 // that are open
	maxQuestions = 64  // that are answered at once
)

// newDatagrams returns datagrams for a server of names. allows reports whether programs may connect to an address.
func newDatagrams(s *names.Server, allows func(netip.AddrPort) bool) *datagrams {
	return &datagrams{names: s, allows: allows, slots: make(chan struct{}, maxQuestions), open: map[uint64]*datagram{}}
}

// answer answers a call about a socket other than connect(2).
func (d *datagrams) answer(c *seccomp.Call, client names.Client) {
	if c.Number == unix.SYS_SOCKET {
		if errno := d.create(c, client); errno != 0 {
			c.Return(0, errno)
		}
		return
	}
	s := d.find(c)
	if s == nil {
		c.Continue()
		return
	}
	switch c.Number {
	case unix.SYS_BIND:
		c.Return(0, d.bind(s, c))
	case unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME:
		c.Return(0, d.returnName(s, c))
	case unix.SYS_SETSOCKOPT: // of the internet protocols, none of which changes anything here
		c.Return(0, 0)
	case unix.SYS_GETSOCKOPT:
		c.Return(0, d.returnKind(s, c))
	case unix.SYS_RECVFROM:
		n, errno := d.receiveFrom(s, c)
		c.Return(int64(n), errno)
	case unix.SYS_RECVMSG:
		n, errno := d.receiveMessage(s, c)
		c.Return(int64(n), errno)
	default:
		c.Continue()
	}
}

// create makes a socket for a program, if it asks for one of UDP.
func (d *datagrams) create(c *seccomp.Call, client names.Client) unix.Errno {
	family, flags, number := int(uint32(c.Args[domain])), int(uint32(c.Args[kind])), uint32(c.Args[protocol])
	if family != unix.AF_INET && family != unix.AF_INET6 || flags&kinds != unix.SOCK_DGRAM || number != 0 && number != unix.IPPROTO_UDP {
		return unix.EACCES
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(pair[0])
	_ = unix.SetNonblock(pair[1], true) // has Go wait for it without a thread
	s := &datagram{family: family, end: os.NewFile(uintptr(pair[1]), "datagrams"), client: client}
	inode, err := inodeOf(pair[0])
	if err == nil && flags&unix.SOCK_NONBLOCK != 0 {
		err = unix.SetNonblock(pair[0], true)
	}
	if err == nil && !d.add(inode, s) {
		err = unix.EMFILE
	}
	if err != nil {
		_ = s.end.Close()
		return errnoOf(err)
	}
	if err := c.ReturnFile(pair[0], flags&unix.SOCK_CLOEXEC != 0); err != nil {
		d.remove(inode, s)
		return errnoOf(err)
	}
	go func() {
		defer crash.Recover()
		defer d.remove(inode, s)
		d.serve(s)
	}()
	return 0
}

// add adds a socket, unless there are too many.
func (d *datagrams) add(inode uint64, s *datagram) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) >= maxDatagrams {
		return false
	}
	d.open[inode] = s
	return true
}

func (d *datagrams) remove(inode uint64, s *datagram) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[inode] == s {
		delete(d.open, inode)
	}
	_ = s.end.Close()
}

// serve answers the messages that programs send on a socket, until all have closed it.
func (d *datagrams) serve(s *datagram) {
	b := make([]byte, names.MaxQuery+1)
	for {
		n, err := s.end.Read(b)
		if errors.Is(err, io.EOF) && s.isOpen() { // an empty message
			continue
		}
		if err != nil {
			return
		}
		d.mu.Lock()
		asks := !s.peer.IsValid() || s.peer.Port() == network.PortDNS
		d.mu.Unlock()
		if !asks { // as if no one listened there
			continue
		}
		select {
		case d.slots <- struct{}{}:
		default: // too many: the program asks again
			continue
		}
		query := append([]byte(nil), b[:n]...)
		go func() {
			defer crash.Recover()
			defer func() { <-d.slots }()
			if reply := d.names.Answer(context.Background(), query, s.client); reply != nil {
				_ = s.end.SetWriteDeadline(time.Now().Add(time.Second)) // a program may read nothing
				_, _ = s.end.Write(reply)
			}
		}()
	}
}

// isOpen reports whether a program has the socket open.
func (s *datagram) isOpen() bool {
	raw, err := s.end.SyscallConn()
	if err != nil {
		return false
	}
	closed := true
	err = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(fds, 0)
		closed = err != nil || n > 0 && fds[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
	})
	return err == nil && !closed
}

// find returns the socket that a call is about, nil if it is none of these.
func (d *datagrams) find(c *seccomp.Call) *datagram {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) == 0 {
		return nil
	}
	link, err := os.Readlink("/proc/" + strconv.Itoa(c.PID) + "/fd/" + strconv.Itoa(int(int32(c.Args[0]))))
	if err != nil {
		return nil
	}
	number, _ := strings.CutPrefix(link, "socket:[")
	inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64)
	if err != nil {
		return nil
	}
	return d.open[inode]
}

// of returns the socket that an open file is, nil if it is none of these.
func (d *datagrams) of(file int) *datagram {
	inode, err := inodeOf(file)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[inode]
}

// inodeOf returns the number by which sockets differ.
func inodeOf(file int) (uint64, error) {
	var st unix.Stat_t
	err := unix.Fstat(file, &st)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		err = unix.ENOTSOCK
	}
	return st.Ino, err
}

// connect sets the address that a program expects answers from. Any resolver is Pollux itself; other addresses get no messages, but
// programs find out by them which of their own addresses they would use.
func (d *datagrams) connect(s *datagram, address []byte) unix.Errno {
	to, isInternet, errno := network.ParseAddress(address)
	if errno != 0 {
		return errno
	}
	var local netip.AddrPort
	switch {
	case !isInternet: // AF_UNSPEC ends a connection
		to = netip.AddrPort{}
	case to.Port() == network.PortDNS:
		local = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 1)
		if s.family == unix.AF_INET6 {
			local = netip.AddrPortFrom(netip.IPv6Loopback(), 1)
		}
	case !d.allows(to) && d.names.NameOf(to.Addr()) == "":
		return unix.ENETUNREACH
	default:
		probe, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to.Addr().Unmap(), max(to.Port(), 1)))) // sends nothing
		if err != nil {
			return unix.ENETUNREACH
		}
		local = probe.LocalAddr().(*net.UDPAddr).AddrPort()
		_ = probe.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.peer, s.local = to, local
	return 0
}

// bind lets a program choose no address in particular. Servers get none.
func (d *datagrams) bind(s *datagram, c *seccomp.Call) unix.Errno {
	address, errno := addressOf(c)
	if errno != 0 {
		return errno
	}
	at, isInternet, errno := network.ParseAddress(address)
	switch {
	case errno != 0:
		return errno
	case !isInternet:
		return unix.EAFNOSUPPORT
	case at.Port() != 0 || !at.Addr().Unmap().IsUnspecified():
		return unix.EACCES
	}
	return 0
}
