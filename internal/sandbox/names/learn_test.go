package names_test

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
)

// TestLearn checks which addresses a server knows of programs that ask elsewhere, and that it does not ask again at once.
func TestLearn(t *testing.T) {
	t.Parallel()
	z := &zone{addrs: map[string][]string{"a.example": {"192.0.2.1", "2001:db8::1"}, "b.example": {"192.0.2.2"}, "local.example": {"127.0.0.9"}}}
	s := open(t, z, "10.0.0.3 own.example\n", "a.example:443", "b.example", "*.c.example", "own.example", "broken.example", "local.example", "192.0.2.9")
	known := func(address, host string) bool {
		hosts, _ := network.ParseHosts([]string{host})
		return s.MayHave(netip.MustParseAddr(address), hosts)
	}
	if known("192.0.2.1", "a.example") || !known("10.0.0.3", "own.example") {
		t.Error("before it has asked, it knows an address that is in no file, or none that is")
	}
	s.Learn(t.Context(), 0)
	s.Learn(t.Context(), time.Minute)
	s.Learn(t.Context(), time.Minute)
	for _, tt := range []struct {
		address, host string
		want          bool
	}{
		{"192.0.2.1", "a.example", true},
		{"::ffff:192.0.2.1", "a.example", true},
		{"2001:db8::1", "a.example:80", true}, // the port is for others to look at
		{"192.0.2.1", "b.example", false},
		{"192.0.2.2", "b.example", true},
		{"192.0.2.3", "b.example", false},
		{"127.0.0.9", "local.example", false}, // a name does not lead to this machine
		{"192.0.2.9", "192.0.2.9", false},     // an address has no name
	} {
		if got := known(tt.address, tt.host); got != tt.want {
			t.Errorf("%s of %s: %v", tt.address, tt.host, got)
		}
	}
	if slices.Sort(z.asked); !slices.Equal(z.asked, []string{"a.example", "b.example", "broken.example", "local.example", "own.example"}) {
		t.Errorf("it asked for %v", z.asked)
	}
}

// TestLearnWaits checks that a resolver which does not answer keeps no one waiting, and that its answer counts when it comes.
func TestLearnWaits(t *testing.T) {
	t.Parallel()
	answer := make(chan bool)
	hosts, _ := network.ParseHosts([]string{"a.example"})
	s := names.New(names.Options{Hosts: hosts, File: "/dev/null", Lookup: func(context.Context, string) ([]netip.Addr, error) {
		<-answer
		return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
	}})
	s.Learn(t.Context(), time.Millisecond)
	if s.MayHave(netip.MustParseAddr("192.0.2.1"), hosts) {
		t.Error("it knows the address without an answer")
	}
	close(answer)
	s.Learn(t.Context(), time.Minute)
	if !s.MayHave(netip.MustParseAddr("192.0.2.1"), hosts) {
		t.Error("it does not know the address")
	}
}
