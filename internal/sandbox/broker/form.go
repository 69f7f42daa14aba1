package broker

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/sandbox/network"
)

// form is a credential with its secrets, once they are known.
type form struct {
	Credential
	ctx context.Context // of the broker

	mu    sync.Mutex // guards users
	users map[string]*question
}

// question is one for the secret of a user, with its last answer.
type question struct {
	last   *answer
	asking chan struct{} // closed when there is an answer; nil if it does not ask
}

// maxUsers is the number of users that a program can have asked for.
const maxUsers = 20

// answer is the secret, or the reason why there is none.
type answer struct {
	secret    Secret
	err       error
	at        time.Time
	isRefused bool // by the host
}

const (
	// keepError and keepRefused are the times in which a program cannot have the user's programs asked again, by requests of any number.
	keepError   = 5 * time.Second
	keepRefused = 30 * time.Second
)

// Shortest is the length of the shortest secret, in bytes. Answers and variables are full of shorter texts.
const Shortest = 8

func (a *answer) isOver() bool {
	switch {
	case a.err != nil:
		return time.Since(a.at) > keepError
	case a.isRefused:
		return time.Since(a.at) > keepRefused
	}
	return false
}

// get returns the secret of a user, who counts for secrets that differ by users. Requests at the same time ask for it once.
func (f *form) get(ctx context.Context, user string) (Secret, error) {
	if !f.ByUser {
		user = ""
	}
	f.mu.Lock()
	q := f.users[user]
	if q == nil && len(f.users) >= maxUsers {
		maps.DeleteFunc(f.users, func(_ string, q *question) bool {
			return q.asking == nil && q.last != nil && q.last.err != nil && q.last.isOver()
		})
	}
	switch {
	case q == nil && len(f.users) >= maxUsers:
		f.mu.Unlock()
		return Secret{}, errors.New("commands have asked for too many users")
	case q == nil:
		if f.users == nil {
			f.users = map[string]*question{}
		}
		q = &question{}
		f.users[user] = q
	case q.last != nil && !q.last.isOver():
		defer f.mu.Unlock()
		return q.last.secret, q.last.err
	}
	if q.asking == nil {
		q.asking = make(chan struct{})
		go f.ask(q, user)
	}
	asking := q.asking
	f.mu.Unlock()
	select {
	case <-asking:
	case <-ctx.Done():
		return Secret{}, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return q.last.secret, q.last.err
}

// ask asks for the secret of a user.
func (f *form) ask(q *question, user string) {
	defer crash.Recover()
	a := &answer{err: errors.New("it could not be asked for")}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		a.at = time.Now()
		close(q.asking)
		q.last, q.asking = a, nil
	}()
	a.secret, a.err = f.Secret(f.ctx, user)
	switch text := a.secret.Text; {
	case a.err != nil:
	case text == "":
		a.err = errors.New("there is none")
	case len(text) < Shortest:
		a.err = fmt.Errorf("it has fewer than %d characters, and other text of an answer may be the same", Shortest)
	case strings.ContainsAny(text+a.secret.User, "\r\n\x00"):
		a.err = errors.New("it has more than one line")
	}
	if a.err != nil {
		a.secret = Secret{}
	}
}

// refuse has a secret asked for again, after some time.
func (f *form) refuse(s Secret) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.users {
		if q.last != nil && q.last.err == nil && q.last.secret == s {
			again := *q.last
			again.isRefused = true
			q.last = &again
		}
	}
}

// isFor reports whether the credential belongs to the host of a connection.
func (f *form) isFor(l *led) bool {
	found := f.Hosts.Named(l.host)
	return append(found, addressed(f.Hosts, l.host)...).HasPort(l.port)
}

// addressed returns the hosts with an address that is written out.
func addressed(hosts network.Hosts, text string) (found network.Hosts) {
	for _, h := range hosts {
		if h.Name == "" && h.Addresses.Addr().String() == text {
			found = append(found, h)
		}
	}
	return found
}

const basic = "Basic "

// find reports whether a header is the placeholder, with nothing beside it but a scheme, or a user and a password. In a longer text, a host that shows a part of
// it would show a part of the secret. user is the one beside it, if any.
func (f *form) find(value string) (user string, ok bool) {
	if user, password, isBasic := parseBasic(value); isBasic {
		if password == f.Placeholder {
			return user, true
		}
		return "", user == f.Placeholder
	}
	scheme, word, _ := strings.Cut(value, " ")
	return "", (value == f.Placeholder || word == f.Placeholder && scheme != f.Placeholder) && !isBasicScheme(value)
}

// replace returns a header that find has found with the secret. A token may also be the user, without a password.
func (f *form) replace(value string, s Secret) string {
	user, password, ok := parseBasic(value)
	switch {
	case !ok:
		return strings.Replace(value, f.Placeholder, s.Text, 1)
	case password == f.Placeholder:
		if password = s.Text; s.User != "" {
			user = s.User
		}
	default:
		user = s.Text
	}
	return basic + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// forms returns a text as answers may have it: as it is, in JSON, in URLs, and without the padding and with the letters of other forms of base64.
func forms(text string) []string {
	return []string{text, strings.ReplaceAll(text, "/", `\/`), url.QueryEscape(text), url.PathEscape(text), strings.TrimRight(text, "="), strings.NewReplacer("+", "-", "/", "_").Replace(text)}
}

// isBasicScheme reports whether a header has a user and a password, or should.
func isBasicScheme(value string) bool {
	return len(value) >= len(basic) && strings.EqualFold(value[:len(basic)], basic)
}

// parseBasic returns the user and the password of a header.
func parseBasic(value string) (user, password string, ok bool) {
	if !isBasicScheme(value) {
		return "", "", false
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value[len(basic):]))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(text), ":")
}
