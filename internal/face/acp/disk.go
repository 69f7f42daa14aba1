package acp

import "pollux/internal/workspace"

// disk returns the files that the editor serves.
func (c *chat) disk() workspace.Disk { return workspace.Disk{} }
