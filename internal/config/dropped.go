package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// This file finds the values of a settings file that another one in the same file hides. JSON has no rule for a name that an
// object has twice, and the last one counts; of a setting with an old and a current name, the current one counts. The hidden
// value may be the one that restricts.

// repeatedNames returns the paths of the names that an object of a JSON text has several times.
func repeatedNames(plain []byte) []string {
	w := repeats{decoder: json.NewDecoder(bytes.NewReader(plain))}
	w.value("")
	return w.found
}

// repeats walks over a JSON text.
type repeats struct {
	decoder *json.Decoder
	found   []string
}

// value reads the value at a path. It returns false at the end of a list.
func (w *repeats) value(path string) bool {
	token, err := w.decoder.Token()
	switch {
	case err != nil, token == json.Delim(']'):
		return false
	case token == json.Delim('['):
		for w.value(path) {
		}
	case token == json.Delim('{'):
		w.members(path)
	}
	return true
}

// members reads the members of an object.
func (w *repeats) members(path string) {
	seen := map[string]bool{}
	for {
		token, err := w.decoder.Token()
		name, isName := token.(string)
		if err != nil || !isName {
			return
		}
		at := join(path, name)
		if seen[name] && !slices.Contains(w.found, at) {
			w.found = append(w.found, at)
		}
		seen[name] = true
		if !w.value(at) {
			return
		}
	}
}

// warnOfRepeated warns about the names that a file has several times.
func (l *loader) warnOfRepeated(file string, paths []string) {
	const most = 5
	for i, path := range paths {
		if i < most {
			l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: %s has the name %q twice, and only the last one counts. Remove one of them.", file, Printable(path))))
		}
		if mayRestrict(currentName(path)) {
			l.lost = append(l.lost, file+": "+Printable(path)+" is there twice")
		}
	}
}

// currentName returns the path of a key for an old one, and other paths as they are.
func currentName(path string) string {
	for _, list := range [...][]move{flat[:], renamed[:]} {
		for _, m := range list {
			if path == m.from || strings.HasPrefix(path, m.from+".") {
				return strings.TrimPrefix(m.to, "!") + path[len(m.from):]
			}
		}
	}
	return path
}

// mayRestrict reports whether a key restricts with some value, for a path of a key, of a part of its value, or of a group.
func mayRestrict(path string) bool {
	for at := path; at != ""; at, _ = cutLast(at) {
		if key, ok := KeyOf(at); ok {
			return key.Effect.Class&Tightens != 0
		}
	}
	return slices.ContainsFunc(table[:], func(k Key) bool { return strings.HasPrefix(k.Path, path+".") && k.Effect.Class&Tightens != 0 })
}

// hiddenValue is the value of an old name that another value hides.
type hiddenValue struct {
	old, now  string
	v, hiding any
}

// warnOfHidden warns about the values of old names that restrict, and that the current names hide.
func (l *loader) warnOfHidden(file string, list []hiddenValue) {
	for _, h := range list {
		if h.restricts() {
			l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: %s has %s, and its old name %s with another value, which does not count. Remove the old one.", file, h.now, h.old)))
			l.lost = append(l.lost, file+": "+h.old+" is hidden by "+h.now)
		}
	}
}

// restricts reports whether the hidden value would restrict something that the other one does not.
func (h *hiddenValue) restricts() bool {
	key, ok := KeyOf(h.now)
	if !ok {
		return mayRestrict(h.now)
	}
	kind, _, _ := strings.Cut(key.Type, " ")
	v, _ := Coerce(kind, h.v)
	hiding, _ := Coerce(kind, h.hiding)
	switch {
	case v == nil || reflect.DeepEqual(v, hiding):
		return false
	case key.Effect.Guard != nil:
		effective := key.Effect.Guard(hiding, v)
		return effective != nil && !reflect.DeepEqual(effective, hiding)
	}
	return key.Effect.Classify(hiding, v)&Tightens != 0
}
