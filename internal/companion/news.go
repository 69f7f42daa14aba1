package companion

import (
	"encoding/json"
	"slices"

	"pollux/internal/ide"
)

// maxFiles is the number of open files that are kept.
const maxFiles = 1000

// hear takes a notification of the editor, and reports whether the open files are known by now.
func (c *Companion) hear(method string, params []byte) (isKnown bool) {
	switch method {
	case "ide/contextUpdate":
		return c.hearState(params)
	case "ide/diffAccepted", "ide/diffRejected", "ide/diffClosed":
		var said struct {
			Path    string  `json:"filePath"`
			Content *string `json:"content"`
		}
		if json.Unmarshal(params, &said) == nil {
			c.hearChoice(said.Path, method == "ide/diffAccepted", said.Content)
		}
	}
	return false
}

// hearState takes the list of open files, and reports whether they are known by now.
func (c *Companion) hearState(params []byte) bool {
	var said struct {
		State *struct {
			ide.State
			IsTrusted *bool `json:"isTrusted"`
		} `json:"workspaceState"`
	}
	if json.Unmarshal(params, &said) != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == Off {
		return false
	}
	c.state, c.isTold = ide.State{}, true
	if said.State == nil {
		c.changed()
		return c.knows()
	}
	c.state = said.State.State
	c.state.Files = slices.Clone(c.state.Files[:min(len(c.state.Files), maxFiles)])
	isDistrusted := said.State.IsTrusted != nil && !*said.State.IsTrusted
	c.hasDistrust = c.hasDistrust || isDistrusted && !c.isDistrusted
	c.isDistrusted = isDistrusted
	c.changed()
	return c.knows()
}
