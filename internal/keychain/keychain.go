// Package keychain keeps the user's secrets: in the keychain of the system, or
// where there is none in an encrypted file below ~/.gemini (spec/cli.md §5.4).
// Gemini CLI keeps its own in the same places under the same names and in the same
// form, so that either program finds what the other has stored.
//
// A secret has the name of a service and of an account. Neither [Open] nor anything
// else touches a keychain before it is asked for a secret: one whose owner has
// logged out, or that waits for somebody to unlock it, may not answer at all.
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
)

// ErrNotFound says that there is no such secret.
var ErrNotFound = errors.New("there is no such secret")

// errAbsent says that this machine has no keychain, which is nothing to complain of.
var errAbsent = errors.New("there is no keychain here")

// System is where a secret of the system's keychain is said to be.
const System = "the system's keychain"

// Options say where secrets are.
type Options struct {
	// File is the path of the encrypted file.
	File string
	// FileOnly leaves the system's keychain alone.
	FileOnly bool
	// Bus is the address of the session's D-Bus, by which keychains other than those
	// of macOS and Windows are reached; "" where there is none.
	Bus string
	// Person says that somebody is there who can be asked to unlock the keychain, and
	// is waited for. Otherwise one that is locked is as good as none, as is in any case
	// one that does not answer for two seconds.
	Person bool
}

// Store is the user's secrets. It may be used from several goroutines.
type Store struct {
	system   backend // nil for none
	file     *file
	patience time.Duration

	mu   sync.Mutex
	down error // why the system's keychain is not asked any more
}

// Open returns the store.
func Open(o Options) *Store {
	s := &Store{file: newFile(o.File), patience: 2 * time.Second}
	if !o.FileOnly {
		s.system = system(o)
	}
	return s
}

// backend is one place for secrets. Its errors are ErrNotFound, errAbsent, or say
// what is wrong; its methods return when ctx ends, or may be left behind.
type backend interface {
	get(ctx context.Context, service, account string) (string, error)
	set(ctx context.Context, service, account, secret string) error
	remove(ctx context.Context, service, account string) error
	list(ctx context.Context, service string) ([]string, error)
}

// Secret is a secret that was found, and where: [System], or the path of the file.
type Secret struct {
	Value, Where string
}

// Get returns a secret: the keychain's, and the file's. It is in both, and may be
// another in each, where the keychain could be used at one time and not at another;
// which one counts, only its content can say. If it is in neither, the error is
// [ErrNotFound], or says what keeps it from being looked for.
func (s *Store) Get(ctx context.Context, service, account string) ([]Secret, error) {
	var found []Secret
	value, failure := ask(ctx, s, func(ctx context.Context, b backend) (string, error) { return b.get(ctx, service, account) })
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
	return nil, worse(err, failure)
}

// Stored says where a secret was put, and if that is not the system's keychain though
// there is one, why.
type Stored struct {
	Where   string
	Instead error
}

// Set stores a secret, in place of the one that was there; one in a keychain that
// cannot be used now stays in it. Whether the keychain can be relied on is tried first
// with a secret of no value.
func (s *Store) Set(ctx context.Context, service, account, secret string) (Stored, error) {
	_, failure := ask(ctx, s, func(ctx context.Context, b backend) (struct{}, error) {
		if err := probe(ctx, b, service); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, b.set(ctx, service, account, secret)
	})
	if failure == nil {
		// One that was stored before there was a keychain would come back with the end of
		// this one. If it cannot be removed, it is still the older of the two.
		_ = s.file.remove(ctx, service, account)
		return Stored{Where: System}, nil
	}
	if ctx.Err() != nil {
		return Stored{}, context.Cause(ctx)
	}
	if err := s.file.set(ctx, service, account, secret); err != nil {
		return Stored{}, err
	}
	if errors.Is(failure, errAbsent) {
		failure = nil
	}
	return Stored{s.file.path, failure}, nil
}

// trial is how the accounts of secrets of no value begin, with Gemini CLI as well.
const trial = "__keychain_test__"

// probe writes, reads and removes a secret.
func probe(ctx context.Context, b backend, service string) error {
	account, value := trial+rand.Text()[:16], "test"
	if err := b.set(ctx, service, account, value); err != nil {
		return err
	}
	got, err := b.get(ctx, service, account)
	if err == nil && got != value || errors.Is(err, ErrNotFound) {
		err = errors.New("it does not give back what is stored in it")
	}
	return cmp.Or(err, b.remove(ctx, service, account))
}

// Remove forgets a secret wherever it is; the error is [ErrNotFound] if it is nowhere.
func (s *Store) Remove(ctx context.Context, service, account string) error {
	_, failure := ask(ctx, s, func(ctx context.Context, b backend) (struct{}, error) {
		return struct{}{}, b.remove(ctx, service, account)
	})
	err := s.file.remove(ctx, service, account)
	switch {
	case failure == nil && errors.Is(err, ErrNotFound), err == nil && (failure == nil || errors.Is(failure, ErrNotFound) || errors.Is(failure, errAbsent)):
		return nil
	case err != nil:
		return worse(err, failure)
	}
	return failure // it may still be there
}

// Entry is the name of a secret, and where it is.
type Entry struct {
	Account, Where string
}

// List returns the secrets of a service, by name. What cannot be looked at is in the
// error; what was found elsewhere is returned all the same.
func (s *Store) List(ctx context.Context, service string) ([]Entry, error) {
	accounts, failure := ask(ctx, s, func(ctx context.Context, b backend) ([]string, error) { return b.list(ctx, service) })
	var entries []Entry
	for _, account := range accounts {
		if !strings.HasPrefix(account, trial) { // one that was cut off
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
	if err = worse(err, failure); errors.Is(err, ErrNotFound) {
		err = nil
	}
	return entries, err
}

// worse returns what the user should know of two failures: that there is no secret
// is news only if both say so.
func worse(file, system error) error {
	switch {
	case file != nil && !errors.Is(file, ErrNotFound):
		return file
	case system == nil, errors.Is(system, errAbsent), errors.Is(system, ErrNotFound):
		return file
	}
	return system
}

// ask puts a question to the system's keychain and waits for the answer for as long
// as there is patience. One that has failed to answer is not asked again.
func ask[T any](ctx context.Context, s *Store, question func(context.Context, backend) (T, error)) (T, error) {
	var none T
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	switch {
	case s.system == nil:
		return none, errAbsent
	case down != nil:
		return none, down
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := time.AfterFunc(s.patience, cancel)
	defer patience.Stop()
	waiting = context.WithValue(waiting, patienceKey{}, patience)
	go func() {
		value, err := question(waiting, s.system)
		answers <- answer{value, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-waiting.Done():
		a.err = waiting.Err()
	}
	switch {
	case a.err == nil, errors.Is(a.err, ErrNotFound):
		return a.value, a.err
	case ctx.Err() != nil:
		return none, context.Cause(ctx)
	case waiting.Err() != nil:
		a.err = fmt.Errorf("%s does not answer", System)
	case !errors.Is(a.err, errAbsent):
		a.err = fmt.Errorf("%s cannot be used: %w", System, a.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = a.err
	return none, a.err
}

type patienceKey struct{}

// bear prolongs the patience with a backend that has asked the person something.
func bear(ctx context.Context) {
	if patience, ok := ctx.Value(patienceKey{}).(*time.Timer); ok && patience.Stop() {
		patience.Reset(2 * time.Minute)
	}
}
