package tui

import (
	"context"
	"errors"
	"time"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/agents"
	"pollux/internal/face/tui/pane/editors"
	"pollux/internal/face/tui/pane/extensions"
	"pollux/internal/face/tui/pane/hooks"
	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/face/tui/pane/memory"
	"pollux/internal/face/tui/pane/permissions"
	"pollux/internal/face/tui/pane/restore"
	"pollux/internal/face/tui/pane/servers"
	"pollux/internal/face/tui/pane/skills"
	"pollux/internal/face/tui/pane/undo"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	manageundo "pollux/internal/manage/undo"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// inventoryOpener returns the function that makes the pane for a / command that lists things of one kind, nil if the
// command has none. The function returns nil if the command itself explains why there is nothing to list.
func inventoryOpener(name string) func(l *loop) pane.Pane {
	switch name {
	case "agents":
		return openAgents
	case "editor":
		return openEditors
	case "extensions":
		return openExtensions
	case "hooks":
		return openHooks
	case "mcp":
		return openServers
	case "memory":
		return openMemory
	case "permissions":
		return openPermissions
	case "restore":
		return openRestore
	case "skills":
		return openSkills
	case "undo":
		return openUndo
	}
	return nil
}

func (l *loop) openInventory(title, nothing string, list func() inventory.Listing) pane.Pane {
	return inventory.New(inventory.Options{Title: title, Nothing: nothing, List: list, Bindings: l.view.bindings, Background: l.inBackground})
}

// untrusted returns the note of a pane about things that Pollux leaves out of a folder that is not trusted.
func (l *loop) untrusted(ignored string) string {
	if l.view.project().IsTrusted() {
		return ""
	}
	return "This folder is not trusted: Pollux ignores its " + ignored + ". See /permissions trust."
}

func openServers(l *loop) pane.Pane {
	s, note := l.view.session, l.untrusted("MCP servers")
	return l.openInventory("MCP servers", "No MCP servers configured. To add one, see /docs mcp.", func() inventory.Listing {
		list := servers.List(s.ServerStatus())
		list.Note = note
		return list
	})
}

func openExtensions(l *loop) pane.Pane {
	p, ctx := l.view.project(), l.ctx
	return l.openInventory("Extensions", "No extensions installed. To find some, type /extensions explore.", func() inventory.Listing {
		m := p.ExtensionManager(nil, func(string) {})
		m.Options.NoSettings = true // their values stay in the keychain
		var problem string
		m.Options.Warn = func(text string) { problem = terminal.Line(text) }
		installed, err := m.List(ctx)
		if err != nil {
			return inventory.Listing{Problem: "Cannot read the extensions: " + terminal.Line(err.Error())}
		}
		used := map[string]bool{}
		for _, e := range p.Extensions() {
			used[e.Name] = true
		}
		list := extensions.List(installed, func(name string) bool { return used[name] }, p.Paths.Display, p.ProjectSettings() != "")
		list.Problem = problem
		return list
	})
}

func openHooks(l *loop) pane.Pane {
	s, note := l.view.session, l.untrusted("hooks")
	if !l.view.project().AreHooksEnabled() {
		return nil
	}
	return l.openInventory("Hooks", "No hooks configured. To add one, see /docs hooks.", func() inventory.Listing {
		var all []hook.Hook
		if set := s.Hooks.Set(); set != nil {
			all = set.Hooks()
		}
		list := hooks.List(all, s.Hooks.Last)
		list.Note = note
		return list
	})
}

func openAgents(l *loop) pane.Pane {
	s, note := l.view.session, l.untrusted("agents")
	if !config.Agents.In(l.view.settings()) {
		return nil
	}
	return l.openInventory("Agents", "No agents found. To write one, see /docs subagents.", func() inventory.Listing {
		s.Agents.Check(l.ctx)
		list := agents.List(s.Agents.Set(), s.Agents.About, s.Project.DisplayFile)
		list.Note = note
		return list
	})
}

func openSkills(l *loop) pane.Pane {
	s, note := l.view.session, l.untrusted("skills")
	return l.openInventory("Skills", "No skills found. To learn about skills, see /docs skills.", func() inventory.Listing {
		set := s.Skills.Set()
		list := skills.List(set.All(), s.Project.DisplayFile, s.Project.ProjectSettings() != "")
		if len(set.Problems) > 0 {
			list.Problem = set.Problems[0]
		}
		list.Note = note
		return list
	})
}

func openMemory(l *loop) pane.Pane {
	s := l.view.session
	return l.openInventory("Context files", "No context files in use. To write one for this project, type /init.", func() inventory.Listing {
		return memory.List(s.Memory.Files(), s.Project.Paths.Display)
	})
}

func openPermissions(l *loop) pane.Pane {
	s := l.view.session
	return l.openInventory("Permissions", "", func() inventory.Listing {
		p := s.Project
		f := permissions.Folder{Dir: p.Paths.Dir(), Options: p.TrustOptions(), IsTrusted: p.IsTrusted()}
		var err error
		if f.State, err = p.DecideTrust(); err == nil {
			f.From, f.Level, err = trust.Source(f.Options)
		}
		list := permissions.List(f, s.Rulebook.Mode().Name(), s.Rulebook.Grants(), p.Paths.Display)
		if err != nil {
			list.Problem = "Cannot read the trusted folders: " + terminal.Line(err.Error())
		}
		return list
	})
}

func openEditors(l *loop) pane.Pane {
	p := l.view.project()
	return editors.New(editors.Options{
		IDs: editor.IDs(), Used: config.PreferredEditor.In(p.Settings()), Scopes: l.scopes(), Bindings: l.view.bindings,
		Current: func(s config.Scope) (string, bool) {
			name := config.PreferredEditor.In(p.Settings().ForScope(s))
			return name, name != ""
		},
		Check: func(id string) error {
			err := editor.New(editor.Options{Preferred: id, Launcher: p.Launcher, Environ: p.Options.Env.List()}).Check()
			if errors.Is(err, editor.ErrNoEditor) {
				return nil
			}
			return err
		},
	})
}

func openRestore(l *loop) pane.Pane {
	c, files := l.view.session.Changes, l.view.session.Checkpoints
	return restore.New(l.ctx, restore.Options{
		List: func() (list []record.Checkpoint) {
			names, _ := files.List() // the command itself says why they cannot be read
			for _, name := range names {
				list = append(list, record.InFile(name))
			}
			return append(list, c.Checkpoints()...)
		},
		Plan: func(ctx context.Context, p record.Checkpoint) (undos []record.FileUndo, isPartial bool) {
			if !p.IsInFile() {
				return c.PlanRestore(ctx, p)
			}
			changes, err := files.ChangesOf(ctx, p.Name)
			if err != nil {
				return []record.FileUndo{{Path: p.Name, Problem: wording.Reason(err)}}, false
			}
			for _, f := range changes {
				undos = append(undos, record.FileUndo{Path: f.Path, Removes: f.Removes})
			}
			return undos, false
		},
		Undone: c.Undone, ShortPath: l.view.live.ShortPath,
		Bindings: l.view.bindings, Now: time.Now, Background: l.inBackground,
	})
}

func openUndo(l *loop) pane.Pane {
	const most = 1000
	s := l.view.session
	return undo.New(l.ctx, undo.Options{
		List: func() ([]manageundo.Change, error) { return manageundo.Changes(l.ctx, s.Project, s.ID(), most) },
		Look: func(ctx context.Context, c manageundo.Change) (*manageundo.Preview, error) {
			return manageundo.Look(ctx, s.Project, c)
		},
		Bindings: l.view.bindings, Now: time.Now, Background: l.inBackground,
	})
}
