package permissions

import (
	"strings"
	"testing"

	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
)

func display(path string) string { return strings.Replace(path, "/home/me", "~", 1) }

func TestFolder(t *testing.T) {
	t.Parallel()
	on := trust.Options{Enabled: true}
	const dir, keeps = "/home/me/src/app", "This session keeps its state"
	for _, c := range []struct {
		folder       Folder
		state, about string
	}{
		{Folder{State: trust.Trusted, Options: on, From: dir, Level: trust.TrustFolder, IsTrusted: true}, "trusted", "You trust this folder and every folder in it."},
		{Folder{State: trust.Trusted, Options: on, From: "/home/me/src", Level: trust.TrustFolder, IsTrusted: true}, "trusted", "Inherited: you trust ~/src and every folder in it."},
		{Folder{State: trust.Trusted, Options: on, From: dir, Level: trust.TrustParent, IsTrusted: true}, "trusted", "You trust every folder in ~/src."},
		{Folder{State: trust.Untrusted, Options: on, From: dir, Level: trust.DoNotTrust}, "not trusted", "You do not trust this folder."},
		{Folder{State: trust.Untrusted, Options: on, From: "/home/me", Level: trust.DoNotTrust}, "not trusted", "Inherited: you do not trust ~."},
		{Folder{State: trust.Unknown, Options: on}, "not trusted, because you have not decided yet", "Pollux asks when it starts here"},
		{Folder{State: trust.Trusted, IsTrusted: true}, "trusted", "security.folderTrust.enabled is false"},
		{Folder{State: trust.Untrusted, Options: trust.Options{Enabled: true, Restricted: "true"}}, "not trusted", "GEMINI_RESTRICTED_MODE"},
		{Folder{State: trust.Trusted, Options: trust.Options{Enabled: true, Workspace: "true"}, IsTrusted: true}, "trusted", "--skip-trust"},
		{Folder{State: trust.Trusted, Options: on, From: dir, Level: trust.TrustFolder}, "trusted", keeps},
		{Folder{State: trust.Untrusted, Options: on, From: dir, Level: trust.DoNotTrust, IsTrusted: true}, "not trusted", keeps},
	} {
		c.folder.Dir = dir
		l := List(c.folder, "default", nil, display)
		it := l.Items[0]
		about := strings.Join(it.About, " ")
		if it.Name != "~/src/app" || it.State != c.state || !strings.Contains(about, c.about) || strings.Contains(about, keeps) != (c.about == keeps) {
			t.Errorf("%+v: %s: %s", c.folder, it.State, about)
		}
		if a := it.Actions[0]; a.Command != "/permissions trust" || !a.Leaves || (a.WhyNot == "") != c.folder.Options.Enabled {
			t.Errorf("%+v: %+v", c.folder, a)
		}
	}
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	l := List(Folder{Dir: "/d"}, "auto_edit", nil, display)
	if len(l.Items) != 1 || l.Note != "Approval mode: auto_edit. No approvals in this session, except for single tool calls." {
		t.Errorf("%+v", l)
	}
	l = List(Folder{Dir: "/d"}, "plan", []policy.Grant{{ID: 3, Text: "git\x1b[1m\nstatus"}, {ID: 4, Text: "edits", File: "/home/me/.gemini/p.toml"}}, display)
	first, second := l.Items[1], l.Items[2]
	if l.Note != "Approval mode: plan. " || first.Name != "3. git status" || first.State != "approved for this session" || first.Actions[0].Command != "/permissions revoke 3" || first.About != nil {
		t.Errorf("%q %+v", l.Note, first)
	}
	if second.State != "approved, also in future sessions" || second.About[0] != "Saved in ~/.gemini/p.toml" || second.Actions[0].Command != "/permissions revoke 4" {
		t.Errorf("%+v", second)
	}
}
