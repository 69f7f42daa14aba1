//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/sandbox/seccomp"
)

// listen answers a call of listen(2): it notes the socket, and lets the kernel go on. A program that exchanges the socket meanwhile has only
// had another one noted that is its own.
func (r *rules) listen(c *seccomp.Call) {
	defer crash.Recover()
	defer c.Continue()
	socket, err := c.File(int(int32(c.Args[0])))
	if err != nil {
		return
	}
	defer unix.Close(socket)
	if domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || domain != unix.AF_UNIX {
		return
	}
	var st unix.Stat_t
	if unix.Fstat(socket, &st) == nil {
		r.own.add(st.Ino)
	}
}

// isOwnFile reports whether a confined program listens at the local socket with an open file.
func (r *rules) isOwnFile(file int) bool {
	var st unix.Stat_t
	if unix.Fstat(file, &st) != nil {
		return false
	}
	return r.listens(func(s listening) bool { return s.isAt(&st) })
}

// boundName returns the path that the program which listens at a local socket has given it: a file can be renamed, and have links. It is ""
// if unknown, as where the kernel does not list sockets.
func boundName(file int) (name string) {
	var st unix.Stat_t
	if unix.Fstat(file, &st) != nil {
		return ""
	}
	all, _ := allListening()
	for _, s := range all {
		if s.isAt(&st) {
			name = s.name
		}
	}
	return name
}

// isOwnName reports whether a confined program listens at a local socket without a file.
func (r *rules) isOwnName(name string) bool {
	return r.listens(func(s listening) bool { return s.name == name && s.file == 0 })
}

// listens reports whether a confined program listens at a local socket that matches, and no other program does.
func (r *rules) listens(matches func(listening) bool) bool {
	all, err := allListening()
	if err != nil {
		return false
	}
	all = slices.DeleteFunc(all, func(s listening) bool { return !matches(s) })
	return len(all) > 0 && !slices.ContainsFunc(all, func(s listening) bool { return !r.own.has(uint64(s.number)) })
}

// listening is a local socket that a program listens at.
type listening struct {
	number       uint32
	name         string // as in its address, which begins with a zero byte if it has no file
	file, device uint32 // of its file, 0 for none
}

// isAt reports whether the socket has a file with this state.
func (s *listening) isAt(st *unix.Stat_t) bool {
	return s.file != 0 && s.file == uint32(st.Ino) && unix.Mkdev(s.device>>20, s.device&(1<<20-1)) == uint64(st.Dev)
}

// allListening returns the local sockets that programs listen at.
func allListening() (list []listening, err error) {
	const byFamily, showName, showFile = 20, 1, 2 // of sock_diag(7)
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(s)
	b := binary.NativeEndian
	ask := b.AppendUint32(nil, unix.SizeofNlMsghdr+24)
	ask = b.AppendUint16(ask, byFamily)
	ask = b.AppendUint16(ask, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	ask = append(ask, make([]byte, 8)...)
	ask = append(ask, unix.AF_UNIX, 0, 0, 0)
	ask = b.AppendUint32(ask, 1<<10) // those in the state of listening
	ask = b.AppendUint32(ask, 0)
	ask = b.AppendUint32(ask, showName|showFile)
	ask = append(ask, make([]byte, 8)...)
	if err := unix.Sendto(s, ask, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(s, buf, 0)
		if err != nil {
			return nil, err
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofNlMsghdr; {
			size := int(b.Uint32(rest))
			if size < unix.SizeofNlMsghdr || size > len(rest) {
				return nil, unix.EBADMSG
			}
			switch b.Uint16(rest[4:]) {
			case unix.NLMSG_DONE:
				return list, nil
			case unix.NLMSG_ERROR:
				return nil, unix.EBADMSG
			case byFamily:
				if size >= unix.SizeofNlMsghdr+16 {
					list = append(list, parseListening(rest[unix.SizeofNlMsghdr:size]))
				}
			}
			rest = rest[min(len(rest), (size+3)&^3):]
		}
	}
}

// parseListening reads a message of sock_diag about a local socket.
func parseListening(message []byte) listening {
	b := binary.NativeEndian
	s := listening{number: b.Uint32(message[4:])}
	for rest := message[16:]; len(rest) >= 4; {
		size := int(b.Uint16(rest))
		if size < 4 || size > len(rest) {
			break
		}
		switch value := rest[4:size]; b.Uint16(rest[2:]) {
		case 0:
			s.name = string(value)
			if !strings.HasPrefix(s.name, "\x00") {
				s.name = strings.TrimRight(s.name, "\x00")
			}
		case 1:
			if len(value) >= 8 {
				s.file, s.device = b.Uint32(value), b.Uint32(value[4:])
			}
		}
		rest = rest[min(len(rest), (size+3)&^3):]
	}
	return s
}
