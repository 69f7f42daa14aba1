//go:build amd64 || arm64

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/seccomp"
)

const (
	domain, kind, protocol = 0, 1, 2 // arguments of socket(2)
	kinds                  = 0xf     // the bits of a kind, without SOCK_CLOEXEC and SOCK_NONBLOCK
)

func socket(arg int, mask, value uint32, not bool, a seccomp.Action) seccomp.Rule {
	return seccomp.Rule{Call: unix.SYS_SOCKET, Arg: arg, Mask: mask, Value: value, Not: not, Action: a}
}

// unconnected are the rules against local sockets whose messages have an address each, in memory that can change after a look at it.
// The kernel takes a raw one for one of datagrams. Pairs of sockets, which programs use among themselves, are made by another call.
func unconnected() []seccomp.Rule {
	return []seccomp.Rule{
		socket(kind, kinds, unix.SOCK_DGRAM, false, seccomp.Fail(unix.EACCES)),
		socket(kind, kinds, unix.SOCK_RAW, false, seccomp.Fail(unix.EACCES)),
	}
}

// online returns the rules about sockets for programs with a network.
func online() []seccomp.Rule {
	return slices.Concat(unanswered(), []seccomp.Rule{
		socket(domain, whole, unix.AF_VSOCK, false, seccomp.Fail(unix.EAFNOSUPPORT)),
		socket(domain, whole, unix.AF_UNIX, true, seccomp.Allow),
	}, unconnected())
}

// offline returns the rules for programs without a network. They leave the sockets whose only way to another machine is
// connect(2), which Pollux decides about: those of TCP. asks is whether Pollux decides; if it cannot, TCP is refused as well.
func offline(asks bool) []seccomp.Rule {
	const internet = whole &^ (unix.AF_INET ^ unix.AF_INET6) // the bits that AF_INET and AF_INET6 share
	rules := append([]seccomp.Rule{
		socket(domain, whole, unix.AF_NETLINK, false, seccomp.Allow), // it lists the machine's addresses
	}, unconnected()...)
	rules = append(rules,
		socket(domain, whole, unix.AF_UNIX, false, seccomp.Allow),
		socket(domain, internet, unix.AF_INET&unix.AF_INET6, true, seccomp.Fail(unix.EAFNOSUPPORT)),
	)
	if !asks {
		return append(rules, seccomp.Rule{Call: unix.SYS_SOCKET, Action: seccomp.Fail(unix.EACCES)})
	}
	return append(rules, connected()...)
}

// limited returns the rules for programs that reach some hosts. They differ from those without a network in UDP: Pollux makes its
// sockets. See [datagrams].
func limited() []seccomp.Rule {
	rules := append([]seccomp.Rule{
		socket(domain, whole, unix.AF_NETLINK, false, seccomp.Allow),
		socket(kind, kinds, unix.SOCK_DGRAM, false, seccomp.Ask),
	}, offline(true)...)
	return append(rules, emulated()...)
}

// routed returns the rules against options by which the packets of a connection take another way than to its address: through other
// machines, or out of a device.
func routed() (rules []seccomp.Rule) {
	for _, option := range []struct{ level, name uint32 }{
		{unix.SOL_IP, unix.IP_OPTIONS},
		{unix.SOL_IP, unix.IP_UNICAST_IF},
		{unix.SOL_IPV6, unix.IPV6_RTHDR},
		{unix.SOL_IPV6, unix.IPV6_2292RTHDR},
		{unix.SOL_IPV6, unix.IPV6_2292PKTOPTIONS},
		{unix.SOL_IPV6, unix.IPV6_RTHDRDSTOPTS},
		{unix.SOL_IPV6, unix.IPV6_UNICAST_IF},
		{unix.SOL_SOCKET, unix.SO_BINDTODEVICE},
		{unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX},
	} {
		rules = append(rules, seccomp.Rule{
			Call: unix.SYS_SETSOCKOPT, Arg: 1, Mask: whole, Value: option.level, Also: &seccomp.Argument{Arg: 2, Value: option.name},
			Action: seccomp.Fail(unix.EPERM),
		})
	}
	return rules
}

// connected returns the rules for sockets of the internet that leave those whose only way to another machine is connect(2).
func connected() []seccomp.Rule {
	rules := []seccomp.Rule{
		socket(kind, kinds, unix.SOCK_STREAM, true, seccomp.Fail(unix.EACCES)),
		socket(protocol, whole, 0, false, seccomp.Allow),
		socket(protocol, whole, unix.IPPROTO_TCP, true, seccomp.Fail(unix.EPROTONOSUPPORT)), // SCTP connects by setsockopt
	}
	return append(append(rules, routed()...), unanswered()...)
}

// unanswered are the rules against messages that make the connection they are sent on, which Pollux would not decide about.
func unanswered() (rules []seccomp.Rule) {
	for call, flags := range map[uint32]int{unix.SYS_SENDTO: 3, unix.SYS_SENDMSG: 2, unix.SYS_SENDMMSG: 3} {
		rules = append(rules, seccomp.Rule{
			Call: call, Arg: flags, Mask: unix.MSG_FASTOPEN, Value: unix.MSG_FASTOPEN, Action: seccomp.Fail(unix.EOPNOTSUPP),
		})
	}
	return rules
}
