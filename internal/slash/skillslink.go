package slash

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/project"
	"pollux/internal/skill/install"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
)

// SkillInstaller returns the installer of skills for a scope, user or workspace. Its Consent and Show are not
// set. It refuses a project whose directory of skills is a link that leads out of the project.
func SkillInstaller(p *project.Project, scopeName string) (*install.Installer, error) {
	scope, err := p.SkillScope(scopeName, "user")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(p.Paths.GeminiDir(), "skills")
	root := ""
	if scope == config.Workspace {
		root = p.Paths.Dir()
		dir = filepath.Join(root, ".gemini", "skills")
		if !workspace.IsWithin(workspace.RealPath(dir), workspace.RealPath(root)) {
			return nil, exit.Errorf(exit.General, "%s is a link that leads out of the project. Remove it, or use --scope user.", p.Paths.Display(dir))
		}
	}
	return &install.Installer{Dir: dir, Root: root, Fetcher: p.Fetcher()}, nil
}

// skillsLink links the skills of a directory, after the user's consent.
func skillsLink(ctx context.Context, s *Runner, args string) (Result, error) {
	path, scope, err := splitScope(args)
	switch {
	case err != nil:
		return Result{}, err
	case path == "":
		return usageError("Usage: /skills link <path> [--scope user|workspace]")
	}
	dir := s.resolvePath(path)
	if len(path) > maxPath || !isDir(dir) {
		return usageError("Cannot link %s: it is not a directory.", terminal.Cut(terminal.Line(path), 100))
	}
	i, err := SkillInstaller(s.Session.Project, scope)
	if err != nil {
		return Result{}, err
	}
	i.Show = func(text string) { s.Session.Project.Warn(terminal.Line(text)) }
	i.Consent = func(ctx context.Context, text string) (bool, error) {
		return s.confirm(ctx, "Link skills", terminal.Text(text)+"\n\nDo you want to continue?")
	}
	done, err := i.Link(ctx, dir)
	if len(done) > 0 {
		if _, _, err := s.Session.ReloadSkills(); err != nil {
			return Result{}, err
		}
	}
	if err != nil {
		return Result{}, exit.Errorf(exit.General, "Failed to link skills: %w", err)
	}
	var lines []string
	for _, k := range done {
		lines = append(lines, fmt.Sprintf("Successfully linked skill: %s (%s)", terminal.Line(k.Name), terminal.Line(k.Path)))
	}
	return Result{Text: strings.Join(lines, "\n")}, nil
}
