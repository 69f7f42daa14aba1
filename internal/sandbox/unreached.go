package sandbox

import (
	"regexp"
	"strings"

	"pollux/internal/sandbox/network"
)

// maxHosts is the number of hosts that one denial names.
const maxHosts = 3

// denialOfHosts returns the denial of the hosts among those that a program was refused: those that its output names, or the first ones
// if the output says that it has not reached a host.
func denialOfHosts(output string, refused []string) Denial {
	output = strings.ToLower(output)
	var named []string
	for _, host := range refused {
		name := strings.TrimPrefix(host, network.PrivatePrefix)
		if regexp.MustCompile(`(^|[^a-z0-9._-])` + regexp.QuoteMeta(name) + `($|[^a-z0-9_-])`).MatchString(output) {
			named = append(named, host)
		}
	}
	if len(named) == 0 && pattern(offlineWords).MatchString(output) {
		named = refused
	}
	return DenialOf(named)
}

// DenialOf returns the denial of hosts, the zero Denial for none.
func DenialOf(hosts []string) Denial {
	if len(hosts) == 0 {
		return Denial{}
	}
	return Denial{Kind: NotListed, Hosts: hosts[:min(len(hosts), maxHosts)]}
}

// DenialOfServers returns the denial of servers of Pollux, the zero Denial for none.
func DenialOfServers(addresses []string) Denial {
	if len(addresses) == 0 {
		return Denial{}
	}
	return Denial{Kind: ReachesNoPollux, Hosts: addresses[:min(len(addresses), maxHosts)]}
}
