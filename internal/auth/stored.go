package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/keychain"
	"pollux/llm/provider"
)

// keyring is the keys that the user has given to Pollux, or to Gemini CLI, to keep
// (spec/cli.md §5.4). The store is not touched before one is asked for, and then no
// longer than it takes: see [keychain.Options]. It may be used from several goroutines.
type keyring struct {
	ctx   context.Context
	store *keychain.Store
	warn  func(string)

	mu     sync.Mutex
	known  map[string]keychain.Secret // by the provider's id; without a value if there is none
	there  map[string]string          // what List has said, if it was asked
	warned bool
}

// The names under which keys are stored: Gemini CLI's for the one that it has, and our
// own, with the provider's id for the account.
const (
	geminiService = "gemini-cli-api-key"
	geminiAccount = "default-api-key"
	ownService    = "pollux-api-key"
)

func nameOf(p *provider.Profile) (service, account string) {
	if p.ID == "gemini" {
		return geminiService, geminiAccount
	}
	return ownService, p.ID
}

// openKeys returns the keys that are stored where the environment says.
func openKeys(in Inputs) *keyring {
	return &keyring{
		ctx: in.Context, known: map[string]keychain.Secret{}, warn: in.Warn,
		store: keychain.Open(keychain.Options{
			File:     filepath.Join(filepath.Dir(in.Settings.UserFile()), "gemini-credentials.json"),
			FileOnly: in.Env.True("GEMINI_FORCE_FILE_STORAGE"),
			Bus:      in.Env.Get("DBUS_SESSION_BUS_ADDRESS"),
			Person:   in.Person,
		}),
	}
}

// storable reports whether a key of this provider may be stored: it asks for one, and
// there is a variable that would hold it.
func storable(p *provider.Profile) bool { return len(p.KeyVars) > 0 && !p.Keyless }

// record is what is stored of a key, in Gemini CLI's form.
type record struct {
	ServerName string `json:"serverName"`
	Token      struct {
		AccessToken string `json:"accessToken"`
		TokenType   string `json:"tokenType"`
	} `json:"token"`
	UpdatedAt int64 `json:"updatedAt"` // milliseconds since 1970
}

// get returns a provider's key and where it is stored, "" if it is nowhere. That the
// store cannot be used is told once, as a warning.
func (k *keyring) get(p *provider.Profile) (key, where string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	secret, known := k.known[p.ID]
	if known || k.there != nil && k.there[p.ID] == "" {
		return secret.Value, secret.Where
	}
	service, account := nameOf(p)
	found, err := k.store.Get(k.ctx, service, account)
	if err == nil {
		if secret, err = newest(found); err != nil {
			err = errors.New("the key that is stored for " + p.ID + " cannot be read: store it again with pollux auth set " + p.ID)
		}
	}
	if err != nil {
		k.complain(err)
	}
	k.known[p.ID] = secret
	return secret.Value, secret.Where
}

// newest returns the key that was stored last, "" if that is none; the error says that
// there is nothing but what is no record of a key.
func newest(found []keychain.Secret) (secret keychain.Secret, err error) {
	stored := int64(-1)
	for _, one := range found {
		var r record
		if wrong := json.Unmarshal([]byte(one.Value), &r); wrong != nil {
			err = wrong
		} else if at := max(r.UpdatedAt, 0); at > stored {
			stored, secret = at, keychain.Secret{Value: strings.TrimSpace(r.Token.AccessToken), Where: one.Where}
		}
	}
	if stored >= 0 {
		err = nil
	}
	return secret, err
}

// complain tells what is wrong with the store, once.
func (k *keyring) complain(err error) {
	if errors.Is(err, keychain.ErrNotFound) || k.ctx.Err() != nil || k.warned || k.warn == nil {
		return
	}
	k.warned = true
	k.warn("Warning: " + err.Error() + ".")
}

// List returns where keys are stored, by the ids of their providers, which need not be
// in the table any more.
func (k *keyring) List() (map[string]string, error) {
	found := map[string]string{}
	own, err := k.store.List(k.ctx, ownService)
	for _, entry := range own {
		found[entry.Account] = entry.Where
	}
	gemini, err2 := k.store.List(k.ctx, geminiService)
	for _, entry := range gemini {
		if entry.Account == geminiAccount {
			found["gemini"] = entry.Where
		}
	}
	return found, cmp.Or(err, err2)
}

// look finds out which keys there are, before many are asked for.
func (k *keyring) look() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.there != nil {
		return
	}
	var err error
	if k.there, err = k.List(); err != nil {
		k.complain(err)
	}
}

// Set stores a key in place of the one that was there, and says where.
func (k *keyring) Set(p *provider.Profile, key string) (keychain.Stored, error) {
	if err := checkKey(exit.Input, key, "what was entered"); err != nil {
		return keychain.Stored{}, err
	}
	service, account := nameOf(p)
	r := record{ServerName: account, UpdatedAt: time.Now().UnixMilli()}
	r.Token.AccessToken, r.Token.TokenType = key, "ApiKey"
	data, err := json.Marshal(r)
	if err != nil {
		return keychain.Stored{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, p.ID)
	k.there = nil
	stored, err := k.store.Set(k.ctx, service, account, string(data))
	if err != nil {
		return stored, exit.Errorf(exit.General, "The key cannot be stored: %w.", err)
	}
	return stored, nil
}

// Remove forgets the key of a provider, by its id; false if there was none.
func (k *keyring) Remove(id string) (bool, error) {
	service, account := nameOf(&provider.Profile{ID: id})
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, id)
	k.there = nil
	err := k.store.Remove(k.ctx, service, account)
	if errors.Is(err, keychain.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, exit.Errorf(exit.General, "The key may still be stored: %w.", err)
	}
	return true, nil
}

// keysOf returns the stored keys, of which nothing is known before one is needed.
func (a *Accounts) keysOf() *keyring {
	a.opened.Do(func() { a.keys = openKeys(a.in) })
	return a.keys
}

// access returns how a profile is reached with what the environment holds and, if
// all that is missing is a key, with the one that is stored.
func (a *Accounts) access(p *provider.Profile) (provider.Access, bool) {
	access, found := a.plain(p)
	if !a.lacksKey(p, &access) {
		return access, found
	}
	key, where := a.keysOf().get(p)
	if key == "" || a.withholds(p, &access) {
		return access, found
	}
	access, found = p.Access(func(name string) string {
		if name == p.KeyVars[0] {
			return key
		}
		return a.in.Env.Get(name)
	})
	access.From = where
	return access, found
}

// plain does so without stored keys.
func (a *Accounts) plain(p *provider.Profile) (provider.Access, bool) {
	return p.Access(a.in.Env.Get)
}

// lacksKey reports whether a stored key would help. To an address that the environment
// names it is only sent if the user's settings name the provider: what a project brings
// along, such as a .env file, does not bring out a key that was never meant for it.
func (a *Accounts) lacksKey(p *provider.Profile, access *provider.Access) bool {
	switch {
	case access.APIKey != "" || access.AuthToken != "", !storable(p):
		return false
	case p.ID == "vertexai" && access.Project != "" && access.Location != "":
		return false
	case access.From == "" || p.BaseURL == "" && !isGoogle(p):
		return true
	}
	if !a.Selected || a.Chosen != selectedAs(p) {
		return false
	}
	_, projects := a.in.Settings.Only(config.Workspace).Lookup(string(config.AuthSelectedType))
	return !projects
}

// withholds reports whether a stored key stays where it is because a .env file of the
// project says where it would go, or who could read it on the way. That is told once.
func (a *Accounts) withholds(p *provider.Profile, access *provider.Access) bool {
	deciding := []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} // with which anybody is the provider
	if set := slices.IndexFunc(p.BaseURLVars, func(name string) bool { return trimmed(a.in.Env, name) != "" }); set >= 0 {
		deciding = append(deciding, p.BaseURLVars[set])
	}
	if !strings.HasPrefix(cmp.Or(access.BaseURL, "https:"), "https:") {
		deciding = append(deciding, proxyVars...)
	}
	at := slices.IndexFunc(deciding, func(name string) bool { return a.in.Env.OfProject(name) })
	if at >= 0 {
		a.withheld.Do(func() {
			a.warn("the key that is stored for " + p.ID + " is left out: " + deciding[at] + " in this project's .env file decides who would get it. " +
				"If that is meant, set it in your shell")
		})
	}
	return at >= 0
}

// stored returns the type of the first provider of the table whose key is stored, ""
// if there is none; where another one must be used, it is the only one that counts.
func (a *Accounts) stored() (Type, string) {
	switch a.enforced {
	case Gateway, GoogleLogin, ComputeADC:
		return "", "" // which need no key
	}
	if a.keysOf().look(); len(a.keys.there) == 0 {
		return "", ""
	}
	for p := range a.Table().All() {
		if !storable(p) {
			continue
		}
		t := Type(p.ID)
		if isGoogle(p) {
			t = a.googleType(p)
		}
		if a.enforced != "" && a.enforced != t {
			continue
		}
		if key, where := a.keys.get(p); key != "" {
			return t, "a key in " + where
		}
	}
	return "", ""
}
