package process

import (
	"bufio"
	"os"
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
