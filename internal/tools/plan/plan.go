// Package plan holds the tools with which a model goes into plan mode, where
// nothing can change but a plan, and asks to leave it (spec/tools.md §3.15).
package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"

	"pollux/internal/workspace"
	"pollux/tool"
)

// Options are what the tools work with.
type Options struct {
	Workspace *workspace.Workspace
	// Dir returns the directory of the plans, absolute (see [Directory]).
	Dir func() string
	// Interactive says that a person is there to approve a plan.
	Interactive bool
	// Mode returns the session's approval mode, SetMode switches it: "plan",
	// "default", "autoEdit" or "yolo". SetMode may refuse.
	Mode    func() string
	SetMode func(mode string) error
	// Approved, where set, is told the file of a plan that may be carried out.
	Approved func(path string)
}

// Tools returns enter_plan_mode and exit_plan_mode of one session.
func Tools(o Options) (enter, exit tool.Tool) {
	s := &session{Options: o}
	return enterPlanMode{s}, exitPlanMode{s}
}

// Directory returns where a session's plans go: setting (general.plan.directory),
// which must stay inside the project whatever links it leads through, or a
// directory of the session in the project's temporary one.
func Directory(w *workspace.Workspace, setting, sessionID string) (string, error) {
	if setting == "" {
		return filepath.Join(w.ProjectTemp(), sessionID, "plans"), nil
	}
	dir := setting
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Root(), dir)
	}
	dir = w.Resolve(dir)
	if !below(dir, w.Root()) {
		return "", fmt.Errorf("general.plan.directory: %q leads to %s, which is outside the project %s", setting, dir, w.Root())
	}
	if err := w.CheckWrite(dir); err != nil {
		return "", fmt.Errorf("general.plan.directory: %w", err)
	}
	return dir, nil
}

// session is what the two tools share.
type session struct {
	Options

	// before is the mode in which the model went into plan mode, nil if that was
	// someone else.
	before atomic.Pointer[string]
}

// file returns the path, links followed, of the plan that a model calls name:
// absolute, or relative to the project or to the plans.
func (s *session) file(name string) (string, error) {
	plans := s.Dir()
	dir := s.Workspace.Resolve(plans)
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = append(candidates, filepath.Join(plans, name))
	}
	for _, candidate := range candidates {
		if path := s.Workspace.Resolve(candidate); path != dir && below(path, dir) {
			return path, s.Workspace.CheckRead(path)
		}
	}
	//lint:ignore ST1005 models know the text
	return "", fmt.Errorf("Access denied: plan path (%s) must be within the designated plans directory (%s).", name, plans)
}

// maxPlan is how long a plan may be, in bytes: a person is to read it.
const maxPlan = 1 << 20

// read returns a plan, or says to the model why there is none to approve.
func (s *session) read(path string) (plan, problem string) {
	f, err := s.Workspace.Disk().Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Sprintf("Plan file does not exist: %s. You must create the plan file before requesting approval.", path)
	}
	if err != nil {
		return "", fmt.Sprintf("Failed to read plan file: %v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlan+1))
	switch {
	case err != nil:
		return "", fmt.Sprintf("Failed to read plan file: %v", err)
	case len(data) > maxPlan:
		return "", fmt.Sprintf("Plan file is too long: %s. Nobody can approve what they cannot read; keep it below 1 MB.", path)
	case len(bytes.TrimSpace(data)) == 0:
		return "", fmt.Sprintf("Plan file is empty: %s. You must write the plan into it before requesting approval.", path)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), ""
}

// below reports whether path is dir or in it. Both are clean.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
