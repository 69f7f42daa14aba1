package policy

import (
	"testing"

	"pollux/internal/guard/trust"
)

// If a rule of the user asks, Pollux asks, however harmless the command is and however it is
// written; only commands for which a built-in rule asks may run without a question.
func TestUsersAskIsFinal(t *testing.T) {
	t.Parallel()
	ask := func(tier Tier, prefixes ...string) []Rule {
		return []Rule{{Tools: []string{shellTool}, Decision: Ask, Priority: tier.priority(900), Prefixes: prefixes}}
	}
	allowGit := Rule{Tools: []string{shellTool}, Decision: Allow, Priority: TierUser.priority(1), Prefixes: []string{"git", "ls"}}
	for _, tt := range []struct {
		rules   []Rule
		command string
		want    Decision
	}{
		{nil, "ls", Allow},
		{ask(TierExtension), "ls", Ask},
		{ask(TierWorkspace), "ls", Ask},
		{ask(TierUser), "ls", Ask},
		{ask(TierAdmin), "git status", Ask},
		{FromSettings(Settings{ConfirmationRequired: []string{shellTool}}), "ls", Ask},
		{FromSettings(Settings{ConfirmationRequired: []string{shellTool}}), `bash -c "ls"`, Ask},
		{FromSettings(Settings{Exclude: []string{shellTool}}), "ls", Deny},
		// However it is written.
		{append(ask(TierUser, "git push"), allowGit), "git push", Ask},
		{append(ask(TierUser, "git push"), allowGit), `git "push"`, Ask},
		{append(ask(TierUser, "git push"), allowGit), "git  push", Ask},
		{append(ask(TierUser, "git push"), allowGit), "git \\\npush", Ask},
		{append(ask(TierUser, "git push"), allowGit), "ls && git 'push' x", Ask},
		{append(ask(TierUser, "git push"), allowGit), `bash -c "git 'push'"`, Ask},
		{append(ask(TierUser, "git push"), allowGit), "git status && ls", Allow},
	} {
		e := engine(t, Options{Rules: tt.rules, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
		if got := e.Check(command(tt.command)).Decision; got != tt.want {
			t.Errorf("%+v: %v, want %v", tt, got, tt.want)
		}
	}
}

// In an untrusted folder no command is known to be harmless.
func TestUntrustedFolderAsks(t *testing.T) {
	t.Parallel()
	e := engine(t, Options{Mode: Default, Interactive: true})
	for _, c := range []string{"ls", "echo hello", "git status", `bash -lc "ls"`} {
		if got := e.Check(command(c)).Decision; got != Ask {
			t.Errorf("%q: %v", c, got)
		}
	}
	own := []Rule{{Tools: []string{shellTool}, Decision: Allow, Priority: 4.1, Prefixes: []string{"ls"}}}
	if got := engine(t, Options{Rules: own, Mode: Default, Interactive: true}).Check(command("ls")).Decision; got != Allow {
		t.Errorf("a rule of the user does not count: %v", got)
	}
}
