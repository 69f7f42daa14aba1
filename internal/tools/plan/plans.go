package plan

import (
	"path/filepath"
	"sync/atomic"

	"pollux/internal/workspace"
)

// Plans is where the plans of a session are, and which one was approved last. Its
// methods may be called from several goroutines at once.
type Plans struct {
	setting string // "" also where the setting is no directory that may be used
	dir     atomic.Pointer[string]
	plan    atomic.Pointer[string]
}

// Open settles where the plans of a session go: in the directory of a setting, or where Pollux keeps them. The error says
// why the directory cannot be used; then they go to the other place.
func Open(ws *workspace.Workspace, setting, sessionID string) (*Plans, error) {
	l := &Plans{setting: setting}
	err := l.Begin(ws, sessionID)
	if err != nil {
		l.setting = ""
	}
	return l, err
}

// Begin makes the plans those of this session.
func (l *Plans) Begin(ws *workspace.Workspace, sessionID string) error {
	dir, err := Directory(ws, l.setting, sessionID)
	if err != nil {
		dir = filepath.Join(ws.ProjectTemp(), sessionID, "plans")
	}
	l.dir.Store(&dir)
	return err
}

// Dir returns where the plans are.
func (l *Plans) Dir() string { return *l.dir.Load() }

// Approved returns the path of the plan that is carried out, "" if there is none.
func (l *Plans) Approved() string {
	if path := l.plan.Load(); path != nil {
		return *path
	}
	return ""
}

// Approve sets the plan that is carried out from now on; "" for none.
func (l *Plans) Approve(path string) {
	if path == "" {
		l.plan.Store(nil)
		return
	}
	l.plan.Store(&path)
}

// HasOwnDir reports whether the setting names the directory.
func (l *Plans) HasOwnDir() bool { return l.setting != "" }
