package theme

import (
	"strconv"
	"strings"
)

// parseColorFGBG returns the kind of background that a value of COLORFGBG stands for: its last field is the number of
// one of the 16 colors. It is [Plain] if the value says nothing.
func parseColorFGBG(value string) Kind {
	n, err := strconv.Atoi(value[strings.LastIndexByte(value, ';')+1:])
	switch {
	case err != nil || n < 0 || n > 15 || !strings.Contains(value, ";"):
		return Plain
	case n == 7 || n > 8:
		return Light
	}
	return Dark
}
