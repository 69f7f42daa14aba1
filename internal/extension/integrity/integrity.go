// Package integrity keeps ~/.gemini/extension_integrity.json: a signature of the record of each
// installed extension, which shows whether another program has changed where updates come from.
// Format, key and place of the key are those of Gemini CLI, so that each program accepts the
// signatures of the other.
package integrity

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/keychain"
)

// The name of the key in the keychain.
const (
	service = "gemini-cli-extension-integrity"
	account = "secret-key"
)

// Limits on the size of the files, in bytes.
const (
	maxFile = 4 << 20
	maxKey  = 4 << 10
)

// Store is the file of signatures.
type Store struct {
	// File is its path.
	File string
	// KeyFile is the file with the key if the keychain cannot be used.
	KeyFile string
	// Keychain has the key.
	Keychain *keychain.Store
}

// New returns the store below ~/.gemini.
func New(geminiDir string, k *keychain.Store) *Store {
	return &Store{
		File: filepath.Join(geminiDir, "extension_integrity.json"), KeyFile: filepath.Join(geminiDir, "integrity.key"), Keychain: k,
	}
}

// State is the result of [Store.Verify].
type State int

// The states.
const (
	Missing  State = iota // the extension has no signature
	Verified              // the record is as it was when it was signed
	Changed               // the record was changed since
)

// signatures are the contents of the file.
type signatures struct {
	Store     map[string]signature `json:"store"`
	Signature string               `json:"signature"` // of Store
}

// signature signs one record. All values are in hexadecimal digits.
type signature struct {
	Hash      string `json:"hash"`
	Signature string `json:"signature"` // of Hash
}

// Verify compares the record of an extension, which is JSON, with its signature. The error
// explains why the file of signatures cannot be used.
func (s *Store) Verify(ctx context.Context, name string, record []byte) (State, error) {
	all, key, err := s.load(ctx)
	if err != nil {
		return Changed, err
	}
	one, ok := all[name]
	if !ok {
		return Missing, nil
	}
	hash, err := hashOf(record)
	if err != nil || !same(one.Hash, hash) || !same(one.Signature, sign(key, hash)) {
		return Changed, nil
	}
	return Verified, nil
}

// Check returns an error if the file of signatures cannot be used: it was changed, or its key is
// lost.
func (s *Store) Check(ctx context.Context) error {
	_, _, err := s.load(ctx)
	return err
}

// Sign stores a signature of the record of an extension, which is JSON.
func (s *Store) Sign(ctx context.Context, name string, record []byte) error {
	hash, err := hashOf(record)
	if err != nil {
		return err
	}
	return s.change(ctx, func(all map[string]signature, key string) { all[name] = signature{hash, sign(key, hash)} })
}

// Remove removes the signature of an extension.
func (s *Store) Remove(ctx context.Context, name string) error {
	all, _, err := s.load(ctx)
	if _, ok := all[name]; err != nil || !ok {
		return err
	}
	return s.change(ctx, func(all map[string]signature, _ string) { delete(all, name) })
}

// change changes the file under a lock.
func (s *Store) change(ctx context.Context, change func(all map[string]signature, key string)) error {
	if err := durable.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
		return err
	}
	unlock, err := durable.LockContext(ctx, s.File)
	if err != nil {
		return fmt.Errorf("cannot lock %s: %w", s.File, err)
	}
	defer unlock()
	all, key, err := s.load(ctx)
	if err != nil {
		return err
	}
	if key == "" {
		if key, err = s.newKey(ctx); err != nil {
			return err
		}
	}
	change(all, key)
	text, err := canonical(all)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(signatures{all, sign(key, text)}, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(s.File, data, 0o600)
}

// load returns the signatures, and the key that they were made with. Without a file, the key is
// the one to make them with, "" if there is none yet.
func (s *Store) load(ctx context.Context) (map[string]signature, string, error) {
	data, err := durable.ReadFile(s.File, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		keys, err := s.keys(ctx)
		return map[string]signature{}, append(keys, "")[0], err
	}
	var all signatures
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil || all.Store == nil {
		return nil, "", fmt.Errorf("cannot read %s. To reset it, delete it", s.File)
	}
	text, err := canonical(all.Store)
	if err != nil {
		return nil, "", err
	}
	keys, err := s.keys(ctx)
	for _, key := range keys {
		if same(all.Signature, sign(key, text)) {
			return all.Store, key, nil
		}
	}
	why := "it was changed, or its key is lost"
	if len(keys) == 0 && err != nil {
		why = strings.TrimSuffix(err.Error(), ".")
	}
	return nil, "", fmt.Errorf("cannot verify %s: %s. To reset it, delete it", s.File, why)
}

// keys returns the stored keys, the one in use first. Gemini CLI and Pollux can have stored several
// if the keychain was available at some times only.
func (s *Store) keys(ctx context.Context) ([]string, error) {
	var keys []string
	found, err := s.Keychain.Get(ctx, service, account)
	for _, secret := range found {
		keys = append(keys, secret.Value)
	}
	if data, fileErr := durable.ReadFile(s.KeyFile, maxKey); fileErr == nil {
		keys = append(keys, strings.TrimSpace(string(data)))
	}
	if errors.Is(err, keychain.ErrNotFound) || len(keys) > 0 {
		err = nil
	}
	return keys, err
}

// newKey makes a key and stores it: in the keychain or, if that is not possible, in a file.
func (s *Store) newKey(ctx context.Context) (string, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	key := hex.EncodeToString(random)
	_, err := s.Keychain.Set(ctx, service, account, key)
	if err != nil && ctx.Err() == nil {
		err = durable.WriteFile(s.KeyFile, []byte(key), 0o600)
	}
	return key, err
}

func sign(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// same compares two values in hexadecimal digits in constant time.
func same(a, b string) bool {
	x, err := hex.DecodeString(a)
	y, err2 := hex.DecodeString(b)
	return err == nil && err2 == nil && hmac.Equal(x, y)
}

// hashOf returns the SHA-256 of a JSON text in its canonical form.
func hashOf(record []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(record))
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("the record of the installation is not valid: %w", err)
	}
	text, err := canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

// canonical returns a value as JSON on one line with sorted keys, as JavaScript writes it.
func canonical(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return unescapeSeparators(strings.TrimSuffix(b.String(), "\n")), nil
}

// unescapeSeparators replaces the escape sequences of U+2028 and U+2029, which JavaScript does not
// write. An escaped backslash begins no sequence.
func unescapeSeparators(text string) string {
	return strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(text)
}
