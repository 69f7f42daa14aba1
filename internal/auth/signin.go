package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/catalog"
	"pollux/llm/provider"
	"pollux/tool"
)

// SignIn is the result of a sign-in.
type SignIn struct {
	// Type is the value of security.auth.selectedType for the provider, "" if the person has
	// cancelled. ID is the provider's id.
	Type Type
	ID   string
	// Key is the new key, empty for a server on this machine, which has Model instead: the
	// model that the person chose, by the name that --model takes. A key for a gateway is not
	// stored: IsStored is false.
	Key      Key
	IsStored bool
	Model    string
	// IsDefault reports whether the sign-in has selected the provider in the user's settings.
	IsDefault bool
	// Text is a message for the person. It contains no key.
	Text string
}

// SignIn asks the person for a provider, unless name is one, and for its key, tests the key
// and stores it. It does not store a key for a gateway.
func (c Command) SignIn(ctx context.Context, ask tool.Ask, name string) (SignIn, error) {
	s := signIn{c, c.open(ctx), ctx, ask}
	done, err := s.run(name)
	switch {
	case err != nil:
	case done.Type == "":
		done.Text = unchanged
	default:
		err = s.offerDefault(&done)
	}
	return done, err
}

// Advice returns when a program uses the result, "" if it does by default. It begins with a
// line feed.
func (s SignIn) Advice(in Inputs) string {
	if s.Model != "" {
		return "\nTo use it: pollux --model " + s.Model
	}
	a := &Accounts{in: in}
	return a.advice(a.Table().Find(s.ID), s.IsDefault)
}

// signIn is a sign-in in progress.
type signIn struct {
	Command
	accounts *Accounts
	ctx      context.Context
	ask      tool.Ask
}

func (s *signIn) run(name string) (SignIn, error) {
	if name != "" {
		p, err := s.accounts.StorableFor(name)
		if err != nil {
			return SignIn{}, err
		}
		if err = s.refuse(p); err != nil {
			return SignIn{}, err
		}
		done, err := s.askKey(p)
		if err == errBack {
			return SignIn{}, nil
		}
		return done, err
	}
	problem := ""
	for {
		p, isLocal, err := s.pickProvider(problem)
		problem = ""
		var done SignIn
		switch {
		case err == errBack:
			continue
		case err != nil || p == nil && !isLocal:
			return SignIn{}, err
		case isLocal:
			if done, problem, err = s.pickServer(); problem != "" {
				continue
			}
		default:
			if ready := s.readyAccount(); ready != nil && ready.ConfiguredID == p.ID {
				return s.useReady(ready), nil
			}
			if err := s.refuse(p); err != nil {
				problem = err.Error() + "\n"
				continue
			}
			done, err = s.askKey(p)
		}
		if err != errBack {
			return done, err
		}
	}
}

// errBack means that the person did not answer a question that follows from the first one. The
// sign-in then asks the first one again.
var errBack = errors.New("back to the first question")

// refuse returns an error if a key for this provider could neither be stored nor used: it would be
// for a gateway, and no session follows or a project's .env file sets the address.
func (s *signIn) refuse(p *provider.Profile) error {
	if g := s.accounts.gatewayOf(p); g != nil && (s.StoresOnly || g.isProject) {
		return g.refusal()
	}
	return nil
}

// The first choices of a sign-in, and the answers that are not providers.
const (
	localLabel = "A server on this machine"
	moreLabel  = "More providers"
)

var firstChoices = [...]struct{ key, id, label string }{
	{"g", "gemini", "Gemini"},
	{"o", "openai", "OpenAI"},
	{"a", "anthropic", "Anthropic"},
	{"r", "openrouter", "OpenRouter"},
}

// EverydayProviders returns the ids of the providers that most people begin with.
func EverydayProviders() []string {
	var ids []string
	for _, c := range firstChoices {
		ids = append(ids, c.id)
	}
	return ids
}

const signInHelp = "A key identifies your account at a provider, which bills you for requests.\n" +
	"Gemini offers free keys. A server on this machine needs no key."

// pickProvider asks for a provider: first for one of the most used ones, then for one of all
// others. isLocal means a server on this machine. The provider is nil if the person cancels the
// first question.
func (s *signIn) pickProvider(problem string) (p *provider.Profile, isLocal bool, err error) {
	preselected, err := Preselected(s.Env)
	if err != nil {
		return nil, false, err
	}
	const text = "Which provider do you want to use?"
	q := tool.Question{Text: problem + text, Header: "Provider", Kind: tool.ChoiceQuestion, Closed: true, Help: signInHelp}
	shown := map[string]string{} // ids by label
	rest := s.accounts.storableProviders()
	add := func(key, label string, p *provider.Profile) {
		shown[label] = p.ID
		rest = slices.DeleteFunc(rest, func(other *provider.Profile) bool { return other.ID == p.ID })
		q.Options = append(q.Options, tool.Option{Key: key, Label: label, Description: s.describe(p)})
	}
	ready := s.readyAccount()
	if ready != nil {
		label := ready.label()
		shown[label] = ready.ConfiguredID
		q.Options = append(q.Options, tool.Option{Label: label, Description: "key in " + ready.From})
	}
	for _, c := range firstChoices {
		if p := s.accounts.Table().Find(c.id); p != nil && isStorable(p) && (ready == nil || ready.ConfiguredID != p.ID) {
			add(c.key, c.label, p)
		}
	}
	if p := s.accounts.FindProfile(string(preselected)); p != nil && preselected != "" {
		if _, isFirst := shown[cmp.Or(p.Name, p.ID)]; !isFirst && slices.Contains(rest, p) {
			add("", cmp.Or(p.Name, p.ID), p)
		}
	}
	q.Options = append(
		q.Options,
		tool.Option{Key: "l", Label: localLabel, Description: "no key: Ollama, LM Studio, ..."},
		tool.Option{Key: "m", Label: moreLabel, Description: fmt.Sprintf("%d others", len(rest))},
	)
	answer, err := question(s.ctx, s.ask, q)
	switch answer {
	case "":
		return nil, false, err
	case localLabel:
		return nil, true, nil
	case moreLabel:
		q = tool.Question{Text: text, Header: "Provider", Kind: tool.ChoiceQuestion, Closed: true, Help: signInHelp}
		for _, p := range rest {
			shown[cmp.Or(p.Name, p.ID)] = p.ID
			q.Options = append(q.Options, tool.Option{Label: cmp.Or(p.Name, p.ID)})
		}
		if answer, err = s.next(q); err != nil {
			return nil, false, err
		}
	}
	p, err = s.accounts.StorableFor(cmp.Or(shown[answer], answer))
	return p, false, err
}

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

// describe returns the page where the user creates a key for a provider, or the address of the
// gateway that the key would be for; "" if neither is known.
func (s *signIn) describe(p *provider.Profile) string {
	g := s.accounts.gatewayOf(p)
	switch {
	case g != nil:
		return "at " + g.address
	case p.KeyPage == "" || p.CustomAddress:
		return ""
	}
	return "key from " + p.KeyPage
}

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

// acceptUntested asks what to do with a key that could not be tested, and returns the result of the
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

// typedHere is the source of a key that is not stored.
const typedHere = "your input"

// accept returns the result of a sign-in with a key, which it stores unless it is for a gateway.
func (s *signIn) accept(p *provider.Profile, g *gateway, key string) (SignIn, error) {
	if g == nil {
		return s.store(p, key)
	}
	text := fmt.Sprintf("Not stored: the key is for %s. For future sessions, set %s.", g.address, g.keyVar)
	if set := firstSet(s.Env, Variables(p)); set != "" {
		text = fmt.Sprintf("Not stored: the key is for %s. For future sessions, change %s.", g.address, set)
	}
	return SignIn{Type: selectedAs(p), ID: p.ID, Key: Key{Value: key, Where: typedHere}, Text: text}, nil
}

// firstSet returns the first of these variables that is set, "" if none is.
func firstSet(env *config.Env, names []string) string {
	for _, name := range names {
		if trimmed(env, name) != "" {
			return name
		}
	}
	return ""
}

// store stores a key. For Gemini it also selects the type in the user's settings: Gemini CLI
// reads the same file, and knows only Google's types.
func (s *signIn) store(p *provider.Profile, key string) (SignIn, error) {
	where, text, err := s.accounts.storeKey(p, key)
	if err != nil {
		return SignIn{}, err
	}
	done := SignIn{Type: selectedAs(p), ID: p.ID, Key: Key{Value: key, Where: where}, IsStored: true, Text: text}
	if isGoogle(p) && config.AuthSelectedType.In(s.Settings) != string(done.Type) {
		s.selectType(&done)
	}
	return done, nil
}

// selectType selects the provider in the user's settings, and adds the result to the text. A
// failure is no error, because this session can use the provider.
func (s *signIn) selectType(done *SignIn) {
	file := s.Paths.Display(s.Settings.UserFile())
	if err := s.Paths.Set(config.User, string(config.AuthSelectedType), string(done.Type)); err != nil {
		done.Text += fmt.Sprintf("\nCannot set %s to %q in %s: %v", config.AuthSelectedType, done.Type, file, err)
		return
	}
	done.IsDefault = true
	done.Text += fmt.Sprintf("\nSet %s to %q in %s.", config.AuthSelectedType, done.Type, file)
}

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
	if scope > config.User {
		done.Text += fmt.Sprintf("\nFuture sessions ask again: %s Change it to %q.", cause, done.Type)
		return nil
	}
	const yes = "Change it"
	answer, err := question(s.ctx, s.ask, tool.Question{
		Text:   fmt.Sprintf("%s\nChange %s to %q?", cause, config.AuthSelectedType, done.Type),
		Header: "Settings", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{
			{Key: "y", Label: yes, Description: "future sessions use " + s.displayName(done)},
			{Key: "n", Label: "Keep it", Description: "future sessions ask again"},
		},
		Help: "Gemini CLI reads the same setting. It supports only Google's sign-in types, and asks again if there is another one.",
	})
	if answer == yes {
		s.selectType(done)
	} else if err == nil {
		done.Text += "\nFuture sessions ask again: " + cause
	}
	return err
}

// selectedIn returns the scope of the settings that determines security.auth.selectedType.
func (s *signIn) selectedIn() config.Scope {
	for scope := config.System; scope > config.SystemDefaults; scope-- {
		if _, set := s.Settings.ForScope(scope).Lookup(string(config.AuthSelectedType)); set {
			return scope
		}
	}
	return config.SystemDefaults
}

// displayName returns the name of the provider of a sign-in.
func (s *signIn) displayName(done *SignIn) string {
	if p := s.accounts.FindProfile(done.ID); p != nil && p.Name != "" {
		return p.Name
	}
	return done.ID
}

// localServer is a model server on this machine that answers.
type localServer struct {
	provider.Access
	models []catalog.Model
}

// pickServer asks for a server on this machine and one of its models. problem is a text for
// the person if there is no server or no model.
func (s *signIn) pickServer() (done SignIn, problem string, err error) {
	servers := s.accounts.localServers(s.ctx)
	switch {
	case s.ctx.Err() != nil:
		return SignIn{}, "", context.Cause(s.ctx)
	case len(servers) == 0:
		return SignIn{}, "No model server answers on this machine. Pollux asked:\n" + s.accounts.localPorts() + "\n" +
			"To start one: ollama serve, then: ollama pull qwen3\n", nil
	}
	server := &servers[0]
	if len(servers) > 1 {
		q := tool.Question{Text: "Which server do you want to use?", Header: "Server", Kind: tool.ChoiceQuestion, Closed: true}
		for _, one := range servers {
			q.Options = append(q.Options, tool.Option{Label: one.Name, Description: provider.RedactAddress(one.BaseURL)})
		}
		answer, err := s.next(q)
		if err != nil {
			return SignIn{}, "", err
		}
		server = &servers[slices.IndexFunc(servers, func(one localServer) bool { return one.Name == answer })]
	}
	address := provider.RedactAddress(server.BaseURL)
	var model string
	switch len(server.models) {
	case 0:
		return SignIn{}, server.Name + " at " + address + " has no models. Download one first.\n", nil
	case 1:
		model = server.models[0].Name
	default:
		q := tool.Question{Text: server.Name + " has these models. Which one do you want to use?", Header: "Model", Kind: tool.ChoiceQuestion, Closed: true}
		for _, m := range server.models {
			q.Options = append(q.Options, tool.Option{Label: m.Name})
		}
		if model, err = s.next(q); err != nil {
			return SignIn{}, "", err
		}
	}
	return SignIn{
		Type: Type(server.ID), ID: server.ID, Model: server.ID + "/" + model,
		Text: fmt.Sprintf("Using the model %s of %s at %s.", model, server.Name, address),
	}, "", nil
}

// localServers returns the model servers on this machine that answer: those that the
// environment names, and those on the usual ports.
func (a *Accounts) localServers(ctx context.Context) []localServer {
	var candidates []provider.Access
	for p := range a.Table().All() {
		if access, found := a.plain(p); found && p.Local != nil {
			candidates = append(candidates, access)
		}
	}
	for _, access := range a.Table().Discover(ctx, time.Second) {
		if !slices.ContainsFunc(candidates, func(known provider.Access) bool { return known.ID == access.ID }) {
			candidates = append(candidates, access)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var servers []localServer
	for _, access := range candidates {
		client, err := provider.Open(access, a.Network)
		if err != nil || a.permit(Type(access.ID)) != nil {
			continue
		}
		if models, err := client.Models(ctx); err == nil {
			servers = append(servers, localServer{access, models})
		}
	}
	return servers
}

// localPorts lists the servers on this machine that Pollux looks for, with their ports.
func (a *Accounts) localPorts() string {
	var list []string
	for p := range a.Table().All() {
		switch access, found := a.plain(p); {
		case p.Local == nil:
		case found:
			list = append(list, cmp.Or(p.Name, p.ID)+" ("+provider.RedactAddress(access.BaseURL)+")")
		default:
			list = append(list, fmt.Sprintf("%s (port %d)", cmp.Or(p.Name, p.ID), p.Local.Port))
		}
	}
	half := (len(list) + 1) / 2
	return strings.Join(list[:half], ", ") + ",\n" + strings.Join(list[half:], ", ") + "."
}

// next asks a question that follows from the first one. The error is [errBack] if the person does
// not answer.
func (s *signIn) next(q tool.Question) (string, error) {
	answer, err := question(s.ctx, s.ask, q)
	switch {
	case s.ctx.Err() != nil:
		return "", context.Cause(s.ctx)
	case answer == "" && err == nil:
		err = errBack
	}
	return answer, err
}

// question asks one question. It returns "" if the person does not answer.
func question(ctx context.Context, ask tool.Ask, q tool.Question) (string, error) {
	if ask == nil {
		return "", exit.Errorf(exit.Input, "Signing in needs a terminal. Without one, use: pollux auth set < key.txt")
	}
	answer, err := ask(ctx, &tool.QuestionConfirmation{Title: "Sign in", Questions: []tool.Question{q}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", err
	}
	return strings.TrimSpace(answer.Reply.Answers["0"]), nil
}

// hostOf returns the host that requests with this access go to.
func hostOf(access *provider.Access) string {
	address := access.BaseURL
	switch {
	case address != "":
	case access.Protocol == provider.Gemini:
		address = "https://generativelanguage.googleapis.com"
	case access.Protocol == provider.Vertex:
		address = "https://aiplatform.googleapis.com"
	}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return cmp.Or(access.Name, access.ID)
}
