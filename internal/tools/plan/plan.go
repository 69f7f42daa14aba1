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
	"slices"
	"strings"
	"sync/atomic"

	"pollux/internal/charset"
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
	// Answered, if set, is called with the path of a plan that is the answer to the prompt.
	Answered func(path string)
	// Written holds the plans as the model has written them; nil holds none.
	Written *Written
}

// Tools returns the tools enter_plan_mode and exit_plan_mode for one session.
func Tools(o Options) (enter, exit tool.Tool) {
	s := &session{Options: o}
	return enterPlanMode{s: s}, exitPlanMode{s: s}
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
		// Models write plans/x.md, although the plans directory may be anywhere.
		if first, rest, found := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/"); found && first == filepath.Base(plans) && !s.exists(filepath.Join(plans, first)) {
			candidates = append(candidates, filepath.Join(plans, rest))
		}
		candidates = append(candidates, filepath.Join(plans, name))
	}
	for _, candidate := range candidates {
		path := s.Workspace.Resolve(candidate)
		if path != dir && workspace.IsWithin(path, dir) {
			return path, s.Workspace.CheckRead(path)
		}
		// A file of the project is not a name for a plan, unless there is one of that name.
		if !filepath.IsAbs(name) && s.exists(path) && !s.exists(filepath.Join(plans, name)) {
			break
		}
	}
	//lint:ignore ST1005 models know the text
	return "", fmt.Errorf("Access denied: plan path (%s) must be within the designated plans directory (%s). In plan mode only plans are written.", name, plans)
}

func (s *session) exists(path string) bool {
	_, err := s.Workspace.Disk().Stat(path)
	return err == nil
}

// others names the plans that there are, for the model; "" without one.
func (s *session) others() string {
	const most = 10
	entries, _ := s.Workspace.Disk().ReadDir(s.Dir()) // those before an error
	var names []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".md" {
			names = append(names, e.Name())
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return " There is " + strings.Join(names[:min(len(names), most)], ", ") + "."
}

// maxPlan is the maximum length of a plan in bytes: the user has to read it.
const maxPlan = 1 << 20

// read returns a plan, or a message for the model about why there is none.
func (s *session) read(path string) (plan, problem string) {
	f, err := s.Workspace.Disk().Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Sprintf("Plan file does not exist: %s. You must create the plan file before requesting approval.%s", path, s.others())
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
	return charset.Text(data), ""
}
