package todo

import (
	"encoding/json"
	"slices"
	"strings"

	"pollux/llm"
)

// The results of the tool: a list follows the first.
const (
	updated = "Successfully updated the todo list. The current list is now:\n"
	cleared = "Successfully cleared the todo list."
)

// Newest returns the todo list that the last result of the tool in contents has, one item on a line. found is false if there is no
// result, and a list that was cleared is "".
func Newest(contents []*llm.Content) (list string, found bool) {
	for _, c := range slices.Backward(contents) {
		for _, p := range slices.Backward(c.Parts) {
			r := p.FunctionResponse
			if r == nil || r.Name != spec.Name {
				continue
			}
			var result struct{ Output string }
			if json.Unmarshal(r.Response, &result) != nil {
				continue
			}
			if list, found = strings.CutPrefix(result.Output, updated); found || result.Output == cleared {
				return strings.TrimPrefix(list, cleared), true
			}
		}
	}
	return "", false
}
