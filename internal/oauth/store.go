package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/keychain"
)

// Store has the tokens of all servers between runs.
//
// There are two places, which Gemini CLI has too: its file of tokens, which is not encrypted, and the
// keychain, which it uses when GEMINI_FORCE_ENCRYPTED_FILE_STORAGE is true. A sign-in goes to the keychain,
// and the file stays unchanged, so that Gemini CLI gets the new refresh token as well: many authorization
// servers accept each only once.
type Store struct {
	// File is the path of the file of tokens, such as mcp-oauth-tokens.json.
	File string
	// Keychain must be set.
	Keychain *keychain.Store
	// Service is the name of the sign-ins in the keychain, each of which has its server's name as account; ""
	// is that for MCP servers.
	Service string
	// KeychainOnly neither reads nor writes the file.
	KeychainOnly bool
}

func (s *Store) service() string { return cmp.Or(s.Service, "gemini-cli-oauth") }

// get returns the sign-in to a server that was stored last, nil if there is none. If one place cannot be
// read, it returns the sign-in of the other one with the error.
func (s *Store) get(ctx context.Context, server string) (newest *credential, err error) {
	if !s.KeychainOnly {
		var list []json.RawMessage
		list, err = readFile(s.File)
		newest, _ = fileCredential(list, server)
	}
	secrets, failure := s.Keychain.Get(ctx, s.service(), account(server))
	if failure != nil && !errors.Is(failure, keychain.ErrNotFound) {
		err = errors.Join(err, failure)
	}
	for _, secret := range secrets {
		c, invalid := parseCredential([]byte(secret.Value))
		if invalid == nil && c.Server == server && (newest == nil || c.Updated.After(newest.Updated)) {
			newest = c
		}
	}
	return newest, err
}

// put stores a sign-in: where it was, or in the keychain if it is new. The text, if any, is a message for
// the user.
func (s *Store) put(ctx context.Context, c *credential) (text string, err error) {
	if c.inFile && !s.KeychainOnly {
		return "", changeFile(ctx, s.File, c.Server, c)
	}
	raw, err := c.encode()
	if err != nil {
		return "", err
	}
	stored, err := s.Keychain.Set(ctx, s.service(), account(c.Server), string(raw))
	if err == nil && stored.FallbackReason != nil {
		text = "The sign-in is in the file " + stored.Where + ", because " + stored.FallbackReason.Error() + "."
	}
	return text, err
}

// remove removes the sign-in to a server from all places.
func (s *Store) remove(ctx context.Context, server string) error {
	err := s.Keychain.Remove(ctx, s.service(), account(server))
	if errors.Is(err, keychain.ErrNotFound) {
		err = nil
	}
	if !s.KeychainOnly {
		err = errors.Join(err, changeFile(ctx, s.File, server, nil))
	}
	return err
}

// lock keeps other processes from refreshing the tokens of a server, because a refresh token may be valid
// only once.
func (s *Store) lock(ctx context.Context, server string) (unlock func(), err error) {
	dir := filepath.Dir(s.File)
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(server))
	return durable.LockContext(ctx, filepath.Join(dir, strings.TrimSuffix(filepath.Base(s.File), "tokens.json")+"refresh-"+hex.EncodeToString(sum[:8])))
}

// account returns the name of a server as it is in the keychain.
func account(server string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, server)
}
