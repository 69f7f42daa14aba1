package transfer

import (
	"strings"

	"pollux/internal/secret"
)

// IsKey reports whether a value, by the name of its variable or header, may be a secret. A reference to a variable is none.
func IsKey(name, value string) bool {
	return value != "" && !IsReference(value) && (secret.InName(name) || secret.IsKey(value) || secret.InVariable(name, value))
}

// IsReference reports whether a value is a variable in Pollux's settings: $NAME alone, or ${NAME} anywhere.
func IsReference(value string) bool {
	name, isBare := strings.CutPrefix(value, "$")
	return strings.Contains(value, "${") || isBare && IsVariable(name)
}

// IsVariable reports whether a text is a name of a variable that a shell can set.
func IsVariable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" && strings.Trim(name[:1], "0123456789") != ""
}

// VariableWord returns a text as a part of the name of a variable.
func VariableWord(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, strings.ToUpper(text))
}

// HasKey reports whether a text has a form of a secret, such as the key of a known provider.
func HasKey(text string) bool { return secret.EraseForms(text) != text }
