package plain

import (
	"context"

	"pollux/agent"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/llm"
)

// job is what is under way: what the session begins with, a turn of the model, a /
// command, a prompt being written in the editor.
type job struct {
	cancel      context.CancelFunc
	items       chan item // closed at the end
	gone        chan struct{}
	prompt      string // that the model works on
	spoke       bool   // something has come of it
	cancelled   bool   // it was, and has said so
	interrupted bool   // by Ctrl+C
	opening     bool   // it prepares the session
}

// item is something that a job tells the loop. One of its fields is set.
type item struct {
	event   agent.Event
	err     error
	warning string
	result  *slash.Result
	written *string // in the editor
	ready   *Options
}

// start runs something beside the loop. emit hands an item to the loop; false
// says that nobody listens any more.
func (l *loop) start(prompt string, work func(ctx context.Context, emit func(item) bool)) {
	ctx, cancel := context.WithCancel(l.ctx)
	// Some room lets chunks gather while the screen is written.
	j := &job{cancel: cancel, items: make(chan item, 64), gone: make(chan struct{}), prompt: prompt}
	l.job = j
	l.silent.begin(l)
	go func() {
		defer close(j.items)
		work(ctx, func(it item) bool {
			select {
			case j.items <- it:
				return true
			case <-j.gone:
				return false
			}
		})
	}()
}

// jobItems returns what the job has to tell; nil while nobody can see it.
func (l *loop) jobItems() <-chan item {
	if l.job == nil || l.screen.lent() {
		return nil
	}
	return l.job.items
}

// prepare settles what the session works with.
func (l *loop) prepare() {
	l.start("", func(ctx context.Context, emit func(item) bool) {
		o, err := l.o.Prepare(ctx)
		emit(item{ready: &o, err: err})
	})
	l.job.opening = true
}

// prepared takes what the session works with, or why it cannot begin.
func (l *loop) prepared(o *Options, err error) {
	if err != nil {
		l.failed = err
		l.leave()
		return
	}
	o.Terminal, o.Interrupts = l.o.Terminal, l.o.Interrupts
	l.o = *o
}

// prompt has the model work on a prompt.
func (l *loop) prompt(text string) {
	l.said, l.draft = true, ""
	l.voice.begin()
	l.start(text, func(ctx context.Context, emit func(item) bool) {
		p := agent.Prompt{Parts: []llm.Part{llm.Text(text)}}
		if l.o.Expand != nil {
			var warnings []string
			var err error
			p, warnings, err = l.o.Expand(ctx, text)
			for _, w := range warnings {
				emit(item{warning: w})
			}
			switch {
			case ctx.Err() != nil:
				emit(item{event: agent.Cancelled{}})
				return
			case err != nil:
				emit(item{err: err})
				return
			}
		}
		for e, err := range l.o.Run(ctx, p) {
			if !emit(item{event: e, err: err}) {
				return
			}
		}
	})
}

// do runs a / command: as the job, or beside it.
func (l *loop) do(line string, busy bool) {
	l.voice.end()
	if l.job != nil && busy {
		l.sides++
		go func() {
			r, err := l.o.Do(l.ctx, line)
			select {
			case l.results <- item{result: &r, err: err}:
			case <-l.over:
			}
		}()
		return
	}
	l.start("", func(ctx context.Context, emit func(item) bool) {
		r, err := l.o.Do(ctx, line)
		if err != nil && ctx.Err() != nil {
			emit(item{event: agent.Cancelled{}})
			return
		}
		emit(item{result: &r, err: err})
	})
}

// write has a prompt written in the person's editor.
func (l *loop) write(text string) {
	switch {
	case l.job != nil:
		l.screen.line("The editor opens only while nothing is under way.")
		return
	case l.o.Editor == nil:
		l.screen.line(noEditor)
		return
	}
	if text == "" {
		text = l.draft
	}
	l.draft = text // until it is sent
	l.start("", func(ctx context.Context, emit func(item) bool) {
		var written string
		err := l.lend(func() (err error) {
			written, err = l.o.Editor.Text(ctx, text)
			return err
		})
		if err != nil && ctx.Err() == nil {
			emit(item{result: &slash.Result{Text: err.Error()}})
			return
		}
		emit(item{written: &written, err: err})
	})
}

// lend gives the terminal to another program for as long as f takes.
func (l *loop) lend(f func() error) error {
	l.inbox.input.Pause()
	back := l.screen.lend()
	defer func() {
		back()
		l.inbox.input.Resume()
		l.rouse()
	}()
	return f()
}

// see takes what a job tells.
func (l *loop) see(it item) {
	switch {
	case it.ready != nil:
		l.prepared(it.ready, it.err)
	case it.err != nil:
		l.voice.end()
		l.screen.line(l.failure(it.err))
	case it.event != nil:
		l.event(it.event)
	case it.warning != "":
		l.screen.line("Warning: " + terminal.Line(it.warning))
	case it.written != nil:
		l.took(*it.written)
	case it.result != nil:
		l.result(*it.result)
	}
}

// took takes what was written in the editor.
func (l *loop) took(text string) {
	text = terminal.Clean(text)
	if isBlank(text) {
		l.screen.line("The editor left nothing: there is nothing to send.")
		return
	}
	l.queue = append([]string{text}, l.queue...)
}

// result does what a / command has come to.
func (l *loop) result(r slash.Result) {
	text := terminal.Text(r.Text)
	switch {
	case isBlank(text) && r.Clear:
		l.screen.line("The conversation begins anew.")
	case isBlank(text):
	case r.Failed:
		l.screen.line("Error: " + text)
	default:
		l.screen.line(text)
	}
	if r.Prompt != "" {
		l.queue = append(l.queue, r.Prompt)
	}
	if r.Quit {
		l.leave()
	}
	l.reconsider()
	if l.job == nil {
		l.next(false) // the job ended before the command that ran beside it
	}
}

// jobDone is the end of a job.
func (l *loop) jobDone() {
	j := l.job
	l.voice.end()
	l.dismiss()
	j.cancel()
	l.job = nil
	l.silent.stop()
	if j.cancelled && j.prompt != "" && !j.spoke {
		l.keep(j.prompt)
	}
	if j.opening && l.failed == nil {
		early := l.queue
		l.queue = nil
		l.greet()
		for _, text := range early {
			l.submit(text)
		}
	}
	if l.job == nil {
		l.next(j.cancelled)
	}
}
