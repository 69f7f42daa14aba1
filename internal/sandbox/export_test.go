package sandbox

// PretendVersion has a sandbox that was not used yet work as on a kernel with an older version of Landlock.
func (s *Sandbox) PretendVersion(v int) { s.version = v }
