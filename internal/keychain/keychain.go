// Package keychain stores the user's secrets: in the system keychain or, if there is none,
// in an encrypted file below ~/.gemini. Gemini CLI uses the same places, names and formats, so
// each program finds what the other has stored.
//
// A secret is identified by a service and an account. No keychain is contacted until a secret
// is read or written: a keychain that is locked, or belongs to a session that has ended, may
// never respond.
package keychain

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
)

// ErrNotFound means that secret not found.
var ErrNotFound = errors.New("secret not found")

// errNoKeychain means that this machine has no keychain. Users need not know about it.
var errNoKeychain = errors.New("no keychain found")

// System is the Where of secrets in the system keychain.
const System = "the system keychain"

// Options configure a [Store].
type Options struct {
	// File is the path of the encrypted file.
	File string
	// FileOnly disables the system keychain.
	FileOnly bool
	// Bus is the address of the session's D-Bus, which is needed for keychains other than
	// those of macOS and Windows; "" if there is none.
	Bus string
	// Launcher starts the program that accesses the keychain of macOS, with the environment that
	// Environ returns; nil means an empty one.
	Launcher process.Launcher
	Environ  func() []string
	// Interactive reports whether a user is present who can unlock the keychain; Pollux then
	// waits up to two minutes for them. Otherwise a locked keychain is not used. A keychain
	// that does not respond within two seconds is never used.
	Interactive bool
}

// Store gives access to the user's secrets. It is safe for concurrent use.
type Store struct {
	system  backend // nil if there is none
	file    *file
	timeout time.Duration

	mu          sync.Mutex
	unavailable error // why the system keychain is not used any more
}

// Open returns a store. It contacts no keychain yet.
func Open(o Options) *Store {
	s := &Store{file: newFile(o.File), timeout: 2 * time.Second}
	if !o.FileOnly {
		s.system = newSystem(o)
	}
	return s
}

// backend stores secrets in one place. Its errors are ErrNotFound, errNoKeychain or describe
// what is wrong. Its methods return when ctx ends; the caller abandons those that do not.
type backend interface {
	get(ctx context.Context, service, account string) (string, error)
	set(ctx context.Context, service, account, secret string) error
	remove(ctx context.Context, service, account string) error
	list(ctx context.Context, service string) ([]string, error)
}

// Secret is a stored secret. Where is [System] or the path of the encrypted file.
type Secret struct {
	Value, Where string
}

// Get returns the secret from the system keychain and from the encrypted file, in this
// order. Both may have one, with different values, if the keychain was available at some times
// only. The caller has to decide which one is valid. If there is none, the error is
// [ErrNotFound] or the reason why the keychain or file cannot be read.
func (s *Store) Get(ctx context.Context, service, account string) ([]Secret, error) {
	var found []Secret
	value, failure := query(ctx, s, func(ctx context.Context, b backend) (string, error) { return b.get(ctx, service, account) })
	if failure == nil {
		found = append(found, Secret{value, System})
	}
	value, err := s.file.get(ctx, service, account)
	if err == nil {
		found = append(found, Secret{value, s.file.path})
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, mainError(err, failure)
}

// Stored is the result of [Store.Set]. Where is [System] or the path of the encrypted file.
// FallbackReason is the reason why the system keychain was not used; nil if it was, or if
// there is none.
type Stored struct {
	Where          string
	FallbackReason error
}

// Set stores a secret and replaces an existing one. It first tests the system keychain with
// a dummy secret; if the keychain cannot be used, Set stores the secret in the encrypted file,
// and a secret that the keychain may contain stays there.
func (s *Store) Set(ctx context.Context, service, account, secret string) (Stored, error) {
	_, failure := query(ctx, s, func(ctx context.Context, b backend) (struct{}, error) {
		if err := testBackend(ctx, b, service); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, b.set(ctx, service, account, secret)
	})
	if failure == nil {
		// Remove an older secret from the file, so that it does not reappear when the one in
		// the keychain is removed. If that fails, Get still returns the newer one first.
		_ = s.file.remove(ctx, service, account)
		return Stored{Where: System}, nil
	}
	if ctx.Err() != nil {
		return Stored{}, context.Cause(ctx)
	}
	if err := s.file.set(ctx, service, account, secret); err != nil {
		return Stored{}, err
	}
	if errors.Is(failure, errNoKeychain) {
		failure = nil
	}
	return Stored{s.file.path, failure}, nil
}

// testPrefix begins the accounts of dummy secrets, in Gemini CLI too.
const testPrefix = "__keychain_test__"

// testBackend writes, reads and removes a dummy secret.
func testBackend(ctx context.Context, b backend, service string) error {
	account, value := testPrefix+rand.Text()[:16], "test"
	if err := b.set(ctx, service, account, value); err != nil {
		return err
	}
	got, err := b.get(ctx, service, account)
	if err == nil && got != value || errors.Is(err, ErrNotFound) {
		err = errors.New("it does not return stored secrets")
	}
	return cmp.Or(err, b.remove(ctx, service, account))
}

// Remove removes a secret from the system keychain and the encrypted file. The error is
// [ErrNotFound] if neither has it.
func (s *Store) Remove(ctx context.Context, service, account string) error {
	_, failure := query(ctx, s, func(ctx context.Context, b backend) (struct{}, error) {
		return struct{}{}, b.remove(ctx, service, account)
	})
	err := s.file.remove(ctx, service, account)
	switch {
	case failure == nil && errors.Is(err, ErrNotFound), err == nil && (failure == nil || errors.Is(failure, ErrNotFound) || errors.Is(failure, errNoKeychain)):
		return nil
	case err != nil:
		return mainError(err, failure)
	}
	return failure // it may still be there
}

// Entry is the name of a secret. Where is [System] or the path of the encrypted file.
type Entry struct {
	Account, Where string
}

// List returns the secrets of a service, sorted by account. If the keychain or the file cannot
// be read, List returns the entries of the other one together with the error.
func (s *Store) List(ctx context.Context, service string) ([]Entry, error) {
	accounts, failure := query(ctx, s, func(ctx context.Context, b backend) ([]string, error) { return b.list(ctx, service) })
	var entries []Entry
	for _, account := range accounts {
		if !strings.HasPrefix(account, testPrefix) { // left behind by an interrupted test
			entries = append(entries, Entry{account, System})
		}
	}
	accounts, err := s.file.list(ctx, service)
	for _, account := range accounts {
		if !slices.ContainsFunc(entries, func(e Entry) bool { return e.Account == account }) {
			entries = append(entries, Entry{account, s.file.path})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Account, b.Account) })
	if err = mainError(err, failure); errors.Is(err, ErrNotFound) {
		err = nil
	}
	return entries, err
}

// mainError returns the more important of two errors. It is ErrNotFound only if neither
// backend has the secret.
func mainError(file, system error) error {
	switch {
	case file != nil && !errors.Is(file, ErrNotFound):
		return file
	case system == nil, errors.Is(system, errNoKeychain), errors.Is(system, ErrNotFound):
		return file
	}
	return system
}

// query calls the system keychain and waits for the result until the timeout. A keychain
// that has failed is not called again.
func query[T any](ctx context.Context, s *Store, call func(context.Context, backend) (T, error)) (T, error) {
	var none T
	s.mu.Lock()
	unavailable := s.unavailable
	s.mu.Unlock()
	switch {
	case s.system == nil:
		return none, errNoKeychain
	case unavailable != nil:
		return none, unavailable
	}
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(s.timeout, cancel)
	defer timer.Stop()
	callCtx = context.WithValue(callCtx, timerKey{}, timer)
	go func() {
		defer crash.Recover()
		value, err := call(callCtx, s.system)
		results <- result{value, err}
	}()
	var a result
	select {
	case a = <-results:
	case <-callCtx.Done():
		a.err = callCtx.Err()
	}
	switch {
	case a.err == nil, errors.Is(a.err, ErrNotFound):
		return a.value, a.err
	case ctx.Err() != nil:
		return none, context.Cause(ctx)
	case callCtx.Err() != nil:
		a.err = fmt.Errorf("%s does not respond", System)
	case !errors.Is(a.err, errNoKeychain):
		a.err = fmt.Errorf("cannot use %s: %w", System, a.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unavailable = a.err
	return none, a.err
}

type timerKey struct{}

// extendTimeout gives the user two minutes to answer a question of the backend.
func extendTimeout(ctx context.Context) {
	if timer, ok := ctx.Value(timerKey{}).(*time.Timer); ok && timer.Stop() {
		timer.Reset(2 * time.Minute)
	}
}
