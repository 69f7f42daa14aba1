package names

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"

	"pollux/internal/sandbox/network"
)

// A stand-in is an address that programs get for a name that they may not reach yet: no machine has it, so that a connection to it says which
// name is meant. Each name has one of either family, and programs prefer the IPv4 one, as the IPv6 one is of no public network.
var (
	standIns4 = [2]byte{198, 19}                                 // the upper half of the addresses for benchmarks
	standIns6 = [8]byte{0xfd, 0x70, 0x6f, 0x6c, 0x6c, 0x75, 'x'} // a private network of a random number
)

// standIns are the names that have stand-ins. The zero value has none.
type standIns struct {
	list   []string // by the number of the stand-in, less 1
	number map[string]uint16
	next   uint16 // the number after the last one that was given
}

// maxStandIns is the number of names that have stand-ins at once.
const maxStandIns = 4096

// of returns the number of a name's stand-in. If there are too many, it is that of the name that has got one the longest time before.
func (s *standIns) of(name string) uint16 {
	if n := s.number[name]; n > 0 {
		return n
	}
	if s.number == nil {
		s.number = map[string]uint16{}
	}
	if s.next = s.next%maxStandIns + 1; int(s.next) > len(s.list) {
		s.list = append(s.list, name)
	} else {
		delete(s.number, s.list[s.next-1])
		s.list[s.next-1] = name
	}
	s.number[name] = s.next
	return s.next
}

// StandIn returns the stand-ins of a name, which need not be in the list.
func (s *Server) StandIn(name string) []netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := binary.BigEndian.AppendUint16(nil, s.standIns.of(name))
	a6 := [16]byte{}
	copy(a6[:], standIns6[:])
	copy(a6[14:], number)
	return []netip.Addr{netip.AddrFrom4([4]byte(append(standIns4[:], number...))), netip.AddrFrom16(a6)}
}

// NameOf returns the name that an address stands in for, "" for other addresses.
func (s *Server) NameOf(a netip.Addr) string {
	b := a.Unmap().AsSlice()
	isOne := len(b) == 4 && [2]byte(b) == standIns4 || len(b) == 16 && [14]byte(b) == [14]byte(slices.Concat(standIns6[:], make([]byte, 6)))
	if !isOne {
		return ""
	}
	number := int(binary.BigEndian.Uint16(b[len(b)-2:]))
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < 1 || number > len(s.standIns.list) {
		return ""
	}
	return s.standIns.list[number-1]
}

// isCompleted reports whether a name may be another one that a resolver has completed with a domain of this machine. It then gets no
// stand-in: the program would not ask for the other one.
func (s *Server) isCompleted(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.domains == nil {
		s.domains = searched(s.options.Resolvers)
	}
	return slices.ContainsFunc(s.domains, func(domain string) bool { return strings.HasSuffix(name, "."+domain) })
}

// standInFor returns the stand-ins for the reply to a program that asks for a name which is not in the list, nil if it gets none.
func (s *Server) standInFor(name string, c Client) []netip.Addr {
	if !c.CanWait || !network.IsName(name) || s.isCompleted(name) {
		return nil
	}
	return s.StandIn(name)
}
