package mcp

// recheck connects to an idle service in the background, to see whether it still offers the same. A service that
// cannot be reached stays idle.
func (s *server) recheck() {
	s.mu.Lock()
	s.isCheck = true
	s.mu.Unlock()
	s.start()
}

// endCheck makes a service idle again that a check could not reach because of err. It reports whether it was
// a check.
func (s *server) endCheck(err error) bool {
	s.mu.Lock()
	isCheck := s.isCheck
	if isCheck {
		close(s.ready)
		s.isCheck, s.end, s.ready, s.state, s.err = false, nil, make(chan struct{}), Idle, err
	}
	s.mu.Unlock()
	if isCheck {
		s.all.changed()
	}
	return isCheck
}

// isAwaited reports whether the start of a session waits for the server.
func (s *server) isAwaited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.isCheck
}
