// Package auth chooses whose models are asked and how Pollux proves itself to
// them (spec/cli.md §5, spec/agent.md §2, spec/providers.md §1). It only looks at
// settings and the environment: nothing is dialled and no secret store is opened.
//
// What the user has is a set of [Accounts]. One is the default; [Accounts.Resolve]
// finds the one that a model's name asks for.
package auth

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/provider"
)

// Type is a way to authenticate, by its name in settings: one of these, or a
// provider's id.
type Type string

// The types. Those of the second group are known but cannot work here.
const (
	GeminiAPIKey Type = "gemini-api-key"
	VertexAI     Type = "vertex-ai"
	Gateway      Type = "gateway"
	OpenAI       Type = "openai"
	Anthropic    Type = "anthropic"

	GoogleLogin Type = "oauth-personal"
	ComputeADC  Type = "compute-default-credentials"
	CloudShell  Type = "cloud-shell"
)

// Inputs are what the choice depends on.
type Inputs struct {
	Settings *config.Settings
	Env      *config.Env
	// Warn takes what is wrong with the user's providers.
	Warn func(string)
}

// Account is a provider that the user can reach, and how.
type Account struct {
	Type Type
	provider.Access
}

// Accounts are the providers that the user can reach.
type Accounts struct {
	// Network is how all of them are reached.
	Network provider.Network
	// Chosen is the type of the default account, "" if nothing speaks for any,
	// Selected whether the settings name it, and Why what spoke for it.
	Chosen   Type
	Selected bool
	Why      string

	in    Inputs
	table *provider.Table
	found *Account // on this machine, without being told
}

// Open looks at what the user has. Errors have exit code 41 and are for the
// user; their texts are those of spec/cli.md §5.2 where it has one.
func Open(in Inputs) (*Accounts, error) {
	a := &Accounts{in: in}
	if err := a.choose(); err != nil {
		return nil, err
	}
	var err error
	a.Network, err = network(in.Env)
	return a, err
}

const (
	retry = "Update your environment and try again (no reload needed if using .env)!"

	nothingSet = "Please set an Auth method in your %s or specify one of the following environment variables before running: " +
		"GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA"
)

// choose settles the default: the type that settings name, else the one the
// environment speaks for, if it is the one that must be used.
func (a *Accounts) choose() error {
	a.Chosen = Type(strings.TrimSpace(config.AuthSelectedType.In(a.in.Settings)))
	if a.Chosen != "" {
		a.Selected, a.Why = true, "security.auth.selectedType"
	} else {
		a.Chosen, a.Why = a.fromEnv()
	}
	switch enforced := Type(config.AuthEnforcedType.In(a.in.Settings)); {
	case enforced == "" || enforced == a.Chosen:
	case a.Chosen == "":
		return exit.Errorf(exit.Auth, "The auth type '%s' is enforced, but no authentication is configured.", enforced)
	default:
		return exit.Errorf(exit.Auth, "The enforced authentication type is '%s', but the current type is '%s'. "+
			"Please re-authenticate with the correct type.", enforced, a.Chosen)
	}
	return nil
}

// fromEnv returns the type that the environment speaks for, "" for none, and
// what said so: Google's first, then the providers in the order of their table.
func (a *Accounts) fromEnv() (Type, string) {
	if chosen, why := googleFromEnv(a.in.Env); chosen != "" {
		return chosen, why
	}
	for p := range a.Table().All() {
		if isGoogle(p) || p.OnlyNamed {
			continue
		}
		if access, found := p.Access(a.in.Env.Get); found {
			return Type(p.ID), access.From
		}
	}
	return "", ""
}

// Table returns the providers that can be named: the built-in ones, and the
// user's. A workspace has no say in it: whoever wrote it would choose where the
// user's keys go.
func (a *Accounts) Table() *provider.Table {
	if a.table != nil {
		return a.table
	}
	a.table = provider.Builtin()
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.User, config.System, config.CommandLine} {
		var own map[string]json.RawMessage
		err := config.ModelProviders.Decode(a.in.Settings.Only(scope), &own)
		errs := a.table.Add(own)
		if err != nil {
			errs = append(errs, err)
		}
		for _, err := range errs {
			a.warn(err.Error())
		}
	}
	if _, set := a.in.Settings.Only(config.Workspace).Lookup(string(config.ModelProviders)); set {
		a.warn("modelProviders in the workspace's settings is left out: it says where keys are sent. Put it into " + a.in.Settings.UserFile())
	}
	return a.table
}

func (a *Accounts) warn(text string) {
	if a.in.Warn != nil {
		a.in.Warn("Warning: " + text + ".")
	}
}

// Discover returns the servers of models that are on this machine, unless the
// user would not have them looked for.
func (a *Accounts) Discover(ctx context.Context) []provider.Access {
	if !config.LocalServers.In(a.in.Settings) {
		return nil
	}
	return a.Table().Discover(ctx, time.Duration(config.LocalPatience.In(a.in.Settings)*float64(time.Millisecond)))
}

// Adopt makes a server that was found on this machine the default, where there
// is no other.
func (a *Accounts) Adopt(access provider.Access) {
	if a.Chosen == "" {
		a.found = &Account{Type(access.ID), access}
		a.Chosen, a.Why = a.found.Type, access.From+" answers"
	}
}

// Default returns the account that is used where a model's name does not ask for
// another.
func (a *Accounts) Default() (Account, error) {
	switch {
	case a.found != nil:
		return *a.found, nil
	case a.Chosen == "":
		return Account{}, exit.Errorf(exit.Auth, nothingSet, a.in.Settings.UserFile())
	}
	return a.Find(string(a.Chosen))
}

// Find returns the account of a type, or of a provider's id or alias. The error
// says what is missing.
func (a *Accounts) Find(name string) (Account, error) {
	if account, known, err := a.google(Type(name)); known {
		return checked(account, err)
	}
	p := a.Table().Find(name)
	if p == nil {
		return Account{}, exit.Errorf(exit.Auth, "Invalid auth method selected.")
	}
	if isGoogle(p) {
		account, _, err := a.google(a.googleType(p))
		return checked(account, err)
	}
	access, found := p.Access(a.in.Env.Get)
	if access.Elsewhere() {
		// Behind a variable for one provider's address may be another's.
		if there := a.Table().Serving(access.BaseURL); there != nil && there.ID != p.ID && there.Protocol == p.Protocol {
			served := *there
			access.Profile = &served
		}
	}
	var err error
	if !found && !p.Keyless && !config.AuthUseExternal.In(a.in.Settings) {
		err = missing(p)
	}
	return checked(Account{Type(p.ID), access}, err)
}

// missing says what a provider's account lacks.
func missing(p *provider.Profile) error {
	switch Type(p.ID) {
	case OpenAI:
		return exit.Errorf(exit.Auth, "When using OpenAI, you must specify the OPENAI_API_KEY environment variable, or OPENAI_BASE_URL for a server that needs no key.\n"+retry)
	case Anthropic:
		return exit.Errorf(exit.Auth, "When using Anthropic, you must specify the ANTHROPIC_API_KEY or the ANTHROPIC_AUTH_TOKEN environment variable.\n"+retry)
	}
	vars := append(p.KeyVars[:len(p.KeyVars):len(p.KeyVars)], p.TokenVars...)
	name := p.Name
	if name == "" {
		name = p.ID
	}
	if len(vars) == 0 {
		return exit.Errorf(exit.Auth, "%s needs a key, and modelProviders.%s says neither apiKey nor keyVars. Add one of them, or \"keyless\": true.", name, p.ID)
	}
	return exit.Errorf(exit.Auth, "When using %s, you must specify the %s environment variable.\n"+retry, name, strings.Join(vars, " or the "))
}

// checked refuses an account that cannot be reached with what it holds.
func checked(account Account, err error) (Account, error) {
	if err == nil && account.Protocol != provider.Ollama { // whose address need be no URL
		err = checkURL(account.BaseURL)
	}
	for _, key := range [...]string{account.APIKey, account.AuthToken} {
		if err == nil {
			err = checkKey(key)
		}
	}
	return account, err
}

// Reachable returns all the accounts there are, the default first, the others in
// the order in which they would be it.
func (a *Accounts) Reachable() []Account {
	var all []Account
	if one, err := a.Default(); err == nil {
		all = append(all, one)
	}
	for p := range a.Table().All() {
		var one Account
		var err error
		found := true
		if isGoogle(p) {
			one, found, err = a.google(a.googleType(p))
		} else if _, found = p.Access(a.in.Env.Get); found {
			one, err = a.Find(p.ID)
		}
		if found && err == nil && !slices.ContainsFunc(all, func(a Account) bool { return a.ID == one.ID }) {
			all = append(all, one)
		}
	}
	return all
}

// checkKey refuses a key that no header can carry, without showing it.
func checkKey(key string) error {
	for _, r := range key {
		if r <= ' ' || r >= 0x7f {
			return exit.Errorf(exit.Auth, "The API key has a character that no key has (a space, a line break or a letter outside ASCII). "+
				"Check the variable it comes from.")
		}
	}
	return nil
}
