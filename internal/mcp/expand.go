package mcp

import (
	"os"
	"strings"
)

// expand replaces variables in a value of an entry: $NAME, ${NAME} and ${NAME:-default}. Those that are
// not set become empty.
func (o *Options) expand(text string) string { return expand(text, o.Getenv) }

func expand(text string, getenv func(string) string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	return os.Expand(text, func(name string) string {
		name, fallback, _ := strings.Cut(name, ":-")
		if name == "$" { // os.Expand reads $$ as the variable $
			return "$"
		}
		if getenv != nil {
			if value := getenv(name); value != "" {
				return value
			}
		}
		return fallback
	})
}
