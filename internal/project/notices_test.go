package project_test

import (
	"slices"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

func TestLeaveOut(t *testing.T) {
	t.Parallel()
	var warnings []string
	p := projecttest.New(t, "{}")
	p = project.New(project.Options{Dir: p.Paths.Dir(), Env: p.Options.Env, Folder: trust.Trusted, Warn: func(text string) { warnings = append(warnings, text) }})
	p.Warn("another")
	p.LeaveOut("a hook")
	p.LeaveOut("an agent")
	if want := []string{"another", "Warning: a hook", "Warning: an agent"}; !slices.Equal(warnings, want) || !slices.Equal(p.LeftOut(), []string{"a hook", "an agent"}) {
		t.Errorf("warnings %q, left out %q", warnings, p.LeftOut())
	}
}

func TestNewKeys(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, "{}")
	p.KeepKey(auth.SignIn{ID: "empty"})
	p.KeepKey(auth.SignIn{ID: "openai", Key: auth.Key{Value: "k"}})
	before := p.NewKeys()
	if len(before) != 1 || before["openai"].Value != "k" {
		t.Error(before)
	}
	if p.ForgetKey("empty") || !p.ForgetKey("openai") || p.ForgetKey("openai") || len(p.NewKeys()) != 0 || len(before) != 1 {
		t.Error(p.NewKeys(), before)
	}
}
