// Package auth chooses whose models are asked and how Pollux proves itself to
// them (spec/cli.md §5, spec/agent.md §2, spec/providers.md §1). It looks at settings
// and the environment; only what these leave open is looked for elsewhere: a key among
// those that the user has stored (see keyring), the account of a machine of Google's at its
// metadata server.
//
// What the user has is a set of [Accounts]. One is the default; [Accounts.Resolve]
// finds the one that a model's name asks for.
package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/provider"
)

// Type is a way to authenticate, by its name in settings: one of these, or a
// provider's id.
type Type string

// The types. GoogleLogin is known but cannot work here; CloudShell is an older name.
const (
	GeminiAPIKey Type = "gemini-api-key"
	VertexAI     Type = "vertex-ai"
	Gateway      Type = "gateway"
	ComputeADC   Type = "compute-default-credentials"
	OpenAI       Type = "openai"
	Anthropic    Type = "anthropic"

	GoogleLogin Type = "oauth-personal"
	CloudShell  Type = "cloud-shell"
)

// Inputs are what the choice depends on.
type Inputs struct {
	Settings *config.Settings
	Env      *config.Env
	// Warn takes what is wrong with the user's providers, and with the store of keys.
	Warn func(string)
	// Context ends the search for what is neither in settings nor in the environment;
	// nil is for none.
	Context context.Context
	// Person says that somebody is there who can unlock a keychain.
	Person bool
}

// Account is a provider that the user can reach, and how.
type Account struct {
	Type Type
	// As is the id under which the user has set it up: another than the ID of the
	// provider where a variable for one holds the address of the other.
	As string
	provider.Access
}

// Accounts are the providers that the user can reach. Once the default is settled
// they may be used from several goroutines.
type Accounts struct {
	// Network is how they are reached; see [Accounts.NetworkOf].
	Network provider.Network
	// Chosen is the type of the default account, "" if nothing speaks for any,
	// Selected whether the settings name it, and Why what spoke for it.
	Chosen   Type
	Selected bool
	Why      string

	in       Inputs
	table    *provider.Table
	read     sync.Once // the table
	enforced Type
	found    *Account // on this machine, without being told
	kept     bool     // the default was only found among the stored keys
	opened   sync.Once
	keys     *keyring
	withheld sync.Once // that a key is has been told
	machine  func() (machine, error)
	wrong    func() error // what is wrong with Google's default credentials
}

// Open looks at what the user has. Errors have exit code 41 and are for the
// user; their texts are those of spec/cli.md §5.2 where it has one. The accounts
// are then fit for a diagnosis only.
func Open(in Inputs) (*Accounts, error) {
	if in.Context == nil {
		in.Context = context.Background()
	}
	a := &Accounts{in: in}
	a.machine, a.wrong = sync.OnceValues(a.askMachine), sync.OnceValue(a.checkADC)
	err := a.choose()
	if err == nil {
		a.Network, err = network(in.Env)
	}
	return a, err
}

const (
	retry = "Update your environment and try again (no reload needed if using .env)!"

	nothingSet = "Please set an Auth method in your %s or specify one of the following environment variables before running: " +
		"GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA"
)

// choose settles the default: the type that settings name, else the one the
// environment speaks for, else that of a stored key, if it is the one that must be used.
func (a *Accounts) choose() error {
	a.Chosen = a.typeOf(config.AuthSelectedType.In(a.in.Settings))
	if a.Chosen != "" {
		a.Selected, a.Why = true, string(config.AuthSelectedType)
	} else {
		a.Chosen, a.Why = a.fromEnv()
	}
	a.enforced = a.typeOf(config.AuthEnforcedType.In(a.in.Settings))
	if a.Chosen == "" {
		a.Chosen, a.Why = a.stored()
		a.kept = a.Chosen != ""
	}
	if a.enforced != "" && a.Chosen == "" {
		return exit.Errorf(exit.Auth, "The auth type '%s' is enforced, but no authentication is configured.", a.enforced)
	}
	return a.permit(a.Chosen)
}

// permit refuses a type where another one must be used, be it that of a model
// which was named.
func (a *Accounts) permit(t Type) error {
	if a.enforced == "" || a.enforced == t {
		return nil
	}
	return exit.Errorf(exit.Auth, "The enforced authentication type is '%s', but the current type is '%s'. "+
		"Please re-authenticate with the correct type.", a.enforced, t)
}

// typeOf returns the type that a name in the settings means: one of Google's, or
// that of the provider which goes by it.
func (a *Accounts) typeOf(name string) Type {
	t := Type(strings.TrimSpace(name))
	switch {
	case t == CloudShell:
		return ComputeADC
	case t == "" || t.isGoogles():
		return t
	}
	p := a.Table().Find(string(t))
	switch {
	case p == nil:
		return t // which is no type; that is said when it is used
	case isGoogle(p):
		return a.googleType(p)
	}
	return Type(p.ID)
}

// fromEnv returns the type that the environment speaks for, "" for none, and
// what said so: Google's first, then the providers in the order of their table.
func (a *Accounts) fromEnv() (Type, string) {
	if chosen, why := switched(a.in.Env); chosen != "" {
		return chosen, why
	}
	for p := range a.Table().All() {
		// With a variable that is other programs', too, one has to name it.
		if named := p.OnlyNamed || p.ID == "vertexai"; named && p.APIKey == "" {
			continue
		}
		if !isGoogle(p) && a.in.Env.True("GEMINI_CLI_USE_COMPUTE_ADC") {
			break // Google's come first
		}
		switch access, found := a.plain(p); {
		case !found:
		case isGoogle(p):
			return a.googleType(p), access.From
		default:
			return Type(p.ID), access.From
		}
	}
	return computeFromEnv(a.in.Env)
}

// Table returns the providers that can be named: the built-in ones, and the
// user's. A workspace has no say in it: whoever wrote it would choose where the
// user's keys go.
func (a *Accounts) Table() *provider.Table {
	a.read.Do(func() {
		a.table = provider.Builtin()
		for _, scope := range [...]config.Scope{config.SystemDefaults, config.User, config.System, config.CommandLine} {
			a.addOwn(scope)
		}
		if _, set := a.in.Settings.Only(config.Workspace).Lookup(string(config.ModelProviders)); set {
			a.warn("modelProviders in the workspace's settings is left out: it says where keys are sent. Put it into " + a.in.Settings.UserFile())
		}
	})
	return a.table
}

// addOwn adds the providers of one of the user's files.
func (a *Accounts) addOwn(scope config.Scope) {
	var own map[string]json.RawMessage
	if err := config.ModelProviders.Decode(a.in.Settings.Only(scope), &own); err != nil {
		a.warn(err.Error())
		return
	}
	for _, id := range slices.Sorted(maps.Keys(own)) {
		if Type(id).isGoogles() && a.table.Find(id) == nil {
			delete(own, id)
			a.warn("modelProviders." + id + " is left out: security.auth.selectedType means one of Google's by that name")
		}
	}
	for _, err := range a.table.Add(own) {
		a.warn(err.Error())
	}
}

func (a *Accounts) warn(text string) {
	if a.in.Warn != nil {
		a.in.Warn("Warning: " + text + ".")
	}
}

// NetworkOf returns how an account's provider is reached: as n says, but that the
// headers of GEMINI_CLI_CUSTOM_HEADERS, which may hold a key, go to the default
// account's provider alone.
func (a *Accounts) NetworkOf(one Account, n provider.Network) provider.Network {
	if def, err := a.Default(); err != nil || def.As != one.As {
		n.Header = nil
	}
	return n
}

// Discover returns the servers of models that are on this machine, unless the
// user would not have them looked for.
func (a *Accounts) Discover(ctx context.Context) []provider.Access {
	if !config.LocalServers.In(a.in.Settings) {
		return nil
	}
	found := a.Table().Discover(ctx, time.Duration(config.LocalPatience.In(a.in.Settings)*float64(time.Millisecond)))
	return slices.DeleteFunc(found, func(access provider.Access) bool { return a.permit(Type(access.ID)) != nil })
}

// Adopt makes a server that was found on this machine the default, where there
// is no other.
func (a *Accounts) Adopt(access provider.Access) {
	if a.Chosen == "" {
		a.found = &Account{Type(access.ID), access.ID, access}
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
	return a.with(Type(name), a.access)
}

// with does so with what access says of profiles.
func (a *Accounts) with(t Type, access reading) (Account, error) {
	one, err := a.find(t, access)
	if err == nil {
		err = a.permit(one.Type)
	}
	if err == nil {
		err = checked(&one)
	}
	return one, err
}

// reading returns how a profile is reached: [Accounts.access] or [Accounts.plain].
type reading func(*provider.Profile) (provider.Access, bool)

func (a *Accounts) find(t Type, read reading) (Account, error) {
	if t.isGoogles() {
		return a.google(t, read)
	}
	p := a.Table().Find(string(t))
	if p == nil {
		return Account{}, exit.Errorf(exit.Auth, "Invalid auth method selected.")
	}
	if isGoogle(p) {
		return a.google(a.googleType(p), read)
	}
	if a.external(Type(p.ID)) {
		read = a.plain
	}
	access, found := read(p)
	one := Account{Type(p.ID), p.ID, access}
	if access.Elsewhere() && !p.Own {
		// Behind a variable for one provider's address may be another's. Entries of
		// the user's at one address are several all the same.
		if there := a.Table().Serving(access.BaseURL); there != nil && there.ID != p.ID && there.Protocol == p.Protocol {
			one.Profile, one.Model = there, cmp.Or(access.Model, there.Model)
		}
	}
	switch {
	case found, p.Keyless && !access.Nowhere():
	case a.external(one.Type) && !access.Nowhere():
		one.From = string(config.AuthUseExternal)
	default:
		return one, missing(&access)
	}
	return one, nil
}

// external reports whether what is missing of an account comes from elsewhere, as
// the settings may say of the default one.
func (a *Accounts) external(t Type) bool {
	return t == a.Chosen && config.AuthUseExternal.In(a.in.Settings)
}

// missing says what a provider's account lacks.
func missing(a *provider.Access) error {
	p := a.Profile
	name := cmp.Or(p.Name, p.ID)
	switch {
	case a.Nowhere():
		return exit.Errorf(exit.Auth, "When using %s, you must specify its address in the %s environment variable.\n"+retry, name, strings.Join(p.BaseURLVars, " or the "))
	case slices.Contains(p.KeyVars, "OPENAI_API_KEY") && !p.Own:
		return exit.Errorf(exit.Auth, "When using OpenAI, you must specify the OPENAI_API_KEY environment variable, or OPENAI_BASE_URL for a server that needs no key.\n"+retry)
	}
	vars := Variables(p)
	if len(vars) == 0 {
		return exit.Errorf(exit.Auth, "%s needs a key, and modelProviders.%s says neither apiKey nor keyVars. Add one of them, or \"keyless\": true.", name, p.ID)
	}
	return exit.Errorf(exit.Auth, "When using %s, you must specify the %s environment variable.\n"+retry, name, strings.Join(vars, " or the "))
}

// Variables returns the names of those that may hold what proves who asks.
func Variables(p *provider.Profile) []string {
	return slices.Concat(p.KeyVars, p.TokenVars)
}

// Secrets returns the names of the variables that hold what proves who asks, whoever
// is asked: those that providers have, and those whose values the user has put into
// the settings of one ("apiKey": "$MY_KEY").
func Secrets(in Inputs) []string {
	a := &Accounts{in: Inputs{Settings: in.Settings, Env: in.Env}}
	var names, values []string
	for p := range a.Table().All() {
		names = append(names, Variables(p)...)
		values = append(values, p.Secrets()...)
	}
	for _, pair := range in.Env.List() {
		name, value, _ := strings.Cut(pair, "=")
		if len(value) >= 8 && slices.ContainsFunc(values, func(secret string) bool { return strings.Contains(secret, value) }) {
			names = append(names, name)
		}
	}
	return names
}

// Reachable returns all the accounts there are, the default first, the others in
// the order in which they would be it.
func (a *Accounts) Reachable() []Account {
	a.keysOf().look()
	return a.reachable(a.access)
}

func (a *Accounts) reachable(read reading) []Account {
	var all []Account
	if one, err := a.Default(); err == nil {
		all = append(all, one)
	}
	for p := range a.Table().All() {
		if slices.ContainsFunc(all, func(one Account) bool { return one.As == p.ID }) {
			continue
		}
		if one, ok := a.reach(p, read); ok {
			all = append(all, one)
		}
	}
	return all
}

// reach returns a provider's account, if there is anything that speaks for it.
func (a *Accounts) reach(p *provider.Profile, read reading) (Account, bool) {
	if p == nil {
		return Account{}, false
	}
	if _, found := read(p); !found && !isGoogle(p) {
		return Account{}, false
	}
	one, err := a.with(Type(p.ID), read)
	return one, err == nil
}
