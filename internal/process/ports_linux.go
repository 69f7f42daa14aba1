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

// ListensConfined reports whether a program of this user accepts connections on a TCP port that is more confined than this process, as those in a sandbox of
// Pollux are: it has more filters for system calls. On systems other than Linux it reports false.
func ListensConfined(port int) bool {
	sockets := map[string]bool{}
	for socket, p := range readListeners("/proc/self/net") {
		sockets[socket] = p == port
	}
	own := filters("/proc/self")
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if filters(dir) <= own {
			continue
		}
		entries, _ := os.ReadDir(dir + "/fd") // none of a process that has ended, or is another user's
		for _, e := range entries {
			if socket, _ := os.Readlink(dir + "/fd/" + e.Name()); sockets[socket] {
				return true
			}
		}
	}
	return false
}

// filters returns the number of filters for system calls that a process has.
func filters(dir string) (count int) {
	text, _ := os.ReadFile(dir + "/status")
	_, rest, _ := strings.Cut(string(text), "\nSeccomp_filters:")
	line, _, _ := strings.Cut(rest, "\n")
	count, _ = strconv.Atoi(strings.TrimSpace(line)) // none before Linux 5.9, in which there is no sandbox either
	return count
}

// readListeners returns the ports of the listening TCP sockets of a network namespace, by the names by which /proc
// shows sockets. See proc_pid_net(5).
func readListeners(dir string) map[string]int {
	const listens = "0A"
	ports := map[string]int{}
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
			_, number, _ := strings.Cut(fields[1], ":")
			if port, err := strconv.ParseUint(number, 16, 16); err == nil {
				ports["socket:["+fields[9]+"]"] = int(port)
			}
		}
		_ = f.Close() // it was only read
	}
	return ports
}
