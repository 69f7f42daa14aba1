package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// checkKeys refuses arguments whose names differ from a parameter's only in
// case. Decoders disagree about them: a tool would take "COMMAND" for its
// command where policy, which compares exactly, saw another one.
func checkKeys(schema, args json.RawMessage) error {
	names := parameters(string(schema))
	if len(names) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil // tool.Build says what is wrong
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		if name, ok := key.(string); ok {
			for _, n := range names {
				if n != name && strings.EqualFold(n, name) {
					return fmt.Errorf("params has property %q, which must be written %q", name, n)
				}
			}
		}
		var value skipped
		if dec.Decode(&value) != nil {
			return nil
		}
	}
	return nil
}

// skipped takes any JSON value and keeps nothing of it.
type skipped struct{}

func (*skipped) UnmarshalJSON([]byte) error { return nil }

// parameterNames keeps the names of a schema's parameters by its source.
var parameterNames sync.Map // string -> []string

func parameters(schema string) []string {
	if names, ok := parameterNames.Load(schema); ok {
		return names.([]string)
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal([]byte(schema), &s) // a schema that is no JSON declares nothing
	names := make([]string, 0, len(s.Properties))
	for n := range s.Properties {
		names = append(names, n)
	}
	kept, _ := parameterNames.LoadOrStore(schema, names)
	return kept.([]string)
}
