package keychain

import (
	"context"
	"errors"
	"strings"

	"github.com/danieljoos/wincred"
)

// system returns the Credential Manager. (go-keyring uses it under other names than
// Gemini CLI does.)
func system(Options) backend { return credentials{} }

type credentials struct{}

func (credentials) get(_ context.Context, service, account string) (string, error) {
	c, err := wincred.GetGenericCredential(service + "/" + account)
	if err != nil {
		return "", known(err)
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
		return known(err)
	}
	return known(c.Delete())
}

func (credentials) list(_ context.Context, service string) ([]string, error) {
	all, err := wincred.FilteredList(service + "/*")
	if err != nil {
		return nil, known(err)
	}
	var accounts []string
	for _, c := range all {
		if account, ok := strings.CutPrefix(c.TargetName, service+"/"); ok {
			accounts = append(accounts, account)
		}
	}
	return accounts, nil
}

func known(err error) error {
	if errors.Is(err, wincred.ErrElementNotFound) {
		return ErrNotFound
	}
	return err
}
