package workspace

import (
	"slices"
	"strings"
)

// windowsAlias returns the first name in a path with which Windows opens something else than a file of this name, "" if
// there is none: it drops dots and spaces at the end, takes the text behind a colon for a stream of the file, and some names for
// devices. Rules about a name do not see the file that is opened.
func windowsAlias(path string) string {
	if len(path) > 1 && path[1] == ':' { // a drive
		path = path[2:]
	}
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		switch {
		case name == ".", name == "..":
		case strings.Contains(name, ":"), strings.TrimRight(name, ". ") != name, isDevice(name):
			return name
		}
	}
	return ""
}

// isDevice reports whether Windows opens a device by this name in every directory.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(strings.ToUpper(name), ".")
	name = strings.TrimRight(name, " ")
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, name) {
		return true
	}
	number, isPort := strings.CutPrefix(name, "COM")
	if !isPort {
		number, isPort = strings.CutPrefix(name, "LPT")
	}
	return isPort && len([]rune(number)) == 1 && strings.Contains("0123456789¹²³", number)
}
