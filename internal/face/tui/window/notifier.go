package window

import "time"

// Notifier decides which notifications are sent: none while the window has the focus, and those of the same key only
// every 20 seconds. The zero value has no report of the focus, and so takes the window for one without.
type Notifier struct {
	hasFocus bool
	sent     map[string]time.Time // by key
}

// pause is the time between notifications of the same key.
const pause = 20 * time.Second

// SetFocus notes that the window has got or lost the focus.
func (n *Notifier) SetFocus(hasFocus bool) { n.hasFocus = hasFocus }

// Allows reports whether to send a notification now. Keys name the occasions, such as "approval"; the notifier keeps
// each.
func (n *Notifier) Allows(key string, now time.Time) bool {
	last, wasSent := n.sent[key]
	if n.hasFocus || wasSent && now.Sub(last) < pause {
		return false
	}
	if n.sent == nil {
		n.sent = map[string]time.Time{}
	}
	n.sent[key] = now
	return true
}
