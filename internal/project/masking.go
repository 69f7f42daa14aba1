package project

import (
	"slices"
	"sync"

	"pollux/internal/config"
	"pollux/internal/secret"
)

// SetSecrets sets the function that returns the secrets of a session, such as the keys of its accounts. Maskers
// replace them together with those of the project: of the environment, of extensions, and keys that the person
// typed. The extensions must be loaded.
func (p *Project) SetSecrets(session func() []string) {
	p.masking.set(func() []string {
		texts := slices.Clone(session())
		for _, e := range p.Extensions() {
			texts = append(texts, e.Secrets()...)
		}
		for _, key := range p.newKeys {
			texts = append(texts, key.Value)
		}
		return append(secret.Significant(texts), secret.Values(p.Env().List(), p.keyVariables()...)...)
	})
}

// Masker returns the remover of secrets from the record of the conversation and from exports of it, nil if the
// user wants to keep them there.
func (p *Project) Masker() *secret.Masker {
	if config.KeepSecrets.In(p.Settings()) {
		return nil
	}
	return p.masking.get()
}

// LogMasker returns the remover of secrets from logs and telemetry. The secrets may change, so a masker should not
// be kept.
func (p *Project) LogMasker() *secret.Masker { return p.masking.get() }

// masking makes maskers. It looks up the secrets when something is written.
type masking struct {
	mu      sync.Mutex
	secrets func() []string // nil for none
	masker  *secret.Masker  // nil until the secrets are looked up
}

// set sets the function that returns the secrets.
func (m *masking) set(secrets func() []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.secrets, m.masker = secrets, nil
}

// renew makes get look up the secrets again.
func (m *masking) renew() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.masker = nil
}

// get returns a masker that knows the secrets.
func (m *masking) get() *secret.Masker {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.masker == nil {
		var known []string
		if m.secrets != nil {
			known = m.secrets()
		}
		m.masker = secret.NewMasker(known)
	}
	return m.masker
}
