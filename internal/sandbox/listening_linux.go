//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"strings"

	"golang.org/x/sys/unix"
)

// Numbers of sock_diag(7).
const (
	diagByFamily = 20
	showName     = 1
	showFile     = 2
	attrName     = 0
	attrFile     = 1
	listening    = 1 << 10
)

// boundName returns the path that the program which listens at a local socket has given it: a file can be renamed, and have links. It is ""
// if unknown, as where the kernel does not list sockets.
func boundName(file int) (name string) {
	var st unix.Stat_t
	if unix.Fstat(file, &st) != nil {
		return ""
	}
	_ = eachListening(func(bound string, inode, device uint32) {
		if inode == uint32(st.Ino) && unix.Mkdev(device>>20, device&(1<<20-1)) == uint64(st.Dev) {
			name = bound
		}
	})
	return name
}

// eachListening calls do with each local socket that a program listens at.
func eachListening(do func(name string, inode, device uint32)) error {
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	b := binary.NativeEndian
	q := b.AppendUint32(nil, unix.SizeofNlMsghdr+24)
	q = b.AppendUint16(q, diagByFamily)
	q = b.AppendUint16(q, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	q = append(q, make([]byte, 8)...)
	q = append(q, unix.AF_UNIX, 0, 0, 0)
	q = b.AppendUint32(q, listening)
	q = b.AppendUint32(q, 0)
	q = b.AppendUint32(q, showName|showFile)
	q = append(q, make([]byte, 8)...)
	if err := unix.Sendto(s, q, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(s, buf, 0)
		if err != nil {
			return err
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofNlMsghdr; {
			size := int(b.Uint32(rest))
			if size < unix.SizeofNlMsghdr || size > len(rest) {
				return unix.EBADMSG
			}
			switch b.Uint16(rest[4:]) {
			case unix.NLMSG_DONE, unix.NLMSG_ERROR:
				return nil
			case diagByFamily:
				if size > unix.SizeofNlMsghdr+16 {
					listedSocket(rest[unix.SizeofNlMsghdr+16:size], do)
				}
			}
			rest = rest[min(len(rest), (size+3)&^3):]
		}
	}
}

// listedSocket calls do with a socket's attributes.
func listedSocket(attributes []byte, do func(name string, inode, device uint32)) {
	b := binary.NativeEndian
	var name string
	var inode, device uint32
	for len(attributes) >= unix.SizeofRtAttr {
		size := int(b.Uint16(attributes))
		if size < unix.SizeofRtAttr || size > len(attributes) {
			return
		}
		switch value := attributes[unix.SizeofRtAttr:size]; {
		case b.Uint16(attributes[2:]) == attrName:
			name = strings.TrimRight(string(value), "\x00")
		case b.Uint16(attributes[2:]) == attrFile && len(value) >= 8:
			inode, device = b.Uint32(value), b.Uint32(value[4:])
		}
		attributes = attributes[min(len(attributes), (size+3)&^3):]
	}
	if inode != 0 {
		do(name, inode, device)
	}
}
