package loopdetect

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
)

// calls holds the last tool calls, as many as a loop can have.
type calls struct {
	keys  [][sha256.Size]byte
	names []string
}

// add adds a call. If the last calls are a loop, it returns the names of one cycle, otherwise
// nil.
func (c *calls) add(call *agent.ToolCall, o *Options) []string {
	if most := o.MaxCycle * o.Repeats; len(c.keys) >= most {
		c.keys = slices.Delete(c.keys, 0, len(c.keys)-most+1)
		c.names = slices.Delete(c.names, 0, len(c.names)-most+1)
	}
	c.keys = append(c.keys, hashCall(call))
	c.names = append(c.names, call.Name)
	for k := 1; k <= o.MaxCycle; k++ {
		if c.repeats(k, o.Repeats) {
			return c.names[len(c.names)-k:]
		}
	}
	return nil
}

// forget removes the last call that is the same as this one.
func (c *calls) forget(call *agent.ToolCall) {
	key := hashCall(call)
	for i, k := range slices.Backward(c.keys) {
		if k == key {
			c.keys, c.names = slices.Delete(c.keys, i, i+1), slices.Delete(c.names, i, i+1)
			return
		}
	}
}

// repeats reports whether the calls end with the given number of repetitions of the same k
// calls.
func (c *calls) repeats(k, repeats int) bool {
	n := len(c.keys)
	if n < k*repeats {
		return false
	}
	for i := n - k*(repeats-1); i < n; i++ {
		if c.keys[i] != c.keys[i-k] {
			return false
		}
	}
	return true
}

// hashCall returns the same hash for calls of the same tool with the same arguments. White
// space, escapes and the order of members do not count.
func hashCall(call *agent.ToolCall) [sha256.Size]byte {
	args := canonical(call.Args)
	text := make([]byte, 0, len(call.Name)+1+len(args))
	text = append(append(text, call.Name...), ':')
	return sha256.Sum256(append(text, args...))
}

// maxArgs is the size in bytes up to which arguments are parsed.
const maxArgs = 1 << 20

// canonical returns a JSON value in a canonical form. It returns args unchanged if they are
// too long or not JSON.
func canonical(args json.RawMessage) []byte {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		return []byte("{}")
	}
	if len(args) > maxArgs {
		return args
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber() // numbers that differ in the last digit are different
	var v any
	if d.Decode(&v) != nil || d.InputOffset() != int64(len(args)) {
		return args
	}
	b, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return b
}

func describe(cycle []string, times int) string {
	names := make([]string, len(cycle))
	for i, name := range cycle {
		names[i] = quote(name)
	}
	if len(names) == 1 {
		return fmt.Sprintf("the tool %s was called %d times in a row with the same arguments", names[0], times)
	}
	return fmt.Sprintf("the calls %s, with the same arguments each time, came %d times in a row in this order", strings.Join(names, ", "), times)
}
