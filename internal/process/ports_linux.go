package process

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Ports returns the TCP ports on which the processes of the command accept connections, in
// ascending order. On systems other than Linux it returns none.
func (p *Process) Ports() []int {
	var ports []int
	listeners := map[string]map[string]int{} // by network namespace
	for _, m := range p.family() {
		dir := "/proc/" + strconv.Itoa(m.pid)
		namespace, err := os.Readlink(dir + "/ns/net")
		if err != nil {
			continue // it has ended, or belongs to another user
		}
		if listeners[namespace] == nil {
			listeners[namespace] = readListeners(dir + "/net")
		}
		entries, _ := os.ReadDir(dir + "/fd") // none of a process that has ended
		for _, e := range entries {
			socket, _ := os.Readlink(dir + "/fd/" + e.Name())
			if port, ok := listeners[namespace][socket]; ok && !slices.Contains(ports, port) {
				ports = append(ports, port)
			}
		}
	}
	slices.Sort(ports)
	return ports
}

// ListensOutside reports whether the programs that accept connections at a TCP port of localhost are no more confined than this process, as those in a sandbox of
// Pollux are, which have more filters for system calls. Programs of other users are none of these. One of this user that cannot be seen may be. On systems other
// than Linux it reports true.
func ListensOutside(port int) bool {
	own := map[string]bool{} // sockets, and whether a program has been seen that has it
	for _, l := range listeners("/proc/self/net") {
		if l.port == port && l.isLocal && l.uid == strconv.Itoa(os.Getuid()) {
			own[l.socket] = false
		}
	}
	if len(own) == 0 {
		return true
	}
	most := filters("/proc/self")
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir + "/fd") // none of a process that has ended, or hides them
		for _, e := range entries {
			socket, _ := os.Readlink(dir + "/fd/" + e.Name())
			if _, isOwn := own[socket]; !isOwn {
				continue
			}
			if filters(dir) > most {
				return false
			}
			own[socket] = true
		}
	}
	for _, isSeen := range own {
		if !isSeen {
			return false
		}
	}
	return true
}

// filters returns the number of filters for system calls that a process has.
func filters(dir string) (count int) {
	text, _ := os.ReadFile(dir + "/status")
	_, rest, _ := strings.Cut(string(text), "\nSeccomp_filters:")
	line, _, _ := strings.Cut(rest, "\n")
	count, _ = strconv.Atoi(strings.TrimSpace(line)) // none before Linux 5.9, in which there is no sandbox either
	return count
}

// listener is a listening TCP socket.
type listener struct {
	socket  string // as /proc shows it
	port    int
	isLocal bool   // it takes connections to 127.0.0.1 or ::1
	uid     string // of its user
}

// readListeners returns the ports of the listening TCP sockets of a network namespace, by their names.
func readListeners(dir string) map[string]int {
	ports := map[string]int{}
	for _, l := range listeners(dir) {
		ports[l.socket] = l.port
	}
	return ports
}

// listeners returns the listening TCP sockets of a network namespace. See proc_pid_net(5).
func listeners(dir string) (list []listener) {
	const listens = "0A"
	// The addresses of localhost, and those that stand for all.
	local := []string{"0100007F", "00000000", "00000000000000000000000001000000", "00000000000000000000000000000000", "0000000000000000FFFF00000100007F", "0000000000000000FFFF000000000000"}
	for _, table := range []string{"/tcp", "/tcp6"} {
		f, err := os.Open(dir + table)
		if err != nil {
			continue // there is no IPv6
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[3] != listens {
				continue
			}
			address, number, _ := strings.Cut(fields[1], ":")
			if port, err := strconv.ParseUint(number, 16, 16); err == nil {
				list = append(list, listener{"socket:[" + fields[9] + "]", int(port), slices.Contains(local, address), fields[7]})
			}
		}
		_ = f.Close() // it was only read
	}
	return list
}
