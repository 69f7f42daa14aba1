package config

import (
	"fmt"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// unknownKey notes a path that is no key.
func (c *checker) unknownKey(path string, v any) {
	c.unknown = append(c.unknown, path)
	if near := c.nearest(path); near != "" && c.restrictsBelow(near, v) {
		c.lose(path)
	}
}

// nearest is the function nearest for the first unknown names of a file. To compare each of many would take long: the others count as lost.
func (c *checker) nearest(path string) (near string) {
	if !c.canCompare() {
		c.lose(path)
		return ""
	}
	near, _ = nearest(path)
	return near
}

// canCompare reports whether one more unknown name can be compared with known ones, and counts it.
func (c *checker) canCompare() bool {
	const most = 100
	c.compared++
	return c.compared <= most
}

// restrictsBelow reports whether a value would restrict something at the path of a key or of a group, whatever the spelling of the names in it.
func (c *checker) restrictsBelow(path string, v any) bool {
	if key, ok := KeyOf(path); ok {
		return v != nil && key.Support == Live && key.restrictsWith(v)
	}
	group, _ := v.(map[string]any)
	for name, v := range group {
		at := join(path, name)
		if _, isKey := KeyOf(at); !isKey && !IsGroup(at) {
			at = c.nearest(at)
		}
		if at != "" && c.restrictsBelow(at, v) {
			return true
		}
	}
	return false
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
		if near, ok := nearest(name); ok && near == name {
			line += " Write each of its names as an object in the one before."
		} else if ok {
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
// key or group with similar spelling, or the current name of an old one.
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
	current := map[string]string{}
	for _, moves := range [...][]move{flat[:], renamed[:]} {
		for _, m := range moves {
			if to := strings.TrimPrefix(m.to, "!"); to != "" {
				names, current[m.from] = append(names, m.from), to
			}
		}
	}
	near := spelling.Closest(path, slices.Values(names))
	if now, isOld := current[near]; isOld {
		near = now
	}
	return near, near != ""
}
