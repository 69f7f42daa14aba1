package project

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
)

// live is a list whose items can be removed. It is safe for concurrent use.
type live[T any] struct {
	mu   sync.Mutex // held by changes
	list atomic.Pointer[[]*T]
}

func (l *live[T]) add(item T) (remove func()) {
	l.change(func(list []*T) []*T { return append(list, &item) })
	return func() {
		l.change(func(list []*T) []*T {
			return slices.DeleteFunc(list, func(other *T) bool { return other == &item })
		})
	}
}

func (l *live[T]) change(f func([]*T) []*T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := f(slices.Clone(l.all()))
	l.list.Store(&list)
}

// all returns the items. The caller must not change the list.
func (l *live[T]) all() []*T {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// notices passes warnings to those who record them. It is safe for concurrent use.
type notices struct {
	isMuted  atomic.Bool
	watchers live[func(text string)]
}

// Warn shows the user a warning, and passes it to the watchers. Paths in it are shortened for a person; scripts may
// look for them.
func (p *Project) Warn(text string) {
	if p.notices.isMuted.Load() {
		return
	}
	if p.Options.Interactive {
		text = p.Paths.DisplayText(text)
	}
	p.Options.Warn(text)
	for _, f := range p.notices.watchers.all() {
		(*f)(text)
	}
}

// LeaveOut warns of something without which the run goes on, in one line: because the user has not seen it, or because it
// cannot have an effect.
func (p *Project) LeaveOut(text string) {
	p.Warn("Warning: " + text)
	p.leftOut = append(p.leftOut, text)
}

// LeftOut returns the texts of all calls of [Project.LeaveOut], for the JSON formats.
func (p *Project) LeftOut() []string { return p.leftOut }

// WatchWarnings has f called with each warning until stop is called.
func (p *Project) WatchWarnings(f func(text string)) (stop func()) { return p.notices.watchers.add(f) }

// hold keeps the warnings of a session without a person until release is called, which passes them on.
func (o *Options) hold() (release func()) {
	if o.Asker != nil {
		return func() {}
	}
	var held []string
	warn := o.Warn
	o.Warn = func(text string) { held = append(held, text) }
	return func() {
		o.Warn = warn
		for _, text := range held {
			warn(text)
		}
		held = nil
	}
}

// Mute drops warnings until the function that it returns is called.
func (p *Project) Mute() (unmute func()) {
	p.notices.isMuted.Store(true)
	return func() { p.notices.isMuted.Store(false) }
}

// WithWarn returns a copy of the project that sends its warnings to warn alone; nil drops them.
func (p *Project) WithWarn(warn func(string)) *Project {
	if warn == nil {
		warn = func(string) {}
	}
	again := *p
	again.Options.Warn, again.Options.Notify, again.notices = warn, warn, new(notices)
	return &again
}

// logs is a handler that passes records to handlers which may be added at any time. Loggers with attributes or groups
// use the handlers that there were when they were made.
type logs struct{ *live[slog.Handler] }

func (l logs) multi() slog.Handler {
	var list []slog.Handler
	for _, h := range l.all() {
		list = append(list, *h)
	}
	return slog.NewMultiHandler(list...)
}

// Enabled implements [slog.Handler].
func (l logs) Enabled(ctx context.Context, level slog.Level) bool {
	return slices.ContainsFunc(l.all(), func(h *slog.Handler) bool { return (*h).Enabled(ctx, level) })
}

// Handle implements [slog.Handler].
func (l logs) Handle(ctx context.Context, r slog.Record) error { return l.multi().Handle(ctx, r) }

// WithAttrs implements [slog.Handler].
func (l logs) WithAttrs(attrs []slog.Attr) slog.Handler { return l.multi().WithAttrs(attrs) }

// WithGroup implements [slog.Handler].
func (l logs) WithGroup(name string) slog.Handler { return l.multi().WithGroup(name) }

// AddLog has h receive log records until remove is called.
func (p *Project) AddLog(h slog.Handler) (remove func()) { return p.logs.add(h) }
