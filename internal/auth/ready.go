package auth

import (
	"cmp"
	"fmt"

	"pollux/llm/provider"
)

// readyAccount returns the account that the environment sets up completely although the user's
// choice, which cannot be used, is another one; nil if there is none, or if no session follows.
func (s *signIn) readyAccount() *Account {
	if s.StoresOnly {
		return nil
	}
	return s.accounts.ready()
}

// useReady returns the result of a sign-in that needs no key.
func (s *signIn) useReady(one *Account) SignIn {
	return SignIn{Type: one.Type, ID: one.ConfiguredID, Text: fmt.Sprintf("Using %s, with the key in %s.", one.label(), one.From)}
}

// ready returns the first account with a key in the environment, if the user's choice is a login
// that Pollux does not support; else nil.
func (a *Accounts) ready() *Account {
	if a.Chosen != GoogleLogin {
		return nil
	}
	for p := range a.Table().All() {
		if one, ok := a.reach(p, a.plain); ok && one.APIKey != "" && isStorable(p) {
			return &one
		}
	}
	return nil
}

// readyHint returns how to use the result of ready for one run, "" if there is none. It begins with
// a space.
func (a *Accounts) readyHint() string {
	one := a.ready()
	if one == nil || isGoogle(one.Profile) { // the advice about Google's keys is enough
		return ""
	}
	return fmt.Sprintf(" To use %s, with the key in %s: --model %s/%s", one.label(), one.From, one.ConfiguredID, cmp.Or(one.Model, "NAME"))
}

// label returns the name of an account, with its address if it is not the provider's own.
func (a *Account) label() string {
	name := cmp.Or(a.Name, a.ConfiguredID)
	if a.HasCustomAddress() {
		name += " at " + provider.RedactAddress(a.BaseURL)
	}
	return name
}
