package project

import (
	"sync"

	"pollux/internal/config"
	"pollux/internal/secret"
)

// masking removes the secrets of a session from its file, its logs and exports. The
// secrets are looked up when something is written.
type masking struct {
	mu      sync.Mutex
	secrets func() []string
	masker  *secret.Masker // nil until the secrets are looked up
}

// Set sets how the secrets are looked up from now on.
func (m *masking) Set(secrets func() []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.secrets, m.masker = secrets, nil
}

// renew has the secrets looked up again.
func (m *masking) renew() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.masker = nil
}

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

// text is [secret.Masker.Text] with the secrets that are known now.
func (m *masking) text(text string) string { return m.get().Text(text) }

// Masker returns the masker that removes secrets from the record of the conversation and from exports of it, nil if the
// user wants to keep them there.
func (p *Project) Masker() *secret.Masker {
	if config.KeepSecrets.In(p.Settings()) {
		return nil
	}
	return p.Masking.get()
}

// MaskText is [secret.Masker.Text] of [Project.Masker].
func (p *Project) MaskText(text string) string {
	if m := p.Masker(); m != nil {
		return m.Text(text)
	}
	return text
}

// MaskRecords is [secret.Masker.JSON] of [Project.Masker].
func (p *Project) MaskRecords(lines []byte) []byte {
	if m := p.Masker(); m != nil {
		return m.JSON(lines)
	}
	return lines
}
