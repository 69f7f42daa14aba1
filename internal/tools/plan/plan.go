// Package plan has the tools with which a model enters plan mode, where it can change nothing
// but a plan, and asks to leave it.
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

// Options configure the tools.
type Options struct {
	Workspace *workspace.Workspace
	// Dir returns the absolute path of the plans directory (see [Directory]).
	Dir func() string
	// Interactive reports whether a user can approve a plan.
	Interactive bool
	// Then is the mode in which a session that began in plan mode carries out its plan if no user
	// can approve it: "autoEdit" or "yolo". If it is "", the plan is the answer to the prompt.
	Then string
	// Mode returns the session's approval mode: "plan", "default", "autoEdit" or "yolo".
	// SetMode changes it, or returns an error if that is not permitted.
	Mode    func() string
	SetMode func(mode string) error
	// Approved, if set, is called with the path of each approved plan.
	Approved func(path string)
}

// Tools returns the tools enter_plan_mode and exit_plan_mode for one session.
func Tools(o Options) (enter, exit tool.Tool) {
	s := &session{Options: o}
	return enterPlanMode{s}, exitPlanMode{s}
}

// Directory returns the directory for a session's plans. It is either setting
// (general.plan.directory), which must be inside the project after links are followed, or a
// directory of the session in the project's temporary directory.
func Directory(w *workspace.Workspace, setting, sessionID string) (string, error) {
	if setting == "" {
		return filepath.Join(w.ProjectTemp(), sessionID, "plans"), nil
	}
	dir := setting
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Root(), dir)
	}
	dir = w.Resolve(dir)
	if !workspace.IsWithin(dir, w.Root()) {
		return "", fmt.Errorf("general.plan.directory: %q leads to %s, which is outside the project %s", setting, dir, w.Root())
	}
	if err := w.CheckWrite(dir); err != nil {
		return "", fmt.Errorf("general.plan.directory: %w", err)
	}
	return dir, nil
}

// session is shared by the two tools.
type session struct {
	Options

	// before is the mode in which the model entered plan mode, nil if the model did not enter
	// it.
	before atomic.Pointer[string]
}

// file returns the path, without links, of the plan that a model calls name: absolute, or
// relative to the project or the plans directory.
func (s *session) file(name string) (string, error) {
	plans := s.Dir()
	dir := s.Workspace.Resolve(plans)
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = append(candidates, filepath.Join(plans, name))
	}
	for _, candidate := range candidates {
		if path := s.Workspace.Resolve(candidate); path != dir && workspace.IsWithin(path, dir) {
			return path, s.Workspace.CheckRead(path)
		}
	}
	//lint:ignore ST1005 models know the text
	return "", fmt.Errorf("Access denied: plan path (%s) must be within the designated plans directory (%s).", name, plans)
}

// maxPlan is the maximum length of a plan in bytes: the user has to read it.
const maxPlan = 1 << 20

// read returns a plan, or a message for the model about why there is none.
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
		return "", fmt.Sprintf("Plan file is too long: %s. The user cannot read it; keep it below 1 MB.", path)
	case len(bytes.TrimSpace(data)) == 0:
		return "", fmt.Sprintf("Plan file is empty: %s. You must write the plan into it before requesting approval.", path)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), ""
}
