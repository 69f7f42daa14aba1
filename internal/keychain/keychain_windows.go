package keychain

import (
	"context"
	"errors"
	"strings"

	"github.com/danieljoos/wincred"
)

// newSystem returns the Credential Manager of Windows. (go-keyring uses other names than
// Gemini CLI.)
func newSystem(Options) backend { return credentials{} }

type credentials struct{}

func (credentials) get(_ context.Context, service, account string) (string, error) {
	c, err := wincred.GetGenericCredential(service + "/" + account)
	if err != nil {
		return "", translateError(err)
	}
	return string(c.CredentialBlob), nil
}

func (credentials) set(_ context.Context, service, account, secret string) error {
	c := wincred.NewGenericCredential(service + "/" + account)
	c.UserName, c.CredentialBlob, c.Persist = account, []byte(secret), wincred.PersistEnterprise
	return c.Write()
}

func (credentials) remove(_ context.Context, service, account string) error {
	c, err := wincred.GetGenericCredential(service + "/" + account)
	if err != nil {
		return translateError(err)
	}
	return translateError(c.Delete())
}

func (credentials) list(_ context.Context, service string) ([]string, error) {
	all, err := wincred.FilteredList(service + "/*")
	if err != nil {
		return nil, translateError(err)
	}
	var accounts []string
	for _, c := range all {
		if account, ok := strings.CutPrefix(c.TargetName, service+"/"); ok {
			accounts = append(accounts, account)
		}
	}
	return accounts, nil
}

func translateError(err error) error {
	if errors.Is(err, wincred.ErrElementNotFound) {
		return ErrNotFound
	}
	return err
}
