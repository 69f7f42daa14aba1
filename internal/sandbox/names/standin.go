package names

import (
	"encoding/binary"
	"net/netip"
	"os"
	"slices"
	"strings"

	"pollux/internal/sandbox/network"
)

// A stand-in is an address that programs get for a name that they may not reach yet: no machine has it, so that a connection to it says which
// name is meant. Each name has one of either family, and programs prefer the IPv4 one, as the IPv6 one is of no public network.
var (
	standIns4 = [2]byte{198, 19}                                 // the upper half of the addresses for benchmarks
	standIns6 = [8]byte{0xfd, 0x70, 0x6f, 0x6c, 0x6c, 0x75, 'x'} // a private network, whose number spells pollux
)

// standIns are the names that have stand-ins. The zero value has none.
type standIns struct {
	list   []string // by the number of the stand-in, less 1; "" for a number that is left out
	number map[string]int
}

// maxStandIns is the number of names that have stand-ins. No other name gets one of them: a connection to it may come later.
const maxStandIns = 1 << 14

// of returns the number of a name's stand-in, 0 if there are too many names. isFree reports whether a number may be given.
func (s *standIns) of(name string, isFree func(number int) bool) int {
	if n := s.number[name]; n > 0 {
		return n
	}
	for !isFree(len(s.list) + 1) {
		s.list = append(s.list, "")
	}
	if len(s.list) >= maxStandIns {
		return 0
	}
	if s.number == nil {
		s.number = map[string]int{}
	}
	s.list = append(s.list, name)
	s.number[name] = len(s.list)
	return len(s.list)
}

// StandIn returns the stand-ins of a name, which need not be in the list, nil if too many names have some.
func (s *Server) StandIn(name string) []netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readFile()
	number := s.standIns.of(name, func(number int) bool {
		return number > maxStandIns || !slices.ContainsFunc(standInsOf(number), func(a netip.Addr) bool {
			return len(s.addresses[a])+len(s.file[a])+len(s.options.Hosts.Containing(a)) > 0
		})
	})
	if number == 0 {
		return nil
	}
	return standInsOf(number)
}

// standInsOf returns the stand-ins with a number.
func standInsOf(number int) []netip.Addr {
	tail := binary.BigEndian.AppendUint16(nil, uint16(number))
	a6 := [16]byte{}
	copy(a6[:], standIns6[:])
	copy(a6[14:], tail)
	return []netip.Addr{netip.AddrFrom4([4]byte(append(standIns4[:], tail...))), netip.AddrFrom16(a6)}
}

// NameOf returns the name that an address stands in for, "" for other addresses.
func (s *Server) NameOf(a netip.Addr) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nameOf(a)
}

// nameOf is NameOf for a caller that holds the lock.
func (s *Server) nameOf(a netip.Addr) string {
	b := a.Unmap().AsSlice()
	if len(b) == 0 {
		return ""
	}
	number := int(binary.BigEndian.Uint16(b[len(b)-2:]))
	if number < 1 || number > len(s.standIns.list) || !slices.Contains(standInsOf(number), a.Unmap()) {
		return ""
	}
	return s.standIns.list[number-1]
}

// hasNone reports whether a name gets no stand-in: one of this machine, or one that no resolver would find; and one that may be another name which a
// resolver has completed with a domain of this machine: the program would not ask for the other one.
func (s *Server) hasNone(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.domains == nil {
		s.domains = append(searched(s.options.Resolvers), "localhost", "local", "invalid", "onion")
	}
	isIn := func(domain string) bool { return strings.HasSuffix(name, "."+domain) }
	own, _ := os.Hostname()
	return slices.ContainsFunc(s.domains, isIn) || slices.Contains(unasked[:], name) || strings.EqualFold(name, own)
}

// unasked are names of this machine, and those that programs ask for to find out where they run.
var unasked = [...]string{
	"localhost", "localhost.localdomain", "wpad", "metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal",
}

// standInFor returns the stand-ins for the reply to a program that asks for a name which is not in the list, nil if it gets none.
func (s *Server) standInFor(name string, c Client) []netip.Addr {
	if !c.CanWait || !network.IsName(name) || s.hasNone(name) {
		return nil
	}
	return s.StandIn(name)
}
