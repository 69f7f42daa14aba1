package tool

import (
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The schemas of tools may come from anyone. One whose parts refer to each other can keep the validator busy
// without an end, or until the stack overflows, which no program survives.
const (
	maxSource  = 1 << 20 // bytes of a schema
	maxNesting = 200     // objects and arrays of a schema that are in each other
	maxApplied = 1_000   // schemas that apply to one value
	maxEffort  = 100_000 // schemas that apply to all values of the arguments
	maxStack   = 20_000  // schemas that are being applied at one time
)

// isBearable reports whether value can be checked with a schema of which n parts apply to one value.
func isBearable(n int, value any) bool {
	depth := depthOf(value)
	return n*depth <= maxStack && math.Pow(float64(n), float64(depth)) <= maxEffort
}

// depthOf returns how deep objects and arrays are in each other; it is 1 for all other values.
func depthOf(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			deepest = max(deepest, depthOf(member))
		}
	case []any:
		for _, item := range v {
			deepest = max(deepest, depthOf(item))
		}
	}
	return deepest + 1
}

// isPlain reports whether the text of a schema can be parsed without much effort.
func isPlain(source string) bool {
	var root any
	return len(source) <= maxSource && json.Unmarshal([]byte(source), &root) == nil && depthOf(root) <= maxNesting
}

// countApplied returns how many parts of a schema apply to one value at most. A part that applies in two ways
// counts twice. ok is false if there are too many, or if references lead where countApplied does not look.
func countApplied(s *jsonschema.Schema) (n int, ok bool) {
	text, err := json.Marshal(s) // with the names that the validator has understood
	if err != nil {
		return 0, false
	}
	var root any
	if json.Unmarshal(text, &root) != nil {
		return 0, false
	}
	c := &counter{parts: map[string]map[string]any{}, counts: map[string]int{}}
	if !c.collect("", root) {
		return 0, false
	}
	n = 1
	for at := range c.parts {
		more := c.count(at)
		if more > maxApplied {
			return 0, false
		}
		n = max(n, more)
	}
	return n, true
}

// counter counts the parts of a schema that apply to one value.
type counter struct {
	parts  map[string]map[string]any // objects by their JSON pointer
	counts map[string]int            // by the pointer; more than maxApplied while it is being counted
}

// collect notes all objects below a value. It returns false if references may differ from pointers.
func (c *counter) collect(at string, value any) bool {
	switch v := value.(type) {
	case map[string]any:
		c.parts[at] = v
		for name, member := range v {
			text, isText := member.(string)
			switch {
			case isText && name == "$ref" && text != "#" && !strings.HasPrefix(text, "#/"),
				isText && name == "$id" && at != "",
				isText && name == "$dynamicRef",
				!c.collect(at+"/"+escapePointer(name), member):
				return false
			}
		}
	case []any:
		for i, item := range v {
			if !c.collect(at+"/"+strconv.Itoa(i), item) {
				return false
			}
		}
	}
	return true
}

// count returns how many parts apply where the one at a pointer does, itself included.
func (c *counter) count(at string) int {
	if n, known := c.counts[at]; known {
		return n
	}
	part, found := c.parts[at]
	if !found {
		return 1 // true or false; a reference to nothing does not compile
	}
	c.counts[at] = maxApplied + 1
	n := 1
	add := func(next string) { n = min(n+c.count(next), maxApplied+1) }
	for name, member := range part {
		next := at + "/" + escapePointer(name)
		switch name {
		case "$ref":
			if ref, isText := member.(string); isText {
				target, _ := url.PathUnescape(ref[1:]) // the validator refuses an invalid escape
				add(target)
			}
		case "not", "if", "then", "else":
			add(next)
		case "allOf", "anyOf", "oneOf":
			items, _ := member.([]any)
			for i := range items {
				add(next + "/" + strconv.Itoa(i))
			}
		case "dependentSchemas", "dependencies":
			members, _ := member.(map[string]any)
			for name := range members {
				add(next + "/" + escapePointer(name))
			}
		}
	}
	c.counts[at] = n
	return n
}
