package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// checkKeys refuses arguments whose names differ from a parameter's name only in case. JSON
// decoders disagree about them: a tool would read "COMMAND" as its command, but policy rules
// compare names exactly and would not see it.
func checkKeys(schema, args json.RawMessage) error {
	names := parameterNames(string(schema))
	if len(names) == 0 {
		return nil
	}
	for raw := range topKeys(args) {
		var key string
		if json.Unmarshal(raw, &key) != nil {
			return nil // tool.Build reports the error
		}
		for _, n := range names {
			if n != key && strings.EqualFold(n, key) {
				return fmt.Errorf("params has property %q, which must be written %q", key, n)
			}
		}
	}
	return nil
}

const waitForPrevious = "wait_for_previous"

// dropWait removes the argument wait_for_previous, which the scheduler reads, unless the tool
// itself declares it. Every call may have it, and tools that are strict would refuse it.
func dropWait(schema, args json.RawMessage) json.RawMessage {
	if !bytes.Contains(args, []byte(waitForPrevious)) || slices.Contains(parameterNames(string(schema)), waitForPrevious) {
		return args
	}
	d := json.NewDecoder(bytes.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return args
	}
	kept := []byte{'{'}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return args // tool.Build reports the error
		}
		if key == waitForPrevious {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		name, _ := json.Marshal(key) // a string
		kept = append(append(append(kept, name...), ':'), value...)
	}
	if _, err := d.Token(); err != nil || d.More() {
		return args
	}
	return append(kept, '}')
}

// topKeys yields the keys of a JSON object, as they are written. It does not parse values,
// which may be whole files. For invalid JSON it yields any strings.
func topKeys(object []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		depth := 0
		for i := 0; i < len(object); i++ {
			switch object[i] {
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case '"':
				end := stringEnd(object, i)
				rest := bytes.TrimLeft(object[min(end, len(object)):], " \t\r\n")
				if depth == 1 && len(rest) > 0 && rest[0] == ':' && !yield(object[i:end]) {
					return
				}
				i = end - 1
			}
		}
	}
}

// stringEnd returns the end of the string literal that begins at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; ; j++ {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			return len(b)
		}
		j += n
		escapes := 0
		for b[j-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return j + 1
		}
	}
}

// parameterCache maps the source of a schema to the names of its parameters.
var parameterCache sync.Map // string -> []string

func parameterNames(schema string) []string {
	if names, ok := parameterCache.Load(schema); ok {
		return names.([]string)
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal([]byte(schema), &s) // an invalid schema has no parameters
	names := make([]string, 0, len(s.Properties))
	for n := range s.Properties {
		names = append(names, n)
	}
	kept, _ := parameterCache.LoadOrStore(schema, names)
	return kept.([]string)
}
