package guard

import (
	"bytes"
	"encoding/json"
)

const waitForPrevious = "wait_for_previous"

// dropWait removes the argument wait_for_previous, which the scheduler reads, unless the tool
// itself declares it. Every call may have it, and tools that are strict would refuse it.
func dropWait(schema, args json.RawMessage) json.RawMessage {
	if !bytes.Contains(args, []byte(waitForPrevious)) || declaresWait(schema) {
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

func declaresWait(schema json.RawMessage) bool {
	if !bytes.Contains(schema, []byte(waitForPrevious)) {
		return false
	}
	var s struct {
		Properties map[string]json.RawMessage
	}
	return json.Unmarshal(schema, &s) == nil && s.Properties[waitForPrevious] != nil
}
