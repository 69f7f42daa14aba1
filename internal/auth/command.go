package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
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
func Preselected(env *config.FolderEnv) (Type, error) {
	types := []string{string(GoogleLogin), string(GeminiAPIKey), string(VertexAI), string(CloudShell), string(ComputeADC), string(Gateway)}
	name := env.Get("GEMINI_DEFAULT_AUTH_TYPE")
	if name != "" && !slices.Contains(types, name) {
		return "", exit.Errorf(exit.General, "Invalid value for GEMINI_DEFAULT_AUTH_TYPE: %q. Valid values are: %s.", name, strings.Join(types, ", "))
	}
	return Type(name), nil
}

// StorableFor returns the provider whose key to store: the one with this id, alias or type. If
// name is empty, it is the one of GEMINI_DEFAULT_AUTH_TYPE, or Gemini.
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
		return nil, exit.Errorf(exit.General, "No provider is named %q. Pollux stores keys for: %s.", name, strings.Join(ids(a.storableProviders()), ", "))
	case !isStorable(p):
		return nil, exit.Errorf(exit.General, "%s needs no key. Pollux stores keys for: %s.", cmp.Or(p.Name, p.ID), strings.Join(ids(a.storableProviders()), ", "))
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
	_, text, err := a.storeKey(p, key)
	if err != nil {
		return "", err
	}
	return text + a.advice(p, false) + a.keptLogin(p), nil
}

// keptLogin returns a note that a stored key is used although the settings select GoogleLogin, "" if that is not so. It
// begins with a line feed.
func (a *Accounts) keptLogin(p *provider.Profile) string {
	if !selectsLogin(a.in.Settings) || !a.isDefault(p) {
		return ""
	}
	return fmt.Sprintf("\nPollux uses this key. %s stays %q for Gemini CLI.", config.AuthSelectedType, GoogleLogin)
}

// selectsLogin reports whether the settings select GoogleLogin, and nothing else for Pollux.
func selectsLogin(s *config.Settings) bool {
	return selectionKey(s) == config.AuthSelectedType && Type(strings.TrimSpace(config.AuthSelectedType.In(s))) == GoogleLogin
}

// selectionKey returns the setting that selects a type for Pollux.
func selectionKey(s *config.Settings) config.String {
	if config.AuthOwnType.In(s) != "" {
		return config.AuthOwnType
	}
	return config.AuthSelectedType
}

// TestAndStoreKey tests a provider's key and stores it, unless the provider refuses it. It
// returns a message like that of [Accounts.StoreKey].
func (a *Accounts) TestAndStoreKey(ctx context.Context, p *provider.Profile, key string) (string, error) {
	tested := a.testKey(ctx, p, key)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case tested.state == keyInvalid:
		return "", exit.Errorf(exit.General, "%s", tested.reason)
	case tested.state == keyRefused:
		return "", exit.Errorf(exit.Auth, "%s did not accept the key: %s Pollux did not store it.", cmp.Or(p.Name, p.ID), tested.reason)
	}
	text, err := a.StoreKey(p, key)
	if err == nil && tested.state == keyUntested {
		text += "\nThe key is not tested: " + tested.reason
	}
	return text, err
}

// storeKey stores a provider's key. It returns the place, and a message for the user.
func (a *Accounts) storeKey(p *provider.Profile, key string) (where, text string, err error) {
	if err := a.CheckStorable(p); err != nil {
		return "", "", err
	}
	stored, err := a.keysOf().Set(p, key)
	if err != nil {
		return "", "", err
	}
	text = fmt.Sprintf("Stored the key for %s in %s.", cmp.Or(p.Name, p.ID), a.in.display(stored.Where))
	if stored.FallbackReason != nil {
		text += " The keychain is not available: " + stored.FallbackReason.Error() + "."
	}
	if stored.Where != keychain.System {
		text += "\nOther programs that you run can read this file."
	}
	return stored.Where, text, nil
}

// display returns the form of a path for people. Other texts stay as they are.
func (in Inputs) display(path string) string {
	return config.NewPaths(in.Env.User(), filepath.Dir(path)).Display(path)
}

// advice returns when a stored key is used, "" if it is used always. It begins with a line
// feed. isDefault reports whether the settings on disk select the provider.
func (a *Accounts) advice(p *provider.Profile, isDefault bool) string {
	if name := firstSet(a.in.Env.Get, Variables(p)); name != "" {
		return "\n" + name + " is set and takes precedence. To use the stored key, unset it."
	}
	if isDefault {
		return ""
	}
	if a.isDefault(p) {
		return ""
	}
	key := selectionKey(a.in.Settings)
	if selectsLogin(a.in.Settings) {
		key = config.AuthOwnType
	}
	return fmt.Sprintf("\nTo use it: pollux --model %s/%s\nTo make it the default: pollux config set %s %s",
		p.ID, cmp.Or(p.Model, "NAME"), key, selectedAs(p))
}

// isDefault reports whether the provider is the default, with the keys that are stored now.
func (a *Accounts) isDefault(p *provider.Profile) bool {
	in := a.in
	in.Warn = nil // warnings were already given
	again, err := Open(in)
	def, wrong := again.Default()
	return err == nil && wrong == nil && def.ConfiguredID == p.ID
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
		return "", exit.Errorf(exit.General, "No key for %s is stored. To list the stored keys: pollux auth list", shown)
	}
	return fmt.Sprintf("Removed the key for %s.", shown), nil
}

// StoredKeys returns where keys are stored, by provider id.
func (a *Accounts) StoredKeys() (map[string]string, error) { return a.keysOf().List() }

// Command is the /auth command of a session.
type Command struct {
	Inputs
	// Paths lead to the settings file in which SignIn selects Gemini's type.
	Paths *config.Paths
	// Notify shows the person a text while SignIn waits for a provider; nil shows none.
	Notify func(text string)
	// StoresOnly means that no session follows, so that a key has an effect only if it is stored.
	StoresOnly bool
	// OffersSignOut means that SignIn also offers to remove a stored key.
	OffersSignOut bool
}

// open returns the accounts even if there are errors: keys can be stored in any case.
func (c Command) open(ctx context.Context) *Accounts {
	c.Context, c.Interactive = ctx, true
	a, _ := Open(c.Inputs)
	return a
}

// IsUnset reports whether no provider is set up, not even an incomplete one.
func (c Command) IsUnset(ctx context.Context) bool { return c.open(ctx).Chosen == "" }

const unchanged = "Nothing was changed."

// List lists where keys are stored.
func (c Command) List(ctx context.Context) (string, error) {
	there, err := c.open(ctx).StoredKeys()
	return FormatStored(there), err
}

// SignOut removes the stored key of the provider called name, and asks for the provider if
// name is empty. It returns the provider's id, "" if the person has cancelled or there is no key,
// and a message for the user.
func (c Command) SignOut(ctx context.Context, ask tool.Ask, name string) (id, text string, err error) {
	a := c.open(ctx)
	if name == "" {
		if name, text, err = c.pickStored(ctx, a, ask); name == "" {
			return "", text, err
		}
	}
	id = name
	if p := a.FindProfile(name); p != nil {
		id = p.ID
	}
	text, err = a.RemoveKey(name)
	return id, text, err
}

// pickStored asks for one of the providers with a stored key. text is a message for the user if
// there is none.
func (c Command) pickStored(ctx context.Context, a *Accounts, ask tool.Ask) (name, text string, err error) {
	there, err := a.StoredKeys()
	switch {
	case err != nil:
		return "", "", err
	case len(there) == 0:
		return "", "No key is stored.", nil
	}
	q := tool.Question{Text: "Which key do you want to remove?", Header: "Provider", Kind: tool.ChoiceQuestion, Closed: true}
	for _, id := range slices.Sorted(maps.Keys(there)) {
		q.Options = append(q.Options, tool.Option{Label: id, Description: c.display(there[id])})
	}
	name, err = question(ctx, ask, q)
	return name, unchanged, err
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
