package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/crash"
)

// The limits of a review.
const (
	maxSize = 1 << 20               // bytes of a file to check
	atOnce  = 64 << 10              // bytes that a review parses, whatever the time: a few milliseconds
	wait    = 50 * time.Millisecond // for all other checks of a review
	limit   = 10 * time.Second      // for a check
)

// Reviewer implements [agent.Reviewer]. Each agent has its own. What is not checked in time joins the note of
// the next review, unless the file has been edited again or the run has ended.
type Reviewer struct {
	checks *Checks
	wait   time.Duration
	late   []*task
}

var _ agent.Reviewer = (*Reviewer)(nil)

// Reviewer returns the reviewer of an agent.
func (c *Checks) Reviewer() *Reviewer { return &Reviewer{checks: c, wait: wait} }

// task is the check of a change.
type task struct {
	path    string
	cancel  context.CancelFunc
	done    chan struct{}
	finding finding // when done is closed; without problems if there is nothing to report
}

func (t *task) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// Review implements [agent.Reviewer].
func (r *Reviewer) Review(ctx context.Context, changes []agent.FileChange) string {
	if len(changes)+len(r.late) == 0 {
		return ""
	}
	r.late = slices.DeleteFunc(r.late, func(t *task) bool {
		isOld := slices.ContainsFunc(changes, func(c agent.FileChange) bool { return c.Path == t.path })
		if isOld {
			t.cancel()
		}
		return isOld
	})
	begun := r.start(ctx, changes)
	late := takeDone(&r.late)
	r.await(ctx, begun)
	now := takeDone(&begun)
	r.late = append(r.late, begun...)
	text := note(now, late)
	if value, _ := r.checks.Setting(); value != false {
		text = strings.TrimPrefix(text+"\n"+r.conflicts(changes), "\n")
	}
	return strings.TrimSuffix(text, "\n")
}

// conflicts returns a line for each file of a merge that still has marks of conflicts.
func (r *Reviewer) conflicts(changes []agent.FileChange) string {
	var lines []string
	for _, c := range changes {
		if c.Before == nil || len(c.After) > maxSize || !strings.Contains(*c.Before, "\n"+endMark) {
			continue
		}
		before, strayBefore := conflictLines(*c.Before)
		if len(before) == 0 {
			continue
		}
		left, stray := conflictLines(c.After)
		if len(strayBefore) == 0 { // else they may be headings
			left = append(left, stray...)
			slices.Sort(left)
		}
		if len(left) > 0 {
			numbers := strings.Trim(fmt.Sprint(left[:min(len(left), maxConflicts)]), "[]")
			lines = append(lines, fmt.Sprintf("Conflicts are left in %s, line %s.", displayPath(r.checks.Dir, c.Path), strings.ReplaceAll(numbers, " ", ", ")))
		}
	}
	return strings.Join(lines, "\n")
}

// maxConflicts is the number of lines that conflicts names in a file.
const maxConflicts = 10

// Marks of git at the beginning of lines.
const (
	beginMark  = "<<<<<<< "
	baseMark   = "||||||| "
	middleMark = "======="
	endMark    = ">>>>>>> "
)

// conflictLines returns the numbers of the lines where git has marked conflicts, and of stray marks: those outside of a
// conflict, as an edit leaves them that removes only the beginning of one.
func conflictLines(text string) (begins, stray []int) {
	n, isInside := 0, false
	for line := range strings.Lines(text) {
		n++
		isEnd := strings.HasPrefix(line, endMark)
		switch {
		case strings.HasPrefix(line, beginMark):
			begins, isInside = append(begins, n), true
		case isInside:
			isInside = !isEnd
		case isEnd, strings.HasPrefix(line, baseMark), strings.TrimRight(line, "\r\n") == middleMark:
			stray = append(stray, n)
		}
	}
	return begins, stray
}

// takeDone removes the tasks that are done from a list, and returns the findings that have problems.
func takeDone(tasks *[]*task) (findings []finding) {
	*tasks = slices.DeleteFunc(*tasks, func(t *task) bool {
		if !t.isDone() {
			return false
		}
		if len(t.finding.problems) > 0 {
			findings = append(findings, t.finding)
		}
		return true
	})
	return findings
}

// await waits for tasks, but not for long.
func (r *Reviewer) await(ctx context.Context, tasks []*task) {
	timer := time.NewTimer(r.wait)
	defer timer.Stop()
	for _, t := range tasks {
		select {
		case <-t.done:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// start begins the checks of changes side by side. Those of small texts without a program are done when it returns.
func (r *Reviewer) start(ctx context.Context, changes []agent.FileChange) (tasks []*task) {
	budget := atOnce
	for _, change := range changes {
		checker, size := Checker(nil), len(change.After)
		if change.Before != nil {
			size = max(size, len(*change.Before))
		}
		if size <= maxSize && strings.TrimSpace(change.After) != "" {
			checker = r.checks.checker(change.Path, change.After)
		}
		if checker == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		t := &task{path: change.Path, cancel: cancel, done: make(chan struct{})}
		work := func() {
			defer crash.Recover()
			defer close(t.done)
			defer cancel()
			t.finding = r.examine(ctx, checker, change)
		}
		tasks = append(tasks, t)
		if _, isQuick := checker.(inProcess); isQuick && size <= budget {
			budget -= size
			work()
			continue
		}
		go work()
	}
	return tasks
}

// examine returns the problems that a change has made. It checks the text before only if the text after has problems.
func (r *Reviewer) examine(ctx context.Context, checker Checker, change agent.FileChange) finding {
	f := finding{path: displayPath(r.checks.Dir, change.Path)}
	is, ok := checker.Check(ctx, change.Path, change.After)
	if !ok || len(is.Problems) == 0 {
		return f
	}
	f.problems, f.by, f.isOwn = is.Problems, is.By, is.IsOwn
	if change.Before == nil || strings.TrimSpace(*change.Before) == "" {
		return f
	}
	was, ok := checker.Check(ctx, change.Path, *change.Before)
	if !ok {
		f.problems = nil
		return f
	}
	f.problems, f.hadSome = compare(*change.Before, change.After, was, is), len(was.Problems) > 0
	return f
}
