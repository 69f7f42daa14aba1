// Package permissions describes the trust in the folder of a session, and the approvals in the session, as items of an inventory.
package permissions

import (
	"fmt"
	"path/filepath"

	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/terminal"
)

// Folder is the folder of a session with the decision about its trust.
type Folder struct {
	Dir   string
	State trust.State
	// Options are the inputs of the decision. From is the folder whose Level decides, "" for none; see [trust.Source].
	Options trust.Options
	From    string
	Level   trust.Level
	// IsTrusted is the state in the session, which may differ from State until Pollux starts again.
	IsTrusted bool
}

// List returns the folder and the approvals. mode is the name of the approval mode, and display returns a path as people read it.
func List(f Folder, mode string, grants []policy.Grant, display func(path string) string) inventory.Listing {
	l := inventory.Listing{Items: []inventory.Item{f.item(display)}, Note: "Approval mode: " + mode + ". "}
	if len(grants) == 0 {
		l.Note += "No approvals in this session, except for single tool calls."
	}
	for _, g := range grants {
		it := inventory.Item{
			Name: fmt.Sprintf("%d. %s", g.ID, terminal.Line(g.Text)), State: "approved for this session",
			Actions: []inventory.Action{{Label: "Revoke", Command: fmt.Sprintf("/permissions revoke %d", g.ID)}},
		}
		if g.File != "" {
			it.State = "approved, also in future sessions"
			it.About = append(it.About, "Saved in "+display(g.File))
		}
		l.Items = append(l.Items, it)
	}
	return l
}

// item returns the folder as an item.
func (f *Folder) item(display func(path string) string) inventory.Item {
	it := inventory.Item{Name: display(f.Dir), State: "not trusted", About: []string{f.reason(display)}}
	switch f.State {
	case trust.Trusted:
		it.State = "trusted"
	case trust.Unknown:
		it.State = "not trusted, because you have not decided yet"
	}
	if f.IsTrusted != (f.State == trust.Trusted) {
		it.About = append(it.About, "This session keeps its state until you change the trust here, or restart Pollux.")
	}
	change := inventory.Action{Label: "Change the trust in this folder or its parent folder", Command: "/permissions trust", Leaves: true}
	if !f.Options.Enabled {
		change.WhyNot = "security.folderTrust.enabled is false"
	}
	it.Actions = []inventory.Action{change}
	return it
}

// reason explains the state of the folder.
func (f *Folder) reason(display func(path string) string) string {
	o := &f.Options
	switch {
	case o.Restricted == "true":
		return "Not trusted because of GEMINI_RESTRICTED_MODE."
	case o.Workspace != "":
		return "Decided by --skip-trust or GEMINI_CLI_TRUST_WORKSPACE for this run."
	case !o.Enabled:
		return "Every folder is trusted, because security.folderTrust.enabled is false."
	case f.From == "":
		return "Pollux asks when it starts here, or when you change the trust."
	}
	switch parent := filepath.Dir(f.From); {
	case f.Level == trust.TrustParent:
		return "You trust every folder in " + display(parent) + "."
	case f.Level == trust.DoNotTrust && f.From != f.Dir:
		return "Inherited: you do not trust " + display(f.From) + "."
	case f.Level == trust.DoNotTrust:
		return "You do not trust this folder."
	case f.From != f.Dir:
		return "Inherited: you trust " + display(f.From) + " and every folder in it."
	}
	return "You trust this folder and every folder in it."
}
