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

// readHosts reads a file such as /etc/hosts. A file that cannot be read has no lines.
func readHosts(path string) (lines []line) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxFile))
	for row := range strings.Lines(string(text)) {
		row, _, _ = strings.Cut(row, "#")
		fields := strings.Fields(strings.ToLower(row))
		if len(fields) < 2 {
			continue
		}
		if a, err := netip.ParseAddr(fields[0]); err == nil {
			lines = append(lines, line{a.Unmap().WithZone(""), fields[1:]})
		}
	}
	return lines
}

// Servers returns the addresses of the resolvers in a file such as /etc/resolv.conf, of which programs expect replies.
func Servers(path string) (list []netip.Addr) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		text, _ := io.ReadAll(io.LimitReader(f, maxFile))
		for row := range strings.Lines(string(text)) {
			if fields := strings.Fields(row); len(fields) > 1 && fields[0] == "nameserver" {
				if a, err := netip.ParseAddr(fields[1]); err == nil {
					list = append(list, a.WithZone(""))
				}
			}
		}
	}
	if len(list) == 0 {
		list = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})} // as the C library has it
	}
	return list
}
