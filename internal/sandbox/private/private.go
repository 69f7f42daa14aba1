// Package private marks servers that act for all clients, such as pollux a2a-server, or for the user's browser. The sandbox keeps the commands of all sessions
// away from their ports: else a command could have a server run others for it, outside of the sandbox, or pass for the browser.
//
//	mark, err := private.Mark(port)
//	defer mark.Close()
//
// On Linux, a mark is a local socket without a file, whose name has the port. It exists in the same network namespace as the port, for all users of
// the machine, and ends with the process of the server. Other systems have no marks.
package private

import (
	"strconv"
	"strings"
)

// prefix begins the name of a mark. The port follows, and a text that no other program can take before.
const prefix = "\x00pollux-server/"

// PortOf returns the port that a local socket marks, and whether its name is that of a mark.
func PortOf(name string) (port uint16, isMark bool) {
	rest, isMark := strings.CutPrefix(name, prefix)
	if !isMark {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(number, 10, 16)
	return uint16(n), err == nil
}
