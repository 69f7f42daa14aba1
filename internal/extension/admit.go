package extension

// Admit returns why the settings do not allow an extension from a source, nil if they do.
func (o *Options) Admit(install *Install) error {
	l := &loader{Options: *o}
	l.compileSources()
	return l.admits(install)
}
