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

// calls holds the last tool calls, as many as a loop can have. The same calls in one response count once: the model has
// seen no result in between.
type calls struct {
	list     []pastCall
	response map[[sha256.Size]byte][]string // the calls of the response so far, with what add has returned
}

type pastCall struct {
	key      [sha256.Size]byte
	id, name string
}

// add adds a call. If the last calls are a loop, it returns the names of one cycle, otherwise
// nil.
func (c *calls) add(call *agent.ToolCall, o *Options) []string {
	key := hashCall(call)
	if cycle, ok := c.response[key]; ok {
		return cycle
	}
	if most := o.MaxCycle * o.Repeats; len(c.list) >= most {
		c.list = slices.Delete(c.list, 0, len(c.list)-most+1)
	}
	c.list = append(c.list, pastCall{key, call.ID, call.Name})
	if c.response == nil {
		c.response = map[[sha256.Size]byte][]string{}
	}
	c.response[key] = c.cycle(o)
	return c.response[key]
}

// cycle returns the names of one cycle if the last calls are a loop, otherwise nil.
func (c *calls) cycle(o *Options) []string {
	for k := 1; k <= o.MaxCycle; k++ {
		if c.repeats(k, o.Repeats) {
			names := make([]string, 0, k)
			for _, past := range c.list[len(c.list)-k:] {
				names = append(names, past.name)
			}
			return names
		}
	}
	return nil
}

// endResponse is called after the last call of a response.
func (c *calls) endResponse() { clear(c.response) }

// forget removes a call.
func (c *calls) forget(call *agent.ToolCall) {
	c.list = slices.DeleteFunc(c.list, func(past pastCall) bool { return past.id == call.ID })
}

// repeats reports whether the calls end with the given number of repetitions of the same k
// calls.
func (c *calls) repeats(k, repeats int) bool {
	n := len(c.list)
	if n < k*repeats {
		return false
	}
	for i := n - k*(repeats-1); i < n; i++ {
		if c.list[i].key != c.list[i-k].key {
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
