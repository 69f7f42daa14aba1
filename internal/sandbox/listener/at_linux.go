package listener

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sees is whether this system shows which program listens at a port.
const Sees = true

// At returns the kind of the program that a connection to a port of 127.0.0.1 reaches. It is Confined if one of several is.
func At(port int) Kind {
	var sockets []string
	for _, name := range [...]string{"tcp", "tcp6"} {
		list, _ := os.ReadFile(filepath.Join("/proc/net", name))
		sockets = append(sockets, parseListening(string(list), port)...)
	}
	if sockets == nil {
		return Unknown
	}
	own, kind := restrictionsOf("thread-self"), Unknown // not those of a thread that starts a program in the sandbox
	processes, _ := os.ReadDir("/proc")
	for _, p := range processes {
		if _, err := strconv.Atoi(p.Name()); err != nil || !hasFile(p.Name(), sockets) {
			continue
		}
		switch r := restrictionsOf(p.Name()); {
		case r == restrictions{}: // it has ended
		case r.isBelow(own):
			return Confined
		default:
			kind = Free
		}
	}
	return kind
}

// parseListening returns the links to the sockets that listen at a port of 127.0.0.1, in a list of the kernel's.
func parseListening(list string, port int) (links []string) {
	const listens = "0A"
	at := fmt.Sprintf(":%04X", port)
	for line := range strings.Lines(list) {
		words := strings.Fields(line) // the second is the address, the fourth the state, the tenth the number
		if len(words) < 10 || words[3] != listens {
			continue
		}
		address, isAt := strings.CutSuffix(words[1], at)
		isReached := strings.Trim(address, "0") == "" || address == "0100007F" || address == "0000000000000000FFFF00000100007F"
		if isAt && isReached {
			links = append(links, "socket:["+words[9]+"]")
		}
	}
	return links
}

// hasFile reports whether a process has one of these files open, as far as Pollux sees that.
func hasFile(process string, links []string) bool {
	dir := filepath.Join("/proc", process, "fd")
	files, _ := os.ReadDir(dir)
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		link, err := os.Readlink(filepath.Join(dir, f.Name()))
		return err == nil && slices.Contains(links, link)
	})
}

// restrictions are those that the kernel shows of a process.
type restrictions struct {
	filters     int  // for system calls
	isUnraised  bool // it gets no new privileges
	nested      int  // namespaces of processes that it is in
	isDescribed bool
}

// isBelow reports whether a process with these restrictions is in a sandbox of Pollux, for all that Pollux sees: each has a filter more than Pollux, and no new
// privileges, and programs in it cannot make namespaces, as containers do.
func (r restrictions) isBelow(own restrictions) bool {
	return r.isUnraised && r.filters > own.filters && r.nested <= own.nested
}

func restrictionsOf(process string) (r restrictions) {
	status, err := os.ReadFile(filepath.Join("/proc", process, "status"))
	if err != nil {
		return r
	}
	r.isDescribed = true
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		switch words := strings.Fields(rest); name {
		case "NoNewPrivs":
			r.isUnraised = slices.Equal(words, []string{"1"})
		case "Seccomp_filters":
			r.filters, _ = strconv.Atoi(strings.Join(words, ""))
		case "NSpid":
			r.nested = len(words)
		}
	}
	return r
}
