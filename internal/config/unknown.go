package config

import (
	"fmt"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// unknownKey notes a path that is no key.
func (c *checker) unknownKey(path string) {
	c.unknown = append(c.unknown, path)
}

// unknownWarnings returns the warning about unknown keys.
func (c *checker) unknownWarnings(path string) []Warning {
	if len(c.unknown) == 0 {
		return nil
	}
	const most = 5
	var lines []string
	for _, name := range c.unknown[:min(len(c.unknown), most)] {
		line := fmt.Sprintf("Unknown setting %q in %s is ignored.", Printable(name), path)
		if near, ok := nearest(name); ok {
			line += fmt.Sprintf(" Did you mean %q?", near)
		}
		lines = append(lines, line)
	}
	if n := len(c.unknown) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("...and %d more unknown settings.", n))
	}
	return []Warning{Warning(strings.Join(lines, "\n"))}
}

// nearest returns the key that was probably meant: one with the same name in another group, a
// key or group with similar spelling.
func nearest(path string) (string, bool) {
	_, last := cutLast(path)
	var names []string
	for i := range table {
		if _, name := cutLast(table[i].Path); strings.EqualFold(name, last) && len(last) > 4 {
			return table[i].Path, true
		}
		for name := table[i].Path; name != ""; name, _ = cutLast(name) {
			names = append(names, name)
		}
	}
	near := spelling.Closest(path, slices.Values(names))
	return near, near != ""
}
