package names

import (
	"io"
	"net/netip"
	"os"
	"strings"
)

// line is a line of /etc/hosts.
type line struct {
	addr  netip.Addr
	names []string // in lower case
}

// maxFile is how many bytes of a file count.
const maxFile = 4 << 20

// rows returns the words of the lines of a file that have two or more. A file that cannot be read has no lines.
func rows(path string) (list [][]string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxFile))
	for row := range strings.Lines(string(text)) {
		row, _, _ = strings.Cut(row, "#")
		if fields := strings.Fields(row); len(fields) > 1 {
			list = append(list, fields)
		}
	}
	return list
}

// readHosts reads a file such as /etc/hosts.
func readHosts(path string) (lines []line) {
	for _, fields := range rows(path) {
		for i := range fields {
			fields[i] = strings.ToLower(fields[i])
		}
		if a, err := netip.ParseAddr(fields[0]); err == nil {
			lines = append(lines, line{a.Unmap().WithZone(""), fields[1:]})
		}
	}
	return lines
}

// Servers returns the addresses of the resolvers in a file such as /etc/resolv.conf, of which programs expect replies.
func Servers(path string) (list []netip.Addr) {
	for _, fields := range rows(path) {
		if fields[0] != "nameserver" {
			continue
		}
		if a, err := netip.ParseAddr(fields[1]); err == nil {
			list = append(list, a.WithZone(""))
		}
	}
	if len(list) == 0 {
		list = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})} // as the C library has it
	}
	return list
}

// searched returns the domains with which resolvers complete names, by a file such as /etc/resolv.conf: without a dot at their ends, and in lower
// case. The last line that names some counts, and without one the domain in the name of this machine.
func searched(path string) []string {
	domains := []string{}
	if name, err := os.Hostname(); err == nil {
		if _, domain, ok := strings.Cut(name, "."); ok {
			domains = []string{domain}
		}
	}
	for _, fields := range rows(path) {
		if fields[0] == "search" || fields[0] == "domain" {
			domains = fields[1:]
		}
	}
	for i, domain := range domains {
		domains[i] = strings.ToLower(strings.Trim(domain, "."))
	}
	return domains
}
