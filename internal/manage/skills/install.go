package skills

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension/fetch"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/skill/install"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
)

// newInstaller returns the installer of skills for a scope, user or workspace. It refuses a project whose
// directory of skills is a link that leads out of the project.
func newInstaller(c *manage.Call, p *project.Project, scopeName string) (*install.Installer, error) {
	scope, err := parseScope(p, scopeName, "user")
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
	return &install.Installer{Temp: p.Paths.Staging(), Dir: dir, Root: root, All: c.Is("all"), IsAgreed: c.Is("consent"), Fetcher: p.Fetcher(), Show: c.Note, Consent: func(ctx context.Context, text string) (bool, error) {
		switch {
		case c.Live != nil:
			return person.Consent(ctx, p.Options.Asker, "Link skills", terminal.Text(text)+"\n\nDo you want to continue?")
		case c.Is("consent"):
			c.Whole("You have consented to the following:\n" + text)
			return true, nil
		}
		return c.User.Confirm(ctx, text, "Do you want to continue? [Y/n]: ", true)
	}}, nil
}

type installer struct {
	*install.Installer
	project *project.Project
}

// open returns the installer for the scope of a flag.
func open(ctx context.Context, c *manage.Call) (installer, error) {
	p, err := c.Open(ctx)
	if err != nil {
		return installer{}, err
	}
	i, err := newInstaller(c, p, c.Value("scope"))
	return installer{i, p}, err
}

// absolute returns the absolute path of a file or directory that a shell has expanded.
func (i installer) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(i.project.Paths.Dir(), path)
}

func add(ctx context.Context, c *manage.Call, i installer) (outcome.Outcome, error) {
	source := c.Name()
	if !fetch.IsRemote(source) {
		source = i.absolute(source)
	}
	done, err := i.Install(ctx, source, c.Value("path"))
	return report(c, i, done, "installed", err)
}

func link(ctx context.Context, c *manage.Call, i installer) (outcome.Outcome, error) {
	done, err := i.Link(ctx, i.absolute(c.Name()))
	return report(c, i, done, "linked", err)
}

// report returns a line for each skill, and err with an exit code. A new skill is enabled, although one of that name
// was disabled before.
func report(c *manage.Call, i installer, done []install.Skill, verb string, err error) (o outcome.Outcome, _ error) {
	for _, k := range done {
		if k.IsNew {
			if failure := enableNew(i.project, k.Name); failure != nil {
				c.Note("Warning: " + failure.Error())
			}
		}
		o.Parts = append(o.Parts, outcome.Text(fmt.Sprintf("Successfully %s skill: %s (scope: %s, location: %s)", verb, k.Name, c.Value("scope"), k.Path)))
	}
	if err == nil || exit.CodeOf(err) != exit.General {
		return o, err
	}
	return o, exit.Errorf(exit.General, "%w", err)
}

func enableNew(p *project.Project, name string) error {
	_, err := change(p, name, true, config.User)
	return err
}

func linkLive(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	p := c.Live.Project
	path, scope, err := splitScope(c.Text)
	switch {
	case err != nil:
		return o, err
	case path == "":
		return o, manage.Usage("/skills link <path> [--scope user|workspace]")
	}
	dir := manage.Path(p.Paths, path)
	if info, err := os.Stat(dir); len(path) > manage.MaxPath || err != nil || !info.IsDir() {
		return o, exit.Errorf(exit.Input, "Cannot link %s: it is not a directory.", terminal.Cut(terminal.Line(path), 100))
	}
	i, err := newInstaller(c, p, scope)
	if err != nil {
		return o, err
	}
	done, err := i.Link(ctx, dir)
	if len(done) > 0 {
		if _, _, err := c.Live.Skills.Reload(); err != nil {
			return o, err
		}
	}
	if err != nil {
		return o, exit.Errorf(exit.General, "Failed to link skills: %w", err)
	}
	for _, k := range done {
		o.Parts = append(o.Parts, outcome.Text(fmt.Sprintf("Successfully linked skill: %s (%s)", terminal.Line(k.Name), terminal.Line(k.Path))))
	}
	return o, nil
}

func remove(_ context.Context, c *manage.Call, i installer) (outcome.Outcome, error) {
	name, scope := c.Name(), c.Value("scope")
	path, found, err := install.Uninstall(i.Dir, name)
	switch {
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "%w", err)
	case !found:
		return outcome.Outcome{Notes: []string{fmt.Sprintf("Skill %q is not installed in the %s scope.", name, scope)}}, nil
	}
	return outcome.Textf("Successfully uninstalled skill: %s (scope: %s, location: %s)", name, scope, path), nil
}
