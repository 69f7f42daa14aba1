package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pollux/llm/ellipsis"
	"pollux/tool/spelling"
)

// members are the members that an object in a value may have: their names, each with its type after a colon. Members without
// a type are checked where they are read.
type members struct{ path, list string }

// checkedMembers are the objects whose members are checked, by the path of the object, where * is any name. It is pure data: nothing is
// computed at start.
var checkedMembers = [...]members{
	{"advanced.bugCommand", "urlTemplate"},
	{"agents.overrides.*", "enabled:bool modelConfig:object runConfig:object tools:strings mcpServers:object"},
	{"agents.overrides.*.mcpServers.*", serverMembers},
	{"agents.overrides.*.modelConfig", "model:string generateContentConfig:object"},
	{"agents.overrides.*.runConfig", "maxTurns maxTimeMinutes"},
	{"mcpServers.*", serverMembers},
	{"model.summarizeToolOutput.*", "tokenBudget"},
	{"pollux.sandboxCommands.*", "hosts:strings paths:strings"},
	{"telemetry", "enabled target otlpEndpoint otlpProtocol logPrompts traces outfile useCollector useCliAuth"},
	{"tools.sandbox", "enabled:bool command:string image:string allowedPaths:strings networkAccess:bool"},
	{"ui.customThemes.*", "type name text background border ui status Background Foreground LightBlue AccentBlue AccentPurple AccentCyan AccentGreen AccentYellow AccentRed DiffAdded DiffRemoved Comment Gray DarkGray GradientColors"},
}

// serverMembers are those of an MCP server. They have no types here: variables in them expand when the entry is read.
const serverMembers = "command args env cwd url type httpUrl headers tcp timeout trust description includeTools " +
	"excludeTools oauth authProviderType targetAudience targetServiceAccount extension serverUrl disabled disabledTools"

// membersAt returns the members of the object at a path, with their types; nil if they are not checked.
func membersAt(path string) []string {
	for _, m := range checkedMembers {
		if m.path == path {
			return strings.Fields(m.list)
		}
	}
	return nil
}

// memberNames returns the names of the members that are checked of a value, or of each entry of a map.
func (k *Key) memberNames() (names []string) {
	path := k.Path
	if k.Type == "map" {
		path += ".*"
	}
	for _, member := range membersAt(path) {
		name, _, _ := strings.Cut(member, ":")
		names = append(names, name)
	}
	return names
}

// check removes invalid values from a file's tree, so that the layer below is used for them,
// and returns warnings about them. It corrects values whose meaning is clear: "5" for a
// number, "TRUE" for a bool. lost are the keys whose values would have restricted something.
func check(tree map[string]any, path string) (warnings []Warning, lost []string) {
	var c checker
	c.group("", tree)
	return append(c.invalidWarnings(path), c.unknownWarnings(path)...), c.lost
}

type checker struct {
	issues  []issue
	unknown []string // paths that are not keys
	lost    []string // keys that restrict, and whose values are invalid
	// compared is the number of unknown names that were compared with known ones.
	compared int
}

// issue is an invalid value.
type issue struct {
	path, message string
	isEntry       bool   // it is about one entry of several, the others of which are used
	meant         string // the name that was probably meant, "" if unknown
}

// lose notes the path of a value that would have restricted something. Of very many it notes the first ones.
func (c *checker) lose(path string) {
	const most = 20
	path = Printable(path)
	switch {
	case len(c.lost) > most || slices.Contains(c.lost, path):
	case len(c.lost) == most:
		c.lost = append(c.lost, "and others")
	default:
		c.lost = append(c.lost, path)
	}
}

// group checks the keys below path.
func (c *checker) group(path string, tree map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		at, v := join(path, name), tree[name]
		key, known := KeyOf(at)
		switch {
		case v == nil || isUnsafe(name):
		case strings.Contains(name, "."):
			c.unknownKey(at, v)
		case known:
			if fitting, ok := c.value(key, at, v); ok {
				tree[name] = fitting
			} else {
				delete(tree, name)
				if key.restrictsWith(v) {
					c.lose(at)
				}
			}
		case IsGroup(at):
			if below, ok := v.(map[string]any); ok {
				c.group(at, below)
			} else {
				c.mismatch(at, "object", v)
				delete(tree, name)
			}
		default:
			c.unknownKey(at, v)
		}
	}
}

// value returns a key's value converted to the type that it must have.
func (c *checker) value(key *Key, path string, v any) (any, bool) {
	kind, rest, _ := strings.Cut(key.Type, " ")
	switch kind {
	case "any":
		if rest == "" {
			return v, true
		}
		return c.oneOf(path, strings.Fields(rest), v)
	case "enum":
		return c.choice(path, v, strings.Fields(rest))
	case "record":
		return v, c.object(path, path, v)
	case "map":
		return v, c.entries(path, path, v)
	case "strings", "string|strings":
		return c.strings(path, v, kind == "string|strings", key.Flags&(Union|Concat) != 0, key.Effect.restricts())
	}
	fitting, ok := Coerce(kind, v)
	if !ok {
		c.mismatch(path, kind, v)
		return nil, false
	}
	if n, isNumber := fitting.(float64); isNumber && !key.inRange(n) {
		c.issues = append(c.issues, issue{path: path, message: fmt.Sprintf("Expected %s, received %v", strings.TrimPrefix(key.DescribeType(), "a "), n)})
		return nil, false
	}
	return fitting, true
}

// oneOf checks a value that may have one of several types, and the members of an object.
func (c *checker) oneOf(path string, kinds []string, v any) (any, bool) {
	for _, kind := range kinds {
		if TypeName(kind) == TypeOf(v) {
			return v, kind != "object" || membersAt(path) == nil || c.object(path, path, v)
		}
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, TypeName(kind))
	}
	c.issues = append(c.issues, issue{path: path, message: "Expected " + strings.Join(names, " or ") + ", received " + TypeOf(v)})
	return nil, false
}

// entries checks the objects in an object with any names. path is that of the value, pattern the same with * for any name.
func (c *checker) entries(pattern, path string, v any) bool {
	entries, ok := v.(map[string]any)
	if !ok {
		c.mismatch(path, "object", v)
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		at := path + "." + name
		switch {
		case entries[name] == nil:
			continue
		case isUnsafe(name):
			c.issues = append(c.issues, issue{path: at, message: "The name is reserved. Rename the entry"})
		case c.object(pattern+".*", at, entries[name]):
			continue
		case restrictsAt(pattern + ".*"):
			c.lose(at)
		}
		c.issues[len(c.issues)-1].isEntry = true
		delete(entries, name)
	}
	return true
}

// object checks the members of an object: it removes unknown ones and those with values of a wrong type.
func (c *checker) object(pattern, path string, v any) bool {
	object, ok := v.(map[string]any)
	if !ok {
		c.mismatch(path, "object", v)
		return false
	}
	kinds := map[string]string{}
	for _, member := range membersAt(pattern) {
		name, kind, _ := strings.Cut(member, ":")
		kinds[name] = kind
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at, member := path+"."+name, pattern+"."+name
		kind, isKnown := kinds[name]
		switch {
		case !isKnown:
			unknown = append(unknown, name)
			continue
		case kind == "" || object[name] == nil:
			continue
		}
		if fitting, ok := c.member(member, at, kind, object[name]); ok {
			object[name] = fitting
			continue
		}
		delete(object, name)
		if restrictsAt(member) {
			c.lose(at)
		}
	}
	c.unrecognized(pattern, path, object, unknown, slices.Sorted(maps.Keys(kinds)))
	return true
}

// unrecognized removes the unknown members of an object.
func (c *checker) unrecognized(pattern, path string, object map[string]any, unknown, known []string) {
	if len(unknown) == 0 {
		return
	}
	var quoted, meant []string
	for _, name := range unknown {
		quoted = append(quoted, "'"+Printable(name)+"'")
		mayRestrict := func(member string) bool { return object[name] != nil && restrictsAt(pattern+"."+member) }
		candidates := known
		if c.canCompare() {
			candidates = nil
			if near := spelling.Closest(name, slices.Values(known)); near != "" {
				candidates, meant = []string{near}, append(meant, "'"+near+"'")
			}
		}
		if slices.ContainsFunc(candidates, mayRestrict) {
			c.lose(path + "." + name)
		}
		delete(object, name)
	}
	c.issues = append(c.issues, issue{
		path: path, message: "Unrecognized key(s) in object: " + strings.Join(quoted[:min(len(quoted), 10)], ", "),
		meant: strings.Join(slices.Compact(meant[:min(len(meant), 10)]), ", "),
	})
}

// member returns a member's value converted to its type.
func (c *checker) member(pattern, path, kind string, v any) (any, bool) {
	switch {
	case kind == "strings":
		return c.strings(path, v, false, false, restrictsAt(pattern))
	case kind == "object" && membersAt(pattern) != nil:
		return v, c.object(pattern, path, v)
	case kind == "object" && membersAt(pattern+".*") != nil:
		return v, c.entries(pattern, path, v)
	}
	fitting, ok := Coerce(kind, v)
	if !ok {
		c.mismatch(path, kind, v)
	}
	return fitting, ok
}

// restrictsAt reports whether a value restricts something at the path of a key, or of a part of its value in which * is any name.
func restrictsAt(path string) bool {
	for at := path; at != ""; at, _ = cutLast(at) {
		if key, ok := KeyOf(at); ok {
			return key.Effect.part(strings.Split(path[len(at):], ".")[1:]).restricts()
		}
	}
	return false
}

// restrictsWith reports whether a value that is not used may have restricted something. Of a misspelled choice it takes the closest
// one, also the mode that only a flag chooses, and where the key has its default.
func (k *Key) restrictsWith(v any) bool {
	kind, choices, _ := strings.Cut(k.Type, " ")
	if kind != "enum" || k.Effect.Of == nil {
		return k.Effect.restricts()
	}
	near := spelling.Closest(text(v), slices.Values(append(strings.Fields(choices), "yolo")))
	return k.Effect.restricts() && (near == "" || k.Effect.Of(k.Default, near)&Loosens == 0)
}

// Coerce converts v to a plain type, "bool", "number", "string", "array" or "object", and reports whether it has that
// type: "5" is a number, and "TRUE" a bool, because variables in settings are expanded to strings.
func Coerce(kind string, v any) (any, bool) {
	text, isText := v.(string)
	switch kind {
	case "bool":
		switch {
		case strings.EqualFold(text, "true"):
			return true, true
		case strings.EqualFold(text, "false"):
			return false, true
		}
	case "number":
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); isText && err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, true
		}
	}
	return v, TypeName(kind) == TypeOf(v)
}

func (c *checker) choice(path string, v any, choices []string) (any, bool) {
	text, ok := v.(string)
	if ok && slices.Contains(choices, text) {
		return v, true
	}
	received := TypeOf(v)
	if ok {
		received = "'" + Printable(text) + "'"
	}
	i := issue{path: path, message: fmt.Sprintf("Invalid enum value. Expected '%s', received %s", strings.Join(choices, "' | '"), received)}
	if near := spelling.Closest(text, slices.Values(choices)); near != "" {
		i.meant = "'" + near + "'"
	}
	c.issues = append(c.issues, i)
	return nil, false
}

// strings checks a list of strings. isText reports whether the value may be a text, and wraps whether a text stands for a list of
// one. In a list that restricts, texts count beside and in place of values of a wrong type.
func (c *checker) strings(path string, v any, isText, wraps, restricts bool) (any, bool) {
	if _, ok := v.(string); ok {
		switch {
		case isText:
			return v, true
		case restricts && !wraps:
			c.mismatch(path, "array", v)
			c.lose(path)
			fallthrough
		case wraps:
			v = []any{v}
		}
	}
	items, ok := v.([]any)
	if !ok {
		c.mismatch(path, "array", v)
		return nil, false
	}
	texts := make([]any, 0, len(items))
	for i, item := range items {
		if _, ok := item.(string); ok {
			texts = append(texts, item)
			continue
		}
		c.mismatch(fmt.Sprintf("%s.%d", path, i), "string", item)
		if !restricts {
			return nil, false
		}
		c.lose(path)
		c.issues[len(c.issues)-1].isEntry = true
	}
	return texts, len(texts) > 0 || len(items) == 0
}

func (c *checker) mismatch(path, kind string, v any) {
	c.issues = append(c.issues, issue{path: path, message: "Expected " + TypeName(kind) + ", received " + TypeOf(v)})
}

// invalidWarnings returns the warning about invalid values. Its first lines have the format of
// Gemini CLI.
func (c *checker) invalidWarnings(path string) []Warning {
	if len(c.issues) == 0 {
		return nil
	}
	const most = 5
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid configuration in %s:\n\n", path)
	for _, i := range c.issues[:min(len(c.issues), most)] {
		fmt.Fprintf(&b, "Error in: %s\n    %s\n", Printable(i.path), i.message)
		if i.isEntry {
			b.WriteString("    Pollux ignores this entry only.\n")
		}
		if i.meant != "" {
			fmt.Fprintf(&b, "    Did you mean %s?\n", i.meant)
		}
		b.WriteByte('\n')
	}
	if n := len(c.issues) - most; n > 0 {
		fmt.Fprintf(&b, "...and %d more errors.\n", n)
	}
	b.WriteString("Please fix the configuration.\nRun 'pollux config explain KEY' for the values that a setting accepts.")
	return []Warning{Warning(b.String())}
}

func cutLast(path string) (group, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// TypeName returns the name of a type in messages.
func TypeName(kind string) string {
	if kind == "bool" {
		return "boolean"
	}
	return kind
}

// TypeOf returns the name of the type of a JSON value in messages.
func TypeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// isUnsafe reports whether a name is special to JavaScript objects. Gemini CLI, which reads
// the same files, skips such entries too.
func isUnsafe(name string) bool {
	return name == "__proto__" || name == "constructor" || name == "prototype"
}

// Printable returns untrusted text in a form that is safe for one line on the terminal: characters
// that are not printable become "?", and a text of more than 100 characters is cut.
func Printable(text string) string {
	const most = 100
	return ellipsis.Runes(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text[:min(len(text), 4*most)]), most)
}
