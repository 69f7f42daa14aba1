package broker

import (
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// trust knows which programs do not trust the broker, because they take authorities from elsewhere than the variables that they have. They reach
// the hosts as without the broker, with placeholders.
type trust struct {
	mu      sync.Mutex // guards refused
	refused map[refusal]time.Time
}

// refusal is a program, by its file, that has refused the certificate of a host.
type refusal struct{ file, host string }

// distrustful are programs, by the names of their files, that know no variable for authorities.
var distrustful = [...]string{"java", "wget"}

// again is how long a program that refused the broker's certificate bypasses the broker. It is short, because the file may be an interpreter that also
// runs programs which trust the broker.
const again = time.Minute

// note has a program that broke off a handshake reach the host when it tries again, if it did so because of the certificate. OpenSSL says that in a way
// that crypto/tls does not understand.
func (t *trust) note(file, host string, err error) {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok {
		return
	}
	text := op.Err.Error() // crypto/tls keeps the type of alerts to itself
	if !(op.Op == "remote error" && strings.Contains(text, "certificate")) && !(op.Op == "local error" && strings.Contains(text, "bad record MAC")) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 100
	if t.refused == nil || len(t.refused) >= most {
		t.refused = map[refusal]time.Time{}
	}
	t.refused[refusal{file, host}] = time.Now()
}

// isRefusedBy reports whether a program does not trust the broker for a host.
func (t *trust) isRefusedBy(file, host string) bool {
	if slices.Contains(distrustful[:], filepath.Base(file)) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.refused[refusal{file, host}]) < again
}
