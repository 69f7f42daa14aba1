package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/internal/exit"
)

// Find returns the key for a path, which may also lead into the key's value:
// "mcpServers.git.command" is a part of mcpServers. If there is none, the error suggests a
// similar key.
func Find(path string) (*Key, error) {
	for at := path; at != ""; at, _ = cutLast(at) {
		key, ok := KeyOf(at)
		if !ok {
			continue
		}
		if at == path {
			return key, nil
		}
		return key, key.checkPart(strings.Split(path[len(at)+1:], "."))
	}
	if IsGroup(path) {
		first := table[search(path+".")].Path
		return nil, exit.Errorf(exit.General, "%q is a group of settings. Name one of them, such as %s.", path, first)
	}
	if now := currentName(path); now != path {
		if key, _ := Find(now); key != nil {
			return nil, exit.Errorf(exit.General, "%q is an old name. Use %s.", Printable(path), Printable(now))
		}
	}
	if near, ok := nearest(path); ok {
		return nil, exit.Errorf(exit.General, "There is no setting %q. Did you mean %q?", Printable(path), near)
	}
	return nil, exit.Errorf(exit.General, "There is no setting %q. Run 'pollux config list --all' to see all settings.", Printable(path))
}

// checkPart returns an error if the key's value cannot contain the path made of names.
func (k *Key) checkPart(names []string) error {
	if slices.Contains(names, "") || slices.ContainsFunc(names, isUnsafe) {
		return exit.Errorf(exit.General, "%s has no part of that name.", k.Path)
	}
	kind, _, _ := strings.Cut(k.Type, " ")
	fields := k.memberNames()
	switch {
	case kind == "object", kind == "any" && fields == nil:
		return nil
	case kind == "map":
		names = names[1:]
		fallthrough
	case fields != nil:
		if len(names) == 0 || slices.Contains(fields, names[0]) {
			return nil
		}
		slices.Sort(fields)
		return exit.Errorf(exit.General, "%s has no field %q. Its fields are: %s.", k.Path, Printable(names[0]), strings.Join(fields, ", "))
	}
	return exit.Errorf(exit.General, "%s is %s: it has no parts.", k.Path, k.DescribeType())
}

// DescribeType describes the type of the key's values in words, such as "a list of strings".
func (k *Key) DescribeType() string {
	kind, rest, _ := strings.Cut(k.Type, " ")
	switch kind {
	case "bool":
		return "true or false"
	case "number":
		if least, most, ok := k.bounds(); ok {
			return fmt.Sprintf("a number from %v to %v", least, most)
		}
		return "a number"
	case "string":
		return "a string"
	case "array":
		return "a list"
	case "strings":
		return "a list of strings"
	case "string|strings":
		return "a string or a list of strings"
	case "enum":
		return "one of " + strings.Join(strings.Fields(rest), ", ")
	case "map":
		return "an object of objects"
	case "any":
		return "true, false, a string or an object"
	}
	return "an object"
}

// bounds returns the smallest and the largest number that the key accepts; ok is false if it accepts all.
func (k *Key) bounds() (least, most float64, ok bool) {
	_, rest, _ := strings.Cut(k.Type, " ")
	n, err := fmt.Sscan(rest, &least, &most)
	return least, most, n == 2 && err == nil
}

// inRange reports whether the key accepts a number.
func (k *Key) inRange(n float64) bool {
	least, most, ok := k.bounds()
	return !ok || least <= n && n <= most
}

// example returns an example value for the command line.
func (k *Key) example() string {
	switch kind, _, _ := strings.Cut(k.Type, " "); kind {
	case "number":
		return "5"
	case "strings", "string|strings":
		return `'["one", "two"]'`
	case "array":
		return `'[...]'`
	case "object", "record", "map":
		return `'{...}'`
	}
	return ""
}

// ParseValue parses the text of a value for a path: as JSON if it is valid JSON of the right
// type, otherwise as a string. If the value does not have the key's type, the error
// describes the type.
func ParseValue(path, text string, env *Env) (any, error) {
	key, err := Find(path)
	switch {
	case err != nil:
		return nil, err
	case strings.HasPrefix(path, "admin."):
		return nil, exit.Errorf(exit.General, "Only an administrator's server can set %s.", path)
	case !utf8.ValidString(text):
		return nil, exit.Errorf(exit.General, "The value for %s is not valid UTF-8.", path)
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err == nil {
		if fitting, ok := fit(path, v, env); ok == "" {
			return fitting, nil
		}
	}
	fitting, problem := fit(path, text, env)
	if problem == "" {
		return fitting, nil
	}
	message := fmt.Sprintf("%s must be %s, not %s.", path, key.DescribeType(), Printable(MaskSecrets(path, text).(string)))
	if key.Path != path {
		message = path + ": " + problem + "."
	} else if example := key.example(); example != "" {
		message += " Write it as in: pollux config set " + path + " " + example
	}
	return nil, exit.Errorf(exit.General, "%s", message)
}

// fit returns v converted to the type of the value at a path, or describes the problem. A text
// with variables is checked in expanded form, and returned unexpanded.
func fit(path string, v any, env *Env) (fitting any, problem string) {
	written := nest(map[string]any{path: v})
	tree, _ := ParseObject(encodeJSON(written, "", "")) // a copy
	NewExpander(nil, env.Lookup).settings(tree)
	expanded := !reflect.DeepEqual(written, tree)
	var c checker
	c.group("", tree)
	switch {
	case len(c.issues) > 0:
		return nil, c.issues[0].message
	case len(c.unknown) > 0:
		return nil, "there is no such setting"
	case expanded:
		return v, ""
	}
	s := Settings{tree: tree}
	if fitting, ok := s.Lookup(path); ok {
		return fitting, ""
	}
	return v, "" // null
}
