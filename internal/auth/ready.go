package auth

import (
	"cmp"
	"fmt"

	"pollux/internal/exit"
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

// hasCloudLogin reports whether the user has Google Cloud credentials that Vertex AI can use instead of a key. from is how the
// user knows them.
func (s *signIn) hasCloudLogin() (from string, ok bool) {
	access, _ := s.accounts.plain(s.accounts.Table().Find("vertexai"))
	if s.StoresOnly || access.APIKey != "" || s.accounts.permit(VertexAI) != nil {
		return "", false
	}
	path, _, err := access.ADC.Locate()
	if from = "login of gcloud"; access.ADC.File != "" {
		from = "credentials in GOOGLE_APPLICATION_CREDENTIALS"
	}
	return from, path != "" && err == nil
}

// useCloudLogin returns the result of a sign-in with Google Cloud credentials. The error is meant for the user.
func (s *signIn) useCloudLogin() (SignIn, error) {
	access, _ := s.accounts.plain(s.accounts.Table().Find("vertexai"))
	err := s.accounts.onVertex(&access)
	switch {
	case access.Project == "":
		return SignIn{}, exit.Errorf(exit.Auth, noCloudProject)
	case err != nil:
		return SignIn{}, err
	}
	done := SignIn{Type: VertexAI, ID: access.ID, Text: fmt.Sprintf("Using Vertex AI with the Google Cloud project %s in %s.", access.Project, access.Location)}
	if s.accounts.Chosen == "" {
		s.selectType(&done)
	}
	return done, nil
}

// label returns the name of an account, with its address if it is not the provider's own.
func (a *Account) label() string {
	name := cmp.Or(a.Name, a.ConfiguredID)
	if a.HasCustomAddress() {
		name += " at " + provider.RedactAddress(a.BaseURL)
	}
	return name
}
