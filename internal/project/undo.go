package project

import (
	"pollux/internal/config"
	"pollux/internal/undo/store"
)

// UndoStore returns the log of what calls have changed in the project.
func (p *Project) UndoStore() (*store.Store, error) {
	dir, err := p.Paths.UndoLog()
	if err != nil {
		return nil, err
	}
	return store.Open(dir, int64(config.UndoMegabytes.In(p.Settings())*(1<<20))), nil
}
