package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/keychain"
	"pollux/llm/provider"
	"pollux/tool"
)

// Preselected returns the type that GEMINI_DEFAULT_AUTH_TYPE names for whoever is
// asked to choose one, "" if it names none. The error is for the user (spec/cli.md §3.2).
func Preselected(env *config.Env) (Type, error) {
	types := []string{string(GoogleLogin), string(GeminiAPIKey), string(VertexAI), string(CloudShell), string(ComputeADC), string(Gateway)}
	name := env.Get("GEMINI_DEFAULT_AUTH_TYPE")
	if name != "" && !slices.Contains(types, name) {
		return "", exit.Errorf(exit.Input, "Invalid value for GEMINI_DEFAULT_AUTH_TYPE: %q. Valid values are: %s.", name, strings.Join(types, ", "))
	}
	return Type(name), nil
}

// StorableFor returns the provider whose key is to be stored: that of a name, be it an id,
// an alias or a type, and without one that of GEMINI_DEFAULT_AUTH_TYPE, or Gemini.
func (a *Accounts) StorableFor(name string) (*provider.Profile, error) {
	if name == "" {
		preselected, err := Preselected(a.in.Env)
		if err != nil {
			return nil, err
		}
		name = string(cmp.Or(preselected, GeminiAPIKey))
	}
	p := a.Named(name)
	switch {
	case p == nil:
		return nil, exit.Errorf(exit.Input, "No provider is named %q. Keys can be stored for: %s.", name, strings.Join(ids(a.ofKeys()), ", "))
	case !storable(p):
		return nil, exit.Errorf(exit.Input, "%s needs no key that could be stored. Keys can be stored for: %s.", cmp.Or(p.Name, p.ID), strings.Join(ids(a.ofKeys()), ", "))
	}
	return p, nil
}

// Named returns the provider of an id, an alias or a type, nil if there is none.
func (a *Accounts) Named(name string) *provider.Profile {
	switch t := Type(strings.TrimSpace(name)); t {
	case GeminiAPIKey:
		name = "gemini"
	case VertexAI:
		name = "vertexai"
	}
	return a.Table().Find(name)
}

// ofKeys returns the providers of which keys can be stored.
func (a *Accounts) ofKeys() []*provider.Profile {
	return slices.DeleteFunc(slices.Collect(a.Table().All()), func(p *provider.Profile) bool { return !storable(p) })
}

func ids(profiles []*provider.Profile) []string {
	list := make([]string, len(profiles))
	for i, p := range profiles {
		list[i] = p.ID
	}
	return list
}

// Keep stores a provider's key and says, in a few sentences, where that is and what it
// is good for. The key is in no text.
func (a *Accounts) Keep(p *provider.Profile, key string) (string, error) {
	stored, err := a.keysOf().Set(p, key)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("The key for %s is stored in %s", cmp.Or(p.Name, p.ID), stored.Where)
	if stored.Instead != nil {
		text += ", for " + stored.Instead.Error()
	}
	text += "."
	if stored.Where != keychain.System {
		text += " That hides it from people, not from programs that you run."
	}
	for _, name := range Variables(p) {
		if a.in.Env.Get(name) != "" {
			return text + "\n" + name + " is set, and goes before it.", nil
		}
	}
	in := a.in
	in.Warn = nil // it has all been said
	again, err := Open(in)
	if def, wrong := again.Default(); err != nil || wrong != nil || def.As != p.ID {
		text += fmt.Sprintf("\nIt is used where %s is named, as in --model %s/%s. To make that the default: pollux config set %s %s",
			p.ID, p.ID, cmp.Or(p.Model, "..."), config.AuthSelectedType, selectedAs(p))
	}
	return text, nil
}

// selectedAs is what security.auth.selectedType calls a provider.
func selectedAs(p *provider.Profile) Type {
	switch p.ID {
	case "gemini":
		return GeminiAPIKey
	case "vertexai":
		return VertexAI
	}
	return Type(p.ID)
}

// Forget removes the stored key of a provider, which need not be in the table any
// more, and says so.
func (a *Accounts) Forget(name string) (string, error) {
	id, shown := name, name
	if p := a.Named(name); p != nil {
		id, shown = p.ID, cmp.Or(p.Name, p.ID)
	}
	removed, err := a.keysOf().Remove(id)
	switch {
	case err != nil:
		return "", err
	case !removed:
		return "", exit.Errorf(exit.Input, "No key for %s is stored. pollux auth list says which are.", shown)
	}
	return fmt.Sprintf("The key for %s is removed.", shown), nil
}

// Kept returns where keys are stored, by the ids of their providers.
func (a *Accounts) Kept() (map[string]string, error) { return a.keysOf().List() }

// Command is the /auth command of a session (spec/tui.md §4).
type Command struct {
	Inputs
	// Paths lead to the settings in which Gemini's way to authenticate is selected once
	// its key is stored.
	Paths *config.Paths
}

// Run runs it: "", "signin" (or login, set) and "signout" (or logout, remove), each
// with a provider's name or without, and "list". Ask asks the person for what is
// missing. The text is for the person. What has changed counts for the next session.
func (c Command) Run(ctx context.Context, ask agent.Ask, args string) (string, error) {
	words := strings.Fields(args)
	verb, name := "signin", ""
	if len(words) > 0 {
		verb = words[0]
	}
	if len(words) > 1 {
		name = words[1]
	}
	a := c.open(ctx)
	switch verb {
	case "signin", "login", "set":
		p, text, err := c.signIn(ctx, a, ask, name)
		if p != nil && err == nil {
			text += "\nIt counts from the next session on."
		}
		return text, err
	case "signout", "logout", "remove":
		return c.signOut(ctx, a, ask, name)
	case "list":
		there, err := a.Kept()
		return List(there), err
	}
	return "", exit.Errorf(exit.Input, "Unknown command: /auth %s. Say /auth signin, /auth signout or /auth list.", verb)
}

// SignIn is what Run does for "signin", before the session begins: it also returns what
// security.auth.selectedType calls the provider whose key was stored, "" for nobody's.
func (c Command) SignIn(ctx context.Context, ask agent.Ask) (Type, string, error) {
	p, text, err := c.signIn(ctx, c.open(ctx), ask, "")
	if p == nil || err != nil {
		return "", text, err
	}
	return selectedAs(p), text, nil
}

// open returns the accounts, whatever is wrong with them: keys can be stored in any case.
func (c Command) open(ctx context.Context) *Accounts {
	c.Context, c.Person = ctx, true
	a, _ := Open(c.Inputs)
	return a
}

const unchanged = "Nothing was changed."

// signIn stores a key for the provider of this name, "" for one to be asked for, which
// it returns; nil if the person thinks better of it.
func (c Command) signIn(ctx context.Context, a *Accounts, ask agent.Ask, name string) (*provider.Profile, string, error) {
	p, err := c.whose(ctx, a, ask, name)
	if p == nil {
		return nil, unchanged, err
	}
	text, err := askKey(ctx, a, ask, p)
	if text == "" || err != nil {
		return nil, unchanged, err
	}
	if !isGoogle(p) || config.AuthSelectedType.In(c.Settings) == string(selectedAs(p)) {
		return p, text, nil
	}
	// Only Google's types mean something to Gemini CLI, which reads the same file.
	if err := c.Paths.Set(config.User, string(config.AuthSelectedType), string(selectedAs(p))); err != nil {
		return p, text, err
	}
	text, _, _ = strings.Cut(text, "\n") // how to make it the default
	return p, text + fmt.Sprintf("\n%s is now %q in %s.", config.AuthSelectedType, selectedAs(p), c.Settings.UserFile()), nil
}

// whose returns the provider of a name, or the one that the person chooses; nil if that
// is none.
func (c Command) whose(ctx context.Context, a *Accounts, ask agent.Ask, name string) (*provider.Profile, error) {
	if name != "" {
		return a.StorableFor(name)
	}
	preselected, err := Preselected(c.Env)
	if err != nil {
		return nil, err
	}
	profiles := a.ofKeys()
	if at := slices.Index(profiles, a.Named(string(preselected))); at > 0 { // it comes first
		profiles = slices.Concat(profiles[at:at+1], profiles[:at], profiles[at+1:])
	}
	for problem := ""; ; {
		name, answered, err := chooseProvider(ctx, ask, problem+"Whose key would you like to store?", profiles)
		if err != nil || !answered {
			return nil, err
		}
		p, err := a.StorableFor(name)
		if err == nil {
			return p, nil
		}
		problem = err.Error() + "\n"
	}
}

// askKey asks for the key of a provider until it is one, stores it, and says so; "" if
// the person gives none.
func askKey(ctx context.Context, a *Accounts, ask agent.Ask, p *provider.Profile) (string, error) {
	for problem := ""; ; {
		key, answered, err := question(ctx, ask, tool.Question{
			Text: problem + "The API key for " + cmp.Or(p.Name, p.ID) + ":", Header: "API key", Kind: tool.SecretQuestion,
		})
		if key = strings.TrimSpace(key); err != nil || !answered || key == "" {
			return "", err
		}
		text, err := a.Keep(p, key)
		if exit.CodeOf(err) != exit.Input {
			return text, err
		}
		problem = err.Error() + "\n"
	}
}

func (c Command) signOut(ctx context.Context, a *Accounts, ask agent.Ask, name string) (string, error) {
	if name == "" {
		there, err := a.Kept()
		switch {
		case err != nil:
			return "", err
		case len(there) == 0:
			return "No key is stored.", nil
		}
		var profiles []*provider.Profile
		for _, id := range slices.Sorted(maps.Keys(there)) {
			profiles = append(profiles, cmp.Or(a.Table().Find(id), &provider.Profile{ID: id}))
		}
		var answered bool
		name, answered, err = chooseProvider(ctx, ask, "Whose key should be removed?", profiles)
		if err != nil || !answered {
			return unchanged, err
		}
	}
	return a.Forget(name)
}

// chooseProvider asks for a provider, and returns the id of the answer.
func chooseProvider(ctx context.Context, ask agent.Ask, text string, profiles []*provider.Profile) (id string, answered bool, err error) {
	q := tool.Question{Text: text, Header: "Provider", Kind: tool.ChoiceQuestion}
	for _, p := range profiles {
		q.Options = append(q.Options, tool.Option{Label: p.ID, Description: cmp.Or(p.Name, p.ID)})
	}
	id, answered, err = question(ctx, ask, q)
	return strings.TrimSpace(id), answered && strings.TrimSpace(id) != "", err
}

// question asks one question.
func question(ctx context.Context, ask agent.Ask, q tool.Question) (text string, answered bool, err error) {
	if ask == nil {
		return "", false, exit.Errorf(exit.Input, "There is nobody to ask. Use pollux auth set, with the key as standard input.")
	}
	answer, err := ask(ctx, &tool.QuestionConfirmation{Title: "Authentication", Questions: []tool.Question{q}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", false, err
	}
	text, answered = answer.Reply.Answers["0"]
	return text, answered, nil
}

// List says where keys are stored, in lines.
func List(there map[string]string) string {
	if len(there) == 0 {
		return "No key is stored."
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(there)) {
		lines = append(lines, id+" in "+there[id])
	}
	return strings.Join(lines, "\n")
}
