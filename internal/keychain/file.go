package keychain

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/scrypt"

	"pollux/internal/durable"
)

// file is the encrypted file. Its content is "<iv>:<tag>:<cipher>" in hexadecimal digits,
// where cipher is AES-256-GCM of the JSON {"service": {"account": "secret"}}. The key is
// derived from the names of the machine and the user: this protects secrets from being read by
// accident and in backups, but not from a malicious program of the same user.
type file struct {
	path string
	key  func() ([]byte, error)
}

var _ backend = (*file)(nil)

func newFile(path string) *file { return &file{path, deriveKey} }

// maxFile is the maximum size of the file, in bytes.
const maxFile = 4 << 20

// deriveKey derives the key when it is first needed. That takes about 50 ms, by design of
// scrypt.
var deriveKey = sync.OnceValues(func() ([]byte, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("read the host name: %w", err)
	}
	u, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("read the user name: %w", err)
	}
	name := u.Username[strings.LastIndexByte(u.Username, '\\')+1:] // Windows: DOMAIN\name
	return scrypt.Key([]byte("gemini-cli-oauth"), []byte(host+"-"+name+"-gemini-cli"), 1<<14, 8, 1, 32)
})

type secrets map[string]map[string]string // by service and account

func (f *file) get(_ context.Context, service, account string) (string, error) {
	all, err := f.read()
	if err != nil {
		return "", err
	}
	if secret, ok := all[service][account]; ok {
		return secret, nil
	}
	return "", ErrNotFound
}

func (f *file) list(_ context.Context, service string) ([]string, error) {
	all, err := f.read()
	return slices.Collect(maps.Keys(all[service])), err
}

func (f *file) set(ctx context.Context, service, account, secret string) error {
	if err := durable.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("store a secret: %w", err)
	}
	return f.change(ctx, func(all secrets) error {
		if all[service] == nil {
			all[service] = map[string]string{}
		}
		all[service][account] = secret
		return nil
	})
}

func (f *file) remove(ctx context.Context, service, account string) error {
	if _, err := os.Lstat(f.path); errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return f.change(ctx, func(all secrets) error {
		if _, ok := all[service][account]; !ok {
			return ErrNotFound
		}
		delete(all[service], account)
		if len(all[service]) == 0 {
			delete(all, service)
		}
		return nil
	})
}

// change reads the file, applies the function and writes the file, under a lock. It never
// overwrites a file that cannot be read.
func (f *file) change(ctx context.Context, change func(secrets) error) error {
	unlock, err := durable.LockContext(ctx, f.path)
	switch {
	case ctx.Err() != nil && err != nil:
		return err
	case err != nil:
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	defer unlock()
	all, err := f.read()
	switch {
	case errors.Is(err, ErrNotFound):
		all = secrets{}
	case err != nil:
		return err
	}
	if err := change(all); err != nil {
		return err
	}
	if len(all) == 0 {
		return RemoveFile(f.path)
	}
	return f.write(all)
}

// RemoveFile removes a file with secrets. It does not remove a link to it instead.
func RemoveFile(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// WriteFile writes a file with secrets, which no other user can read, even if others could before.
func WriteFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil { // durable.WriteFile keeps the mode
			return err
		}
	}
	return durable.WriteFile(path, data, 0o600)
}

func (f *file) write(all secrets) error {
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	gcm, err := f.cipher(12)
	if err != nil {
		return err
	}
	iv := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(iv) // it never fails
	sealed := gcm.Seal(nil, iv, text, nil)
	body, tag := sealed[:len(text)], sealed[len(text):]
	data := hex.EncodeToString(iv) + ":" + hex.EncodeToString(tag) + ":" + hex.EncodeToString(body)
	return WriteFile(f.path, []byte(data))
}

// read returns the content of the file. The error is ErrNotFound if there is no file.
func (f *file) read() (secrets, error) {
	data, err := durable.ReadFile(f.path, maxFile)
	if durable.IsAbsent(err) {
		return nil, ErrNotFound
	}
	var all secrets
	if err == nil {
		all, err = f.open(data)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read stored secrets in %s: %w", f.path, err)
	}
	return all, nil
}

// errForeign is the error for every kind of invalid content, because the remedy is always the
// same.
var errForeign = errors.New("the file is damaged or from another machine or user; move it away and store your keys again")

// open decrypts the content of the file. Older files have initialization vectors of 16 bytes.
func (f *file) open(data []byte) (secrets, error) {
	parts := strings.Split(strings.TrimSpace(string(data)), ":")
	if len(parts) != 3 {
		return nil, errForeign
	}
	var raw [3][]byte
	for i, part := range parts {
		var err error
		if raw[i], err = hex.DecodeString(part); err != nil {
			return nil, errForeign
		}
	}
	iv, tag, body := raw[0], raw[1], raw[2]
	if len(iv) != 12 && len(iv) != 16 || len(tag) != 16 {
		return nil, errForeign
	}
	gcm, err := f.cipher(len(iv))
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, iv, slices.Concat(body, tag), nil)
	if err != nil {
		return nil, errForeign
	}
	all := secrets{}
	if json.Unmarshal(bytes.TrimSpace(text), &all) != nil || all == nil {
		return nil, errForeign
	}
	return all, nil
}

func (f *file) cipher(iv int) (cipher.AEAD, error) {
	key, err := f.key()
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithNonceSize(block, iv)
}
