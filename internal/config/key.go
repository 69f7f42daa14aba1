package config

import (
	"sort"
	"strings"
)

// Key is one row of the settings table.
type Key struct {
	// Path is the key's name with its groups, separated by dots.
	Path string
	// Type is the type of the value:
	//
	//	bool, number, string, array, object
	//	strings          a list of strings
	//	string|strings   a string or a list of strings
	//	any a b c        one of the listed types, or of several that the reader distinguishes
	//	enum a b c       one of the listed strings
	//	record           an object with only the members in checkedMembers
	//	map              an object of such records
	Type string
	// Default is the value if no layer has one: bool, float64, string, []any, or nil for
	// unset.
	Default any
	// Flags are the merge rule, and whether a change needs a restart.
	Flags Flag
	// Support is the effect of the key in this version.
	Support Support
	// Effect classifies the values that a project gives the key.
	Effect *Effect
	// Doc is a one-line description for users.
	Doc string
}

// Flag is a property of a [Key]. Without a merge rule, a value replaces the one of the layer
// below, and objects are merged deeply.
type Flag uint8

// The flags.
const (
	Union     Flag = 1 << iota // lists are joined, without duplicates
	Concat                     // lists are joined
	Shallow                    // entries of an object replace each other as a whole
	Intersect                  // the intersection of all lists
	Restart                    // a change takes effect at the next start
	Negative                   // for a bool: false enables something
	AtOnce                     // a change in a session takes effect in it
)

// Support is the effect of a key or variable in this version of Pollux.
type Support uint8

// The degrees of support.
const (
	Live   Support = iota // it has the effect that its Doc describes
	Later                 // no effect yet; a value other than the default causes a warning
	Screen                // about a part of the screen that does not exist yet
	Inert                 // no effect by design; accepted because existing files have it
)

// Short names, so that each row of the table fits on a line.
const (
	live, later, screen, inert = Live, Later, Screen, Inert
	union, concat, shallow     = Union, Concat, Shallow
	meet, restart, negative    = Intersect, Restart, Negative
	atOnce                     = AtOnce
)

// Keys returns the table, sorted by path. The caller must not change it.
func Keys() []Key { return table[:] }

// KeyOf returns the key with this path.
func KeyOf(path string) (*Key, bool) {
	i := search(path)
	if i < len(table) && table[i].Path == path {
		return &table[i], true
	}
	return nil, false
}

// IsGroup reports whether there are keys below a path.
func IsGroup(path string) bool {
	i := search(path + ".")
	return i < len(table) && strings.HasPrefix(table[i].Path, path+".")
}

func search(path string) int {
	return sort.Search(len(table), func(i int) bool { return table[i].Path >= path })
}
