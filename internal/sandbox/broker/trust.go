package broker

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// trust knows which programs do not trust the broker, because they take authorities from elsewhere than the variables that they have. They reach
// the hosts as without the broker, with placeholders.
type trust struct {
	mu      sync.Mutex // guards refused
	refused map[string]time.Time
}

// distrustful are programs, by the names of their files, that know no variable for authorities.
var distrustful = [...]string{"java", "wget"}

// again is the time in which a program that has refused the certificate of the broker reaches the hosts without it. An interpreter may do so for one
// of its programs only.
const again = time.Minute

// note has a program that broke off a handshake reach the host when it tries again. Not each says why, and OpenSSL says it in a way that crypto/tls
// does not understand.
func (t *trust) note(program string, err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 100
	if t.refused == nil || len(t.refused) >= most {
		t.refused = map[string]time.Time{}
	}
	t.refused[program] = time.Now()
}

// isRefusedBy reports whether a program does not trust the broker.
func (t *trust) isRefusedBy(program string) bool {
	if slices.Contains(distrustful[:], filepath.Base(program)) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.refused[program]) < again
}
