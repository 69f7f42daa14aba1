// Package seatbelt writes profiles for Seatbelt, the sandbox of macOS, which sandbox-exec applies to a program:
//
//	(version 1)
//	(allow default)
//	(deny file-write* (require-not (subpath "/Users/me/work")))
//
// A profile is a list of statements about operations of the kernel. The last one that matches an operation decides. Paths are those of the file
// system: without links, and spelled as it has them.
package seatbelt

import (
	"path"
	"strings"
)

// Open is the beginning of a profile that allows everything.
const Open = "(version 1)\n(allow default)\n"

// Filter matches operations by their paths, services or addresses.
type Filter string

// Literal matches a path.
func Literal(path string) Filter { return call("literal", quote(path)) }

// Parameter matches a path that sandbox-exec gets by a name.
func Parameter(name string) Filter { return call("literal", string(call("param", quote(name)))) }

// Subpath matches a path and all that is below it.
func Subpath(path string) Filter { return call("subpath", quote(path)) }

// Globs match paths by patterns as [path.Match] has them, of which they know * and sets of characters in the last part, and all that is below the paths.
// Patterns for one directory share a filter, for the system takes long to read many.
func Globs(patterns []string) []Filter { return each(expressions(patterns), Regex) }

// Regex matches a path by a regular expression without quotes.
func Regex(expression string) Filter { return call("regex", `#"`+expression+`"`) }

// Socket matches connections to local sockets at a path and all that is below it.
func Socket(path string) Filter { return call("remote unix-socket", string(Subpath(path))) }

// SocketGlobs match connections to local sockets as [Globs] do.
func SocketGlobs(patterns []string) []Filter {
	return each(expressions(patterns), func(expression string) Filter { return call("remote unix-socket", `(path-regex #"`+expression+`")`) })
}

// AnySocket matches connections to all local sockets.
const AnySocket Filter = `(remote unix-socket (path-regex #"^/"))`

// LocalSocket matches local sockets that a program makes, wherever that is.
const LocalSocket Filter = `(local unix-socket (path-regex #"^/"))`

// longest is the length of a regular expression, in bytes: the system takes none of more than 1,024.
const longest = 800

// expressions returns regular expressions for patterns.
func expressions(patterns []string) (list []string) {
	names := map[string][]string{}
	var dirs []string
	for _, pattern := range patterns {
		dir, name := path.Split(pattern)
		if _, known := names[dir]; !known {
			dirs = append(dirs, dir)
		}
		names[dir] = append(names[dir], expression(name))
	}
	for _, dir := range dirs {
		var some string
		add := func() { list = append(list, "^"+expression(dir)+"("+strings.TrimPrefix(some, "|")+")(/.*)?$") }
		for _, name := range names[dir] {
			if some != "" && len(some)+len(name) > longest {
				add()
				some = ""
			}
			some += "|" + name
		}
		add()
	}
	return list
}

// expression returns a regular expression for a pattern. It matches a little more in place of characters that would need an escape.
func expression(pattern string) string {
	var b strings.Builder
	for _, c := range pattern {
		switch {
		case c == '*':
			b.WriteString("[^/]*")
		case c == '[' || c == ']' || c == '-' || c == '/' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			b.WriteRune(c)
		case c == '.':
			b.WriteString(`\.`)
		default:
			b.WriteString(strings.Repeat(".", len(string(c))))
		}
	}
	return b.String()
}

// Service matches a service of the system by its name.
func Service(name string) Filter { return call("global-name", quote(name)) }

// Local matches the address that a socket of a protocol has: "*:*", "localhost:80".
func Local(protocol, address string) Filter { return call("local", protocol, quote(address)) }

// Remote matches the address that a socket of a protocol is connected to.
func Remote(protocol, address string) Filter { return call("remote", protocol, quote(address)) }

// Any matches if one of the filters does: never if there is none.
func Any(filters ...Filter) Filter { return join("require-any", filters) }

// All matches if all of the filters do. There must be one.
func All(filters ...Filter) Filter { return join("require-all", filters) }

// Except matches if filter does and none of the others: never if filter is "".
func Except(filter Filter, others ...Filter) Filter {
	if filter == "" {
		return ""
	}
	return All(append([]Filter{filter}, None(others...)...)...)
}

// None returns filters that all match where none of these does.
func None(filters ...Filter) (list []Filter) {
	for _, f := range filters {
		list = append(list, call("require-not", string(f)))
	}
	return list
}

// Each returns the filter of each path.
func Each(filter func(path string) Filter, paths []string) []Filter { return each(paths, filter) }

func each(words []string, filter func(string) Filter) (list []Filter) {
	for _, word := range words {
		list = append(list, filter(word))
	}
	return list
}

// Profile is the text of a profile, which begins with [Open] or with that of a file.
type Profile struct{ strings.Builder }

// Deny adds a statement that denies operations which a filter matches.
func (p *Profile) Deny(filter Filter, operations ...string) { p.add("deny", filter, operations) }

// Allow adds a statement that allows operations which a filter matches.
func (p *Profile) Allow(filter Filter, operations ...string) { p.add("allow", filter, operations) }

// DenyAll adds a statement that denies operations, whatever they are about.
func (p *Profile) DenyAll(operations ...string) {
	p.WriteString(string(call("deny", operations...)) + "\n")
}

func (p *Profile) add(verb string, filter Filter, operations []string) {
	if filter != "" { // else there is nothing that it could match
		p.WriteString(string(call(verb, append(operations, string(filter))...)) + "\n")
	}
}

func join(name string, filters []Filter) Filter {
	if len(filters) <= 1 {
		return Filter(strings.Join(words(filters), ""))
	}
	return call(name, words(filters)...)
}

func words(filters []Filter) []string {
	list := make([]string, len(filters))
	for i, f := range filters {
		list[i] = string(f)
	}
	return list
}

func call(name string, args ...string) Filter {
	return Filter("(" + name + " " + strings.Join(args, " ") + ")")
}

// quote writes a string as the language has them.
func quote(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`
}
