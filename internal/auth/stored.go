package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/keychain"
	"pollux/llm/provider"
)

// keyring manages the API keys that Pollux or Gemini CLI has stored for the user. It accesses
// the keychain only when a key is needed, for a limited time: see [keychain.Options]. It is
// safe for concurrent use.
type keyring struct {
	ctx   context.Context
	store *keychain.Store
	warn  func(string)

	mu     sync.Mutex
	known  map[string]keychain.Secret // by provider id; an empty value means that there is none
	listed map[string]string          // cached result of List, nil if there is none
	warned bool
}

// The names under which keys are stored: Gemini CLI's names for its key, otherwise our own
// service with the provider's id as account.
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

// openKeys returns the keyring for the environment and settings.
func openKeys(in Inputs) *keyring {
	return &keyring{
		ctx: in.Context, known: map[string]keychain.Secret{}, warn: in.Warn,
		store: keychain.Open(keychain.Options{
			File:        filepath.Join(filepath.Dir(in.Settings.UserFile()), "gemini-credentials.json"),
			FileOnly:    in.Env.User().True("GEMINI_FORCE_FILE_STORAGE"),
			Bus:         in.Env.User().Get("DBUS_SESSION_BUS_ADDRESS"),
			Launcher:    in.Launcher,
			Environ:     in.Env.User().List,
			Interactive: in.Interactive,
		}),
	}
}

// isStorable reports whether a key of this provider can be stored: the provider needs one, and
// there is a variable for it.
func isStorable(p *provider.Profile) bool { return len(p.KeyVars) > 0 && !p.Keyless }

// record is the stored form of a key, the same as in Gemini CLI.
type record struct {
	ServerName string `json:"serverName"`
	Token      struct {
		AccessToken string `json:"accessToken"`
		TokenType   string `json:"tokenType"`
	} `json:"token"`
	UpdatedAt int64 `json:"updatedAt"` // milliseconds since 1970
}

// get returns a provider's key and where it is stored, "" if there is none. If the store
// cannot be used, get warns once.
func (k *keyring) get(p *provider.Profile) (key, where string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	secret, known := k.known[p.ID]
	if known || k.listed != nil && k.listed[p.ID] == "" {
		return secret.Value, secret.Where
	}
	service, account := nameOf(p)
	found, err := k.store.Get(k.ctx, service, account)
	if err == nil {
		if secret, err = newest(found); err != nil {
			err = errors.New("the key stored for " + p.ID + " cannot be read. To store it again: pollux auth set " + p.ID)
		}
	}
	if err != nil {
		k.complain(err)
	}
	k.known[p.ID] = secret
	return secret.Value, secret.Where
}

// newest returns the key that was stored last, "" if there is none. The error is not nil if
// there are only invalid records.
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

// complain warns about a problem with the store, once.
func (k *keyring) complain(err error) {
	if errors.Is(err, keychain.ErrNotFound) || k.ctx.Err() != nil || k.warned || k.warn == nil {
		return
	}
	k.warned = true
	k.warn("Warning: " + err.Error() + ".")
}

// List returns where keys are stored, by provider id. A provider may no longer be in the
// table.
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

// prefetch lists the stored keys, before many of them are requested.
func (k *keyring) prefetch() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.listed != nil {
		return
	}
	var err error
	if k.listed, err = k.List(); err != nil {
		k.complain(err)
	}
}

// Set stores a provider's key, replacing an existing one.
func (k *keyring) Set(p *provider.Profile, key string) (keychain.Stored, error) {
	if err := checkKey(exit.General, key, "your input"); err != nil {
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
	k.listed = nil
	stored, err := k.store.Set(k.ctx, service, account, string(data))
	if err != nil {
		return stored, exit.Errorf(exit.General, "The key cannot be stored: %w.", err)
	}
	return stored, nil
}

// Remove removes a provider's key by its id. It returns false if there was none.
func (k *keyring) Remove(id string) (bool, error) {
	service, account := nameOf(&provider.Profile{ID: id})
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, id)
	k.listed = nil
	err := k.store.Remove(k.ctx, service, account)
	if errors.Is(err, keychain.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, exit.Errorf(exit.General, "The key may still be stored: %w.", err)
	}
	return true, nil
}

// keysOf returns the keyring, and creates it on the first call.
func (a *Accounts) keysOf() *keyring {
	a.opened.Do(func() { a.keys = openKeys(a.in) })
	return a.keys
}

// access returns how to reach a profile's provider with the environment and, if only the key
// is missing, with the stored one.
func (a *Accounts) access(p *provider.Profile) (provider.Access, bool) {
	access, found := a.plain(p)
	if !a.lacksKey(p, &access) {
		return access, found
	}
	key, where := a.keysOf().get(p)
	if key == "" || a.withholds(p) {
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

// plain returns how to reach a profile's provider with the environment only, without stored
// keys.
func (a *Accounts) plain(p *provider.Profile) (provider.Access, bool) {
	typed, ok := a.in.Typed[p.ID]
	if ok {
		if access, found := a.accessWith(p, typed.Value); found && !a.withholds(p) {
			access.From = typed.Where
			return access, true
		}
	}
	return p.Access(a.in.Env.Get)
}

// lacksKey reports whether a stored key would help. A stored key is sent to an address from
// the environment only if the user's settings select the provider: a project, for example with
// a .env file, must not redirect a key that was not meant for it.
func (a *Accounts) lacksKey(p *provider.Profile, access *provider.Access) bool {
	switch {
	case access.APIKey != "" || access.AuthToken != "", !isStorable(p):
		return false
	case p.ID == "vertexai" && access.Project != "" && access.Location != "":
		return false
	case access.From == "" || p.BaseURL == "" && !isGoogle(p):
		return true
	}
	if !a.Selected || a.Chosen != selectedAs(p) {
		return false
	}
	_, isOfProject := a.in.Settings.ForScope(config.Workspace).Lookup(a.Why)
	return !isOfProject
}

// withholds reports whether a stored key must not be used, because a .env file of the project
// determines where it would be sent. It warns once.
func (a *Accounts) withholds(p *provider.Profile) bool {
	name := firstSet(a.in.Env.Get, p.BaseURLVars)
	if name == "" || !a.in.Env.IsSetByProject(name) {
		return false
	}
	a.withheld.Do(func() {
		a.warn("the key stored for " + p.ID + " is not used: " + name + " in this project's .env file decides where the key is sent. " +
			"To use the key, set " + name + " in your shell")
	})
	return true
}

// stored returns the type of the first provider of the table that has a stored key, "" if
// there is none. It skips types that the settings do not permit.
func (a *Accounts) stored() (Type, string) {
	switch a.enforced {
	case Gateway, GoogleLogin, ComputeADC:
		return "", "" // these need no key
	}
	if a.keysOf().prefetch(); len(a.keys.listed) == 0 {
		return "", ""
	}
	for p := range a.Table().All() {
		if !isStorable(p) {
			continue
		}
		t := selectedAs(p)
		if a.enforced != "" && a.enforced != t {
			continue
		}
		if key, where := a.keys.get(p); key != "" {
			return t, "a key in " + where
		}
	}
	return "", ""
}
