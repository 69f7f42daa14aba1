package slash

import (
	"context"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/terminal"
)

// errNoHooks is the error of commands about hooks if the settings disable all of them.
func errNoHooks() (Result, error) {
	return Result{}, exit.Errorf(exit.General, "Hook system is not enabled. To enable it, run: pollux config set hooksConfig.enabled true")
}

// hooksList lists the hooks of the session.
func hooksList(_ context.Context, s *Runner, _ string) (Result, error) {
	if !s.Session.Project.AreHooksEnabled() {
		return errNoHooks()
	}
	hooks := s.listHooks()
	note := ""
	if !s.Session.Project.IsTrusted() {
		note = "\nThis folder is not trusted: Pollux ignores its hooks. See /permissions trust."
	}
	if len(hooks) == 0 {
		return textResult("No hooks configured. To add one, see /docs hooks.%s", note)
	}
	return Result{Text: s.formatTable(HookHeads(), HookRows(hooks)...) + note}, nil
}

// HookHeads returns the heads of the columns of [HookRows].
func HookHeads() []string { return []string{"EVENT", "HOOK", "MATCHER", "FROM", "STATE"} }

// HookRows returns the rows of a table of hooks.
func HookRows(hooks []hook.Hook) [][]string {
	var rows [][]string
	for i := range hooks {
		h := &hooks[i]
		state := "enabled"
		if h.IsDisabled {
			state = "disabled"
		}
		matcher := h.Matcher
		if strings.TrimSpace(matcher) == "" {
			matcher = "*"
		}
		rows = append(rows, []string{string(h.Event), terminal.Cut(terminal.Line(h.ID()), 60), terminal.Cut(terminal.Line(matcher), 40), h.Source.String(), state})
	}
	return rows
}

func (s *Runner) listHooks() []hook.Hook {
	if s.Session.Hooks() == nil {
		return nil
	}
	return s.Session.Hooks().Hooks()
}

func hooksEnable(_ context.Context, s *Runner, id string) (Result, error) {
	return s.setHook(id, true)
}

func hooksDisable(_ context.Context, s *Runner, id string) (Result, error) {
	return s.setHook(id, false)
}

// setHook enables or disables a hook.
func (s *Runner) setHook(id string, enabled bool) (Result, error) {
	verb := map[bool]string{true: "enable", false: "disable"}[enabled]
	switch {
	case !s.Session.Project.AreHooksEnabled():
		return errNoHooks()
	case id == "":
		return usageError("Usage: /hooks %s <hook-name>", verb)
	}
	text, changed, err := s.Session.Project.SwitchHook(s.Session.Project.Settings(), s.listHooks(), id, enabled)
	if err == nil && changed {
		err = s.applyHooks()
	}
	return Result{Text: text}, err
}

// applyHooks makes the session use the settings about disabled hooks.
func (s *Runner) applyHooks() error {
	err := s.Session.Project.Reload()
	if err == nil {
		s.Session.ApplyDisabledHooks()
	}
	return err
}

func hooksEnableAll(_ context.Context, s *Runner, _ string) (Result, error) {
	return s.setAllHooks(true)
}

func hooksDisableAll(_ context.Context, s *Runner, _ string) (Result, error) {
	return s.setAllHooks(false)
}

// setAllHooks enables or disables all hooks.
func (s *Runner) setAllHooks(enabled bool) (Result, error) {
	if !s.Session.Project.AreHooksEnabled() {
		return errNoHooks()
	}
	hooks := s.listHooks()
	if len(hooks) == 0 {
		return textResult("No hooks configured.")
	}
	word := map[bool]string{true: "enabled", false: "disabled"}[enabled]
	var ids []string
	for i := range hooks {
		if id := hooks[i].ID(); hooks[i].IsDisabled == enabled && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return textResult("All hooks are already %s.", word)
	}
	if _, err := s.Session.Project.SetHooksEnabled(s.Session.Project.Settings(), hooks, ids, enabled); err != nil {
		return Result{}, err
	}
	if err := s.applyHooks(); err != nil {
		return Result{}, err
	}
	return textResult("%s%s %d hook(s) successfully.", strings.ToUpper(word[:1]), word[1:], len(ids))
}
