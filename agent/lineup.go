package agent

import (
	"context"
	"sync"

	"pollux/tool"
)

// lineup asks about jobs that are prepared at the same time in the order of their calls. It holds questions until
// each of the jobs is prepared or has a question, so that who answers the first one can know how many there are.
type lineup struct {
	group []*job

	mu   sync.Mutex
	left int                          // jobs that are not prepared yet
	open map[*job]func(following int) // those of them with a question; the function asks it, nil if that is done
}

func newLineup(group []*job) *lineup {
	l := &lineup{group: group, open: map[*job]func(int){}}
	for _, j := range group {
		if j.status == "" {
			l.left++
		}
	}
	return l
}

// prepare calls step, and holds the questions that it emits.
func (l *lineup) prepare(ctx context.Context, j *job, emit func(Event), step func(context.Context, *job, func(Event))) {
	defer l.change(func() {
		delete(l.open, j)
		l.left--
	})
	step(ctx, j, func(e Event) {
		asked, ok := e.(ToolAsked)
		if !ok {
			emit(e)
			return
		}
		answer := asked.Answer
		goOn := sync.OnceFunc(func() { // a later answer could be to the next question
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.open, j)
		})
		asked.Answer = func(a tool.Answer) {
			goOn()
			answer(a)
		}
		l.change(func() {
			l.open[j] = func(following int) {
				if ctx.Err() == nil {
					asked.Following = following
					emit(asked)
				}
			}
		})
	})
}

// change calls f, and then asks the questions if there is nothing more to wait for: no job can begin before one of
// these questions is answered, or no job is without a question.
func (l *lineup) change(f func()) {
	l.mu.Lock()
	f()
	var ready []func(int)
	if len(l.open) == l.left || len(l.open) == maxParallel {
		for _, j := range l.group {
			if ask := l.open[j]; ask != nil {
				ready = append(ready, ask)
				l.open[j] = nil
			}
		}
	}
	l.mu.Unlock()
	for i, ask := range ready {
		ask(len(ready) - 1 - i)
	}
}
