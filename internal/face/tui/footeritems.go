package tui

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/stats/recent"
	"pollux/internal/terminal"
	"pollux/llm"
)

// memoryTime is the time between two measurements of the memory for the footer.
const memoryTime = 2 * time.Second

// hasItem reports whether the footer shows an item.
func (s *status) hasItem(id string) bool { return s.isShown && slices.Contains(s.options.Items, id) }

// refreshItems updates the values that cost something, for the items that the footer shows.
func (l *loop) refreshItems(now time.Time) {
	s := &l.status
	if s.hasItem("hostname") && s.values.Host == "" {
		host, _ := os.Hostname() // without one the item stays empty
		s.values.Host = terminal.Line(host)
	}
	if s.hasItem("auth") {
		account := l.view.session.Models.Current().Account
		s.values.Auth = terminal.Line(cmp.Or(string(account.Type), account.Name))
	}
	if due, ok := l.memoryDue(); ok && !now.Before(due) {
		s.measured, s.values.Memory = now, recent.ReadMemory().Resident
	}
}

// memoryDue returns when the memory is measured again, false for never.
func (l *loop) memoryDue() (time.Time, bool) {
	return l.status.measured.Add(memoryTime), l.view.isOpen() && l.status.hasItem("memory-usage")
}

// observeQuota notes that the quota of the current model is used up, or that the model has answered.
func (s *status) observeQuota(e kit.Event) {
	switch e := e.(type) {
	case kit.Failed:
		if failed, ok := errors.AsType[*llm.Error](e.Err); ok && failed.Kind == llm.KindQuota {
			s.values.HasQuota, s.values.Quota, s.exhausted = true, 1, s.values.Model
		}
	case kit.Ran:
		if _, ok := e.Event.(agent.Finished); ok {
			s.values.HasQuota = false
		}
	}
}

// setModel notes the current model. The quota of another one is unknown.
func (s *status) setModel(name string) {
	s.values.Model = terminal.Line(name)
	if s.values.Model != s.exhausted {
		s.values.HasQuota = false
	}
}
