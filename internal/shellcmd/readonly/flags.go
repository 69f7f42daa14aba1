package readonly

import (
	"slices"
	"strings"
)

// HasFlags reports whether an argument is one of these flags, or has the letter of a short one.
func HasFlags(args []string, flags ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return slices.ContainsFunc(flags, func(flag string) bool {
			if strings.HasPrefix(flag, "--") {
				return HasFlag(arg, flag)
			}
			return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.IndexByte(arg, flag[1]) > 0
		})
	})
}

// HasFlag reports whether an argument is the long flag, with or without a value. Like most programs, it accepts
// abbreviations.
func HasFlag(arg, flag string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return len(name) > 2 && strings.HasPrefix(flag, name)
}

// IsFlag reports whether an argument begins like a flag.
func IsFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

// without returns a check that no argument is one of these flags.
func without(flags ...string) func([]string) bool {
	return func(args []string) bool { return !HasFlags(args, flags...) }
}
