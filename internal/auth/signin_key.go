package auth

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"pollux/llm/provider"
	"pollux/tool"
)

// askKey asks for a provider's key until the provider accepts it, and stores it. A key for a
// gateway is only for this session.
func (s *signIn) askKey(p *provider.Profile) (SignIn, error) {
	g := s.accounts.gatewayOf(p)
	name, storage := cmp.Or(p.Name, p.ID), "and stores it on this machine."
	if g != nil {
		access, _ := p.Access(s.Env.Get)
		if err := checkURL(access.BaseURL); err != nil {
			return SignIn{}, err
		}
		name, storage = g.address, "and does not store it."
	}
	text := "Paste your API key for " + name + "."
	if p.KeyPage != "" && !p.CustomAddress && g == nil {
		text = "Create an API key at https://" + p.KeyPage + "\nThen paste it here. Pollux does not show it."
	}
	help := "Pollux sends the key only to " + name + ", " + storage
	if vars := Variables(p); len(vars) > 0 {
		help += "\nTo set the key as a variable instead, press Ctrl+C and export " + vars[0] + "."
	}
	for problem := ""; ; {
		key, err := s.next(tool.Question{Text: problem + text, Header: "API key", Kind: tool.SecretQuestion, Help: help})
		if err != nil {
			return SignIn{}, err
		}
		if s.Notify != nil {
			s.Notify("Testing the key with " + name + " ...")
		}
		tested := s.accounts.testKey(s.ctx, p, key)
		if s.ctx.Err() != nil {
			return SignIn{}, context.Cause(s.ctx)
		}
		switch tested.state {
		case keyRefused:
			problem = name + " did not accept the key:\n" + tested.reason + "\nPollux did not store it.\n"
		case keyInvalid:
			problem = tested.reason + "\n"
		case keyUntested:
			return s.acceptUntested(p, g, key, tested.reason)
		default:
			return s.accept(p, g, key)
		}
	}
}

// acceptUntested asks whether to use a key that could not be tested, and returns the result of the
// sign-in with it. A session can use the key without storing it.
func (s *signIn) acceptUntested(p *provider.Profile, g *gateway, key, reason string) (SignIn, error) {
	yes, no, text := "Store the key", "Use it for this session only", "Store it?"
	switch {
	case g != nil:
		yes, no, text = "Use the key", "Do not use it", "Use it?"
	case s.StoresOnly:
		no = "Do not store it"
	}
	answer, err := s.next(tool.Question{
		Text: "The key is not tested: " + reason + "\n" + text, Header: "Store", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{{Key: "y", Label: yes}, {Key: "n", Label: no}},
		Help:    "If the key is wrong, the first request fails. You can then replace the key.",
	})
	switch {
	case err != nil:
		return SignIn{}, err
	case answer == yes:
		return s.accept(p, g, key)
	case g != nil || s.StoresOnly:
		return SignIn{}, errBack
	}
	text = "Not stored: this session uses the key. To sign in for future sessions, type /auth."
	return SignIn{Type: selectedAs(p), ID: p.ID, Key: Key{Value: key, Where: typedHere}, Text: text}, nil
}

// accept returns the result of a sign-in with a key, which it stores unless it belongs to a
// gateway.
func (s *signIn) accept(p *provider.Profile, g *gateway, key string) (SignIn, error) {
	if g == nil {
		return s.store(p, key)
	}
	text := fmt.Sprintf("Not stored: the key is for %s. For future sessions, set %s.", g.address, g.keyVar)
	if set := firstSet(s.Env.Get, Variables(p)); set != "" {
		text = fmt.Sprintf("Not stored: the key is for %s. For future sessions, change %s.", g.address, set)
	}
	return SignIn{Type: selectedAs(p), ID: p.ID, Key: Key{Value: key, Where: typedHere}, Text: text}, nil
}

// typedHere is the source of a key that is not stored.
const typedHere = "your input"

// firstSet returns the first of the variables that is not empty, "" if all are.
func firstSet(get func(name string) string, names []string) string {
	for _, name := range names {
		if strings.TrimSpace(get(name)) != "" {
			return name
		}
	}
	return ""
}

// store stores a key. For Gemini it also selects the type in the user's settings: Gemini CLI
// reads the same file, and knows only Google's types. Gemini CLI's own login is not replaced unasked.
func (s *signIn) store(p *provider.Profile, key string) (SignIn, error) {
	where, text, err := s.accounts.storeKey(p, key)
	if err != nil {
		return SignIn{}, err
	}
	done := SignIn{Type: selectedAs(p), ID: p.ID, Key: Key{Value: key, Where: where}, IsStored: true, Text: text}
	if isGoogle(p) && selectionKey(s.Settings).In(s.Settings) != string(done.Type) && !selectsLogin(s.Settings) {
		s.selectType(&done)
	}
	return done, nil
}
