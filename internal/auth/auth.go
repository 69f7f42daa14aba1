// Package auth determines which model providers the user can reach, and with which
// credentials. It uses the settings and the environment. Only if these are not sufficient, it
// reads the stored API keys (see keyring) or queries the metadata server of Google Cloud.
//
// The user's providers are a set of [Accounts], one of which is the default.
// [Accounts.Resolve] finds the account for a model's name.
package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/llm/provider"
)

// Type is a way to authenticate, by its name in settings: one of the constants, or the id of a
// provider.
type Type string

// The types. Pollux does not support GoogleLogin, but reports that. CloudShell is an old name
// of ComputeADC.
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

// Inputs are the inputs of [Open].
type Inputs struct {
	Settings *config.Settings
	Env      *config.FolderEnv
	// Warn is called for each problem with the user's providers or the stored keys. It may be
	// nil.
	Warn func(string)
	// Context cancels queries outside of settings and environment; nil means no cancellation.
	Context context.Context
	// Interactive reports whether a user can unlock a keychain.
	Interactive bool
	// Launcher starts the program that accesses the keychain of macOS.
	Launcher process.Launcher
	// Typed are the keys that the user has typed in this session, by provider id. They take
	// precedence over all others.
	Typed map[string]Key
}

// Account is a provider that the user can reach, with its credentials.
type Account struct {
	Type Type
	// ConfiguredID is the id under which the user has configured the account. It differs from the ID of
	// the provider if a variable for one provider contains the address of another.
	ConfiguredID string
	// GatewayKeyVar is the variable for the key if a variable leads to a gateway, for which
	// Pollux stores no keys; else "".
	GatewayKeyVar string
	provider.Access
}

// ProviderName returns the name of the provider for people, "" if there is no provider.
func (a Account) ProviderName() string {
	if a.Profile == nil {
		return ""
	}
	return cmp.Or(a.Name, a.ID)
}

// KeySource returns where the credentials of an account are from, "" if it has none.
func (a Account) KeySource() string {
	if a.APIKey == "" && a.AuthToken == "" && a.Profile != nil && (a.Keyless || a.From == a.AddressVar) {
		return ""
	}
	return a.From
}

// Accounts are the providers that the user can reach. After [Open] and [Accounts.Adopt] they
// are safe for concurrent use.
type Accounts struct {
	// Network describes how to connect to providers; see [Accounts.NetworkOf].
	Network provider.Network
	// Chosen is the type of the default account, "" if there is none. Selected reports whether
	// the settings select it. Why is the variable or setting that determined it.
	Chosen   Type
	Selected bool
	Why      string

	in         Inputs
	table      *provider.Table
	read       sync.Once // initializes table
	enforced   Type
	found      *Account    // discovered on this machine, not configured
	looked     atomic.Bool // whether Discover has looked for servers
	fromStored bool        // the default is known only from the stored keys
	opened     sync.Once
	keys       *keyring
	withheld   sync.Once // limits the warning about an unused key to one
	machine    func() (machine, error)
	adcError   func() error // the error of Google's default credentials
}

// Open determines the user's accounts. Errors have exit code 41 and are meant for the user.
// The accounts are not nil in this case, but only suitable for diagnosis.
func Open(in Inputs) (*Accounts, error) {
	if in.Context == nil {
		in.Context = context.Background()
	}
	a := &Accounts{in: in}
	a.machine, a.adcError = sync.OnceValues(a.askMachine), sync.OnceValue(a.checkADC)
	err := a.choose()
	if err == nil {
		a.Network, err = Network(in.Env)
		a.Network.Timeouts = timeouts(in.Settings)
	}
	return a, err
}

// choose determines the default: the type in the settings, else the type that the environment
// implies, else the type of a stored key. A stored key also replaces the GoogleLogin of the settings, which is
// for Gemini CLI. It returns an error if the settings enforce another type.
func (a *Accounts) choose() error {
	for _, key := range [...]config.String{config.AuthOwnType, config.AuthSelectedType} {
		if a.Chosen = a.typeOf(key.In(a.in.Settings)); a.Chosen != "" {
			a.Selected, a.Why = true, string(key)
			break
		}
	}
	if a.Chosen == "" {
		a.Chosen, a.Why = a.fromEnv()
	}
	a.enforced = a.typeOf(config.AuthEnforcedType.In(a.in.Settings))
	if isLogin := a.Selected && a.Chosen == GoogleLogin; a.Chosen == "" || isLogin {
		if t, why := a.stored(); t != "" {
			a.Chosen, a.Why, a.Selected, a.fromStored = t, why, false, true
		}
	}
	if a.enforced != "" && a.Chosen == "" {
		return exit.Errorf(exit.Auth, "The auth type '%s' is enforced, but no authentication is configured.", a.enforced)
	}
	return a.permit(a.Chosen)
}

// permit returns an error if the settings enforce another type than t.
func (a *Accounts) permit(t Type) error {
	if a.enforced == "" || a.enforced == t {
		return nil
	}
	return exit.Errorf(exit.Auth, "The enforced authentication type is '%s', but the current type is '%s'. "+
		"Please re-authenticate with the correct type.", a.enforced, t)
}

// typeOf returns the type for a name in the settings: one of Google's, or that of the provider
// with this name.
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
		return t // not a type; reported when it is used
	case isGoogle(p):
		return a.googleType(p)
	}
	return Type(p.ID)
}

// fromEnv returns the type that the environment implies, "" if there is none, and the variable
// that implies it. Google's types come first, then the providers in the order of their table.
func (a *Accounts) fromEnv() (Type, string) {
	login, vertex := switchVar{"GOOGLE_GENAI_USE_GCA", GoogleLogin}, switchVar{"GOOGLE_GENAI_USE_VERTEXAI", VertexAI}
	if chosen, why := switched(a.in.Env, login, vertex); chosen != "" {
		return chosen, why
	}
	for p := range a.Table().All() {
		// A provider whose variable other programs use too must be named explicitly.
		if named := p.OnlyNamed || p.ID == "vertexai"; named && p.APIKey == "" {
			continue
		}
		if !isGoogle(p) && a.in.Env.True("GEMINI_CLI_USE_COMPUTE_ADC") {
			break // Google's types come first
		}
		switch access, found := a.plain(p); {
		case !found:
		case isGoogle(p):
			return a.googleType(p), access.From
		default:
			return Type(p.ID), access.From
		}
	}
	// In a Cloud Shell, CLOUD_SHELL is always set, so everything else that the user has set has priority.
	return switched(a.in.Env, switchVar{"GEMINI_CLI_USE_COMPUTE_ADC", ComputeADC}, switchVar{"CLOUD_SHELL", ComputeADC})
}

// Table returns all known providers: the built-in ones and the user's. It ignores those of the
// workspace, whose author could otherwise redirect the user's keys.
func (a *Accounts) Table() *provider.Table {
	a.read.Do(func() {
		a.table = provider.Builtin()
		for _, scope := range [...]config.Scope{config.SystemDefaults, config.User, config.System, config.CommandLine} {
			a.addOwn(scope)
		}
		if _, set := a.in.Settings.ForScope(config.Workspace).Lookup(string(config.ModelProviders)); set {
			a.warn("modelProviders in this project's settings is ignored, because it decides where keys are sent. Move it to " + a.in.Settings.UserFile())
		}
	})
	return a.table
}

// addOwn adds the providers of one of the user's settings files.
func (a *Accounts) addOwn(scope config.Scope) {
	var own map[string]json.RawMessage
	if err := config.ModelProviders.Decode(a.in.Settings.ForScope(scope), &own); err != nil {
		a.warn(err.Error())
		return
	}
	for _, id := range slices.Sorted(maps.Keys(own)) {
		if IsReserved(id) && a.table.Find(id) == nil {
			delete(own, id)
			a.warn("modelProviders." + id + " is ignored: security.auth.selectedType uses this name for a Google sign-in type")
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

// NetworkOf returns the network settings for an account's provider: n, but with the headers of
// GEMINI_CLI_CUSTOM_HEADERS only for the default account, because they may contain a key.
func (a *Accounts) NetworkOf(one Account, n provider.Network) provider.Network {
	if def, err := a.Default(); err != nil || def.ConfiguredID != one.ConfiguredID {
		n.Header = nil
	}
	return n
}

// Discover returns the model servers on this machine. It returns nil if the setting
// pollux.localServers is off.
func (a *Accounts) Discover(ctx context.Context) []provider.Access {
	if !config.LocalServers.In(a.in.Settings) {
		return nil
	}
	a.looked.Store(true)
	found := a.Table().Discover(ctx, time.Duration(config.LocalServerTimeout.In(a.in.Settings)*float64(time.Millisecond)))
	return slices.DeleteFunc(found, func(access provider.Access) bool { return a.permit(Type(access.ID)) != nil })
}

// Adopt makes a server on this machine the default if there is no other.
func (a *Accounts) Adopt(access provider.Access) {
	if a.Chosen == "" {
		a.found = &Account{Type: Type(access.ID), ConfiguredID: access.ID, Access: access}
		a.Chosen, a.Why = a.found.Type, access.From+" answers"
	}
}

// Default returns the account for models whose name does not determine another. The error names
// the missing variables or keys.
func (a *Accounts) Default() (Account, error) {
	switch {
	case a.found != nil:
		return *a.found, nil
	case a.Chosen == "":
		return Account{}, a.nothingSetUp()
	}
	return a.Find(string(a.Chosen))
}

// Find returns the account for a type, or for a provider's id or alias. The error names the
// missing variables or keys.
func (a *Accounts) Find(name string) (Account, error) {
	return a.findWith(Type(name), a.access)
}

// findWith is Find with a choice of where credentials are read from.
func (a *Accounts) findWith(t Type, access reading) (Account, error) {
	one, err := a.find(t, access)
	if err == nil {
		err = a.permit(one.Type)
	}
	if err == nil {
		err = checkAccount(&one)
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
		return Account{}, exit.Errorf(exit.Auth, "Unknown provider %q. 'pollux doctor' lists the providers; security.auth.selectedType selects one.", t)
	}
	if isGoogle(p) {
		return a.google(a.googleType(p), read)
	}
	if a.isExternal(Type(p.ID)) {
		read = a.plain
	}
	access, found := read(p)
	one := Account{Type: Type(p.ID), ConfiguredID: p.ID, Access: access}
	if isGateway(p, &access) {
		one.GatewayKeyVar = p.KeyVars[0]
	}
	if access.HasCustomAddress() && !p.CustomAddress {
		// A variable for one provider's address may contain another's. If the user has several
		// entries with the same address, they remain different accounts.
		if there := a.Table().FindByAddress(access.BaseURL); there != nil && there.ID != p.ID && there.Protocol == p.Protocol {
			one.Access = access.ServedBy(there)
		}
	}
	switch {
	case found, p.Keyless && !access.LacksAddress():
	case a.isExternal(one.Type) && !access.LacksAddress():
		one.From = string(config.AuthUseExternal)
	default:
		return one, missing(&access)
	}
	return one, nil
}

// isExternal reports whether missing credentials come from elsewhere. Settings can declare
// this for the default account.
func (a *Accounts) isExternal(t Type) bool {
	return t == a.Chosen && config.AuthUseExternal.In(a.in.Settings)
}

// missing returns an error that names the missing part of a provider's account.
func missing(a *provider.Access) error {
	p := a.Profile
	name := cmp.Or(p.Name, p.ID)
	switch {
	case a.LacksAddress():
		return exit.Errorf(exit.Auth, "%s needs an address. Set %s.", name, strings.Join(p.BaseURLVars, " or "))
	case slices.Contains(p.KeyVars, "OPENAI_API_KEY") && !p.CustomAddress:
		return exit.Errorf(exit.Auth, "%s needs an API key. Set OPENAI_API_KEY, or run 'pollux auth set %s'. For a server without keys, set OPENAI_BASE_URL.", name, p.ID)
	}
	vars := Variables(p)
	if len(vars) == 0 {
		return exit.Errorf(exit.Auth, "%s needs an API key. Set apiKey, keyVars or \"keyless\": true in modelProviders.%s.", name, p.ID)
	}
	text := fmt.Sprintf("%s needs an API key. Set %s", name, strings.Join(vars, " or "))
	if isStorable(p) {
		text += ", or run 'pollux auth set " + p.ID + "'"
	}
	return exit.Errorf(exit.Auth, "%s.", text)
}

// Variables returns the names of the environment variables that may hold a provider's
// credentials.
func Variables(p *provider.Profile) []string {
	return slices.Concat(p.KeyVars, p.TokenVars)
}

// SecretVariables returns the names of the environment variables that hold credentials of any
// provider: those of the providers' table, and those that the user's settings refer to
// ("apiKey": "$MY_KEY").
func SecretVariables(s *config.Settings, env *config.FolderEnv) []string {
	a := &Accounts{in: Inputs{Settings: s, Env: env}}
	var names, values []string
	for p := range a.Table().All() {
		names = append(names, Variables(p)...)
		values = append(values, p.Secrets()...)
	}
	for _, pair := range env.List() {
		name, value, _ := strings.Cut(pair, "=")
		if len(value) >= 8 && slices.ContainsFunc(values, func(secret string) bool { return strings.Contains(secret, value) }) {
			names = append(names, name)
		}
	}
	return names
}

// Reachable returns all accounts, the default first, the others in order of precedence.
func (a *Accounts) Reachable() []Account {
	a.keysOf().prefetch()
	return a.reachable(a.access)
}

func (a *Accounts) reachable(read reading) []Account {
	var all []Account
	if one, err := a.Default(); err == nil {
		all = append(all, one)
	}
	for p := range a.Table().All() {
		if slices.ContainsFunc(all, func(one Account) bool { return one.ConfiguredID == p.ID }) {
			continue
		}
		if one, ok := a.reach(p, read); ok {
			all = append(all, one)
		}
	}
	return all
}

// reach returns a provider's account. ok is false if there are no credentials for it.
func (a *Accounts) reach(p *provider.Profile, read reading) (Account, bool) {
	if p == nil {
		return Account{}, false
	}
	if _, found := read(p); !found && !isGoogle(p) {
		return Account{}, false
	}
	one, err := a.findWith(Type(p.ID), read)
	return one, err == nil
}
