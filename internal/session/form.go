package session

// treeItems returns the number of files and folders in a tree for the current model.
func (s *Session) treeItems() int {
	if model := s.Current().Model; s.builder.IsCompact(model, s.Window(model)) {
		return 40
	}
	return 200
}
