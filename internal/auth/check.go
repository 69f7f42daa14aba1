package auth

import (
	"net/url"
	"strings"

	"pollux/internal/exit"
	"pollux/llm/provider"
)

// checkAccount returns an error if the account's address or key cannot be used.
func checkAccount(a *Account) error {
	if a.Protocol != provider.Ollama { // whose address need not be a URL
		if err := checkURL(a.BaseURL); err != nil {
			return err
		}
	}
	return checkKey(exit.Auth, a.APIKey+a.AuthToken, a.From)
}

// checkURL returns an error if an address is not a valid HTTP URL.
func checkURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return exit.Errorf(exit.Auth, "Invalid custom base URL: %s. Write it as https://host/path.", provider.RedactAddress(address))
	}
	return nil
}

// maxKey is the maximum length of a key, in bytes.
const maxKey = 4096

// checkKey returns an error if a key cannot be sent in a header. The error does not contain
// the key.
func checkKey(code exit.Code, key, from string) error {
	switch {
	case len(key) > maxKey:
		return exit.Errorf(code, "The API key in %s is too long: API keys have at most %d characters.", from, maxKey)
	case strings.HasPrefix(key, "\uFEFF"):
		return exit.Errorf(code, "The API key in %s begins with a byte order mark. Remove it.", from)
	case len(key) > 1 && key[0] == key[len(key)-1] && strings.ContainsRune("\"'`", rune(key[0])):
		return exit.Errorf(code, "The API key in %s is in quotation marks. Remove them.", from)
	}
	for _, r := range key {
		if r <= ' ' || r >= 0x7f {
			return exit.Errorf(code, "The API key in %s contains a space, a line break or a non-ASCII character. Remove it.", from)
		}
	}
	return nil
}
