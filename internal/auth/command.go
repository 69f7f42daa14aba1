package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/keychain"
	"pollux/llm/provider"
	"pollux/tool"
)

// Preselected returns the type in GEMINI_DEFAULT_AUTH_TYPE, which is the default answer when
// the user is asked to choose one; "" if it is not set. The error is meant for the user.
func Preselected(env *config.Env) (Type, error) {
	types := []string{string(GoogleLogin), string(GeminiAPIKey), string(VertexAI), string(CloudShell), string(ComputeADC), string(Gateway)}
	name := env.Get("GEMINI_DEFAULT_AUTH_TYPE")
	if name != "" && !slices.Contains(types, name) {
		return "", exit.Errorf(exit.Input, "Invalid value for GEMINI_DEFAULT_AUTH_TYPE: %q. Valid values are: %s.", name, strings.Join(types, ", "))
	}
	return Type(name), nil
}

// StorableFor returns the provider whose key to store: the one with this id, alias or type. If
// name is empty, it is the one of GEMINI_DEFAULT_AUTH_TYPE, or Gemini. The error has exit code
// 42.
func (a *Accounts) StorableFor(name string) (*provider.Profile, error) {
	if name == "" {
		preselected, err := Preselected(a.in.Env)
		if err != nil {
			return nil, err
		}
		name = string(cmp.Or(preselected, GeminiAPIKey))
	}
	p := a.FindProfile(name)
	switch {
	case p == nil:
		return nil, exit.Errorf(exit.Input, "No provider is named %q. Keys can be stored for: %s.", name, strings.Join(ids(a.storableProviders()), ", "))
	case !isStorable(p):
		return nil, exit.Errorf(exit.Input, "%s needs no key that could be stored. Keys can be stored for: %s.", cmp.Or(p.Name, p.ID), strings.Join(ids(a.storableProviders()), ", "))
	}
	return p, nil
}

// FindProfile returns the provider with an id, alias or type, nil if there is none.
func (a *Accounts) FindProfile(name string) *provider.Profile {
	switch t := Type(strings.TrimSpace(name)); t {
	case GeminiAPIKey:
		name = "gemini"
	case VertexAI:
		name = "vertexai"
	}
	return a.Table().Find(name)
}

// storableProviders returns the providers whose keys can be stored.
func (a *Accounts) storableProviders() []*provider.Profile {
	return slices.DeleteFunc(slices.Collect(a.Table().All()), func(p *provider.Profile) bool { return !isStorable(p) })
}

func ids(profiles []*provider.Profile) []string {
	list := make([]string, len(profiles))
	for i, p := range profiles {
		list[i] = p.ID
	}
	return list
}

// StoreKey stores a provider's key. It returns a message for the user about where the key is
// stored and when it is used. The message does not contain the key.
func (a *Accounts) StoreKey(p *provider.Profile, key string) (string, error) {
	stored, err := a.keysOf().Set(p, key)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("The key for %s is stored in %s", cmp.Or(p.Name, p.ID), stored.Where)
	if stored.FallbackReason != nil {
		text += ", for " + stored.FallbackReason.Error()
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
	in.Warn = nil // warnings were already given
	again, err := Open(in)
	if def, wrong := again.Default(); err != nil || wrong != nil || def.ConfiguredID != p.ID {
		text += fmt.Sprintf("\nIt is used where %s is named, as in --model %s/%s. To make that the default: pollux config set %s %s",
			p.ID, p.ID, cmp.Or(p.Model, "..."), config.AuthSelectedType, selectedAs(p))
	}
	return text, nil
}

// selectedAs returns the value of security.auth.selectedType for a provider.
func selectedAs(p *provider.Profile) Type {
	switch p.ID {
	case "gemini":
		return GeminiAPIKey
	case "vertexai":
		return VertexAI
	}
	return Type(p.ID)
}

// RemoveKey removes the stored key of a provider, which may no longer be in the table. It returns
// a message for the user.
func (a *Accounts) RemoveKey(name string) (string, error) {
	id, shown := name, name
	if p := a.FindProfile(name); p != nil {
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

// StoredKeys returns where keys are stored, by provider id.
func (a *Accounts) StoredKeys() (map[string]string, error) { return a.keysOf().List() }

// Command is the /auth command of a session.
type Command struct {
	Inputs
	// Paths lead to the settings file in which SignIn selects Gemini's type.
	Paths *config.Paths
}

// Run runs the command and returns a message for the user. args are "", "signin" (or "login",
// "set"), "signout" (or "logout", "remove"), each optionally with a provider's name, or
// "list". ask is used to ask the user for missing values. Changes take effect in the next
// session.
func (c Command) Run(ctx context.Context, ask tool.Ask, args string) (string, error) {
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
		there, err := a.StoredKeys()
		return FormatStored(there), err
	}
	return "", exit.Errorf(exit.Input, "Unknown command: /auth %s. Say /auth signin, /auth signout or /auth list.", verb)
}

// SignIn asks the user for a provider and its key and stores it, before a session begins. It
// returns the value of security.auth.selectedType for the provider, "" if the user cancels,
// and a message for the user.
func (c Command) SignIn(ctx context.Context, ask tool.Ask) (Type, string, error) {
	p, text, err := c.signIn(ctx, c.open(ctx), ask, "")
	if p == nil || err != nil {
		return "", text, err
	}
	return selectedAs(p), text, nil
}

// open returns the accounts even if there are errors: keys can be stored in any case.
func (c Command) open(ctx context.Context) *Accounts {
	c.Context, c.Interactive = ctx, true
	a, _ := Open(c.Inputs)
	return a
}

const unchanged = "Nothing was changed."

// signIn stores a key for the provider called name, and asks for the provider if name is
// empty. It returns the provider, nil if the user cancels.
func (c Command) signIn(ctx context.Context, a *Accounts, ask tool.Ask, name string) (*provider.Profile, string, error) {
	p, err := c.pickProvider(ctx, a, ask, name)
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
	// Gemini CLI reads the same file, and knows only Google's types.
	if err := c.Paths.Set(config.User, string(config.AuthSelectedType), string(selectedAs(p))); err != nil {
		return p, text, err
	}
	text, _, _ = strings.Cut(text, "\n") // without instructions to make it the default
	return p, text + fmt.Sprintf("\n%s is now %q in %s.", config.AuthSelectedType, selectedAs(p), c.Settings.UserFile()), nil
}

// pickProvider returns the provider called name, or the one that the user chooses; nil if they
// cancel.
func (c Command) pickProvider(ctx context.Context, a *Accounts, ask tool.Ask, name string) (*provider.Profile, error) {
	if name != "" {
		return a.StorableFor(name)
	}
	preselected, err := Preselected(c.Env)
	if err != nil {
		return nil, err
	}
	profiles := a.storableProviders()
	if at := slices.Index(profiles, a.FindProfile(string(preselected))); at > 0 { // make it the first choice
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

// askKey asks for a provider's key until it is valid, and stores it. It returns a message, ""
// if the user cancels.
func askKey(ctx context.Context, a *Accounts, ask tool.Ask, p *provider.Profile) (string, error) {
	for problem := ""; ; {
		key, answered, err := question(ctx, ask, tool.Question{
			Text: problem + "The API key for " + cmp.Or(p.Name, p.ID) + ":", Header: "API key", Kind: tool.SecretQuestion,
		})
		if key = strings.TrimSpace(key); err != nil || !answered || key == "" {
			return "", err
		}
		text, err := a.StoreKey(p, key)
		if exit.CodeOf(err) != exit.Input {
			return text, err
		}
		problem = err.Error() + "\n"
	}
}

func (c Command) signOut(ctx context.Context, a *Accounts, ask tool.Ask, name string) (string, error) {
	if name == "" {
		there, err := a.StoredKeys()
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
	return a.RemoveKey(name)
}

// chooseProvider asks the user for a provider, and returns its id.
func chooseProvider(ctx context.Context, ask tool.Ask, text string, profiles []*provider.Profile) (id string, answered bool, err error) {
	q := tool.Question{Text: text, Header: "Provider", Kind: tool.ChoiceQuestion}
	for _, p := range profiles {
		q.Options = append(q.Options, tool.Option{Label: p.ID, Description: cmp.Or(p.Name, p.ID)})
	}
	id, answered, err = question(ctx, ask, q)
	return strings.TrimSpace(id), answered && strings.TrimSpace(id) != "", err
}

// question asks one question.
func question(ctx context.Context, ask tool.Ask, q tool.Question) (text string, answered bool, err error) {
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

// FormatStored returns a text that lists where keys are stored.
func FormatStored(there map[string]string) string {
	if len(there) == 0 {
		return "No key is stored."
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(there)) {
		lines = append(lines, id+" in "+there[id])
	}
	return strings.Join(lines, "\n")
}
