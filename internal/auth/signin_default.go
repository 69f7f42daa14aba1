package auth

import (
	"fmt"

	"pollux/internal/config"
	"pollux/tool"
)

// offerDefault offers to select the new provider in the user's settings, if they or the
// environment select one that cannot be used. Future sessions would otherwise ask again, and
// runs without a terminal would fail.
func (s *signIn) offerDefault(done *SignIn) error {
	_, unusable := s.accounts.Default()
	if unusable == nil || s.accounts.Chosen == "" || s.accounts.Chosen == done.Type || s.accounts.permit(done.Type) != nil || done.IsDefault {
		return nil
	}
	where, scope := s.accounts.Why, config.SystemDefaults
	if s.accounts.Selected {
		scope = s.selectedIn()
		where += " in " + s.Paths.Display(s.Paths.File(scope))
	}
	cause := fmt.Sprintf("%s still selects %q.", where, s.accounts.Chosen)
	kept, rest := "future sessions ask again", "Future sessions ask again: "+cause
	if done.IsStored && selectsLogin(s.Settings) {
		kept = "Pollux uses " + s.displayName(done) + ", Gemini CLI its login"
		rest = fmt.Sprintf("Pollux uses this key. %s stays %q for Gemini CLI.", where, GoogleLogin)
		if scope > config.User {
			done.Text += "\n" + rest
			return nil
		}
	}
	if scope > config.User {
		done.Text += fmt.Sprintf("\n%s Change it to %q.", rest, done.Type)
		return nil
	}
	const yes = "Change it"
	answer, err := question(s.ctx, s.ask, tool.Question{
		Text:   fmt.Sprintf("%s\nChange %s to %q?", cause, selectionKey(s.Settings), done.Type),
		Header: "Settings", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{
			{Key: "y", Label: yes, Description: "future sessions use " + s.displayName(done)},
			{Key: "n", Label: "Keep it", Description: kept},
		},
		Help: "Gemini CLI reads the same setting. It supports only Google's sign-in types, and asks again if there is another one.",
	})
	if answer == yes {
		s.selectType(done)
	} else if err == nil {
		done.Text += "\n" + rest
	}
	return err
}

// selectedIn returns the scope of the settings that determines the selected type.
func (s *signIn) selectedIn() config.Scope {
	for scope := config.System; scope > config.SystemDefaults; scope-- {
		if _, set := s.Settings.ForScope(scope).Lookup(s.accounts.Why); set {
			return scope
		}
	}
	return config.SystemDefaults
}

func (s *signIn) displayName(done *SignIn) string {
	if p := s.accounts.FindProfile(done.ID); p != nil && p.Name != "" {
		return p.Name
	}
	return done.ID
}

// selectType selects the provider in the user's settings, and adds the result to the text. A
// failure is no error, because this session can use the provider.
func (s *signIn) selectType(done *SignIn) {
	file, key := s.Paths.Display(s.Settings.UserFile()), selectionKey(s.Settings)
	if err := s.Paths.Set(config.User, string(key), string(done.Type)); err != nil {
		done.Text += fmt.Sprintf("\nCannot set %s to %q in %s: %v", key, done.Type, file, err)
		return
	}
	done.IsDefault = true
	done.Text += fmt.Sprintf("\nSet %s to %q in %s.", key, done.Type, file)
}
