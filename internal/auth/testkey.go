package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/llm"
	"pollux/llm/provider"
)

// Key is an API key with the place where it is stored.
type Key struct{ Value, Where string }

// keyState is the result of a test of a key.
type keyState int

// The states: the provider accepts the key, the provider refuses it, the key cannot be a
// key, the test failed, and the provider has no request to test keys.
const (
	keyAccepted keyState = iota
	keyRefused
	keyInvalid
	keyUntested
	keyUntestable
)

// keyTest is the result of a test of a key. reason is a sentence for the user, without the
// key.
type keyTest struct {
	state  keyState
	reason string
}

// testTimeout is how long a provider has to answer the test of a key.
const testTimeout = 10 * time.Second

// testKey sends the provider a request that costs nothing, with the key.
func (a *Accounts) testKey(ctx context.Context, p *provider.Profile, key string) keyTest {
	if err := checkKey(exit.General, key, "your input"); err != nil {
		return keyTest{keyInvalid, err.Error()}
	}
	access, found := a.accessWith(p, key)
	switch {
	case !found:
		return keyTest{state: keyUntestable} // the address is not known yet
	case a.withholds(p):
		return keyTest{keyUntested, "a .env file of this project decides where the key is sent."}
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	client, err := provider.Open(access, a.Network)
	if err == nil {
		err = client.CheckKey(ctx)
	}
	var failed *llm.Error
	switch {
	case err == nil:
		return keyTest{}
	case errors.Is(err, errors.ErrUnsupported):
		return keyTest{state: keyUntestable}
	case errors.As(err, &failed) && failed.IsBadKey():
		return keyTest{keyRefused, sentence(failed.Error())}
	case errors.As(err, &failed) && slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, failed.Status):
		return keyTest{state: keyUntestable}
	case ctx.Err() != nil:
		return keyTest{keyUntested, hostOf(&access) + " did not answer in time."}
	case errors.As(err, &failed) && failed.Status != 0:
		return keyTest{keyUntested, hostOf(&access) + " returned status " + http.StatusText(failed.Status) + "."}
	}
	return keyTest{keyUntested, "Pollux cannot reach " + hostOf(&access) + "."}
}

// accessWith returns the access to a provider with this key. found is false if its address
// is not known.
func (a *Accounts) accessWith(p *provider.Profile, key string) (access provider.Access, found bool) {
	access, _ = p.Access(a.in.Env.Get)
	access.APIKey, access.AuthToken = key, ""
	if p.ID == "vertexai" {
		access.Project, access.Location = "", "" // express mode
	}
	if isGoogle(p) {
		a.setGoogleOptions(&access)
	}
	return access, !access.LacksAddress()
}

// sentence returns the first line of a provider's message, with a full stop.
func sentence(text string) string {
	return strings.TrimSuffix(shorten(text), ".") + "."
}
