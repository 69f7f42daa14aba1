// Package recap tells a user who comes back to a session after hours where the work stands. It needs no request to a
// model: the calls of the conversation are enough.
package recap

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// IdleTime is how long the user does nothing before a recap is due.
const IdleTime = 4 * time.Hour

// Keeper collects the work of a session, and notices when the user comes back. The zero value is one of a new session.
type Keeper struct {
	state Recap
	last  time.Time // when something happened
}

// Recap is where the work stands.
type Recap struct {
	Prompt string        // the last one, "" to leave it out
	Age    time.Duration // since something happened last, 0 if that is unknown
	Work   record.Work
}

// Resume begins with the work of a recorded conversation, and returns where it stands.
func (k *Keeper) Resume(r *record.Recap, now time.Time) Recap {
	*k = Keeper{state: Recap{Prompt: r.Prompt, Work: r.Work}, last: now}
	shown := Recap{Work: r.Work}
	if !r.Last.IsZero() {
		shown.Age = now.Sub(r.Last)
	}
	return shown
}

// Clear forgets the work, for a new conversation.
func (k *Keeper) Clear() { k.state = Recap{} }

// Handle takes an event of the session.
func (k *Keeper) Handle(e kit.Event, now time.Time) {
	switch e := e.(type) {
	case kit.Began:
		if e.IsRun && e.Prompt != "" {
			k.state.Prompt = terminal.Cut(e.Prompt, maxPrompt)
		}
		k.last = now
	case kit.Finished:
		k.last = now
	case kit.Ran:
		if f, ok := e.Event.(agent.ToolFinished); ok {
			k.add(&f)
		}
	}
}

const maxPrompt = 4 << 10 // bytes

func (k *Keeper) add(f *agent.ToolFinished) {
	for i := range f.Executions {
		x := &f.Executions[i]
		if x.Result != nil {
			k.state.Work.Add(record.IsCommand(x.Name), x.Summary, x.HasRun && x.Status == agent.Success, x.Result.Display)
			k.state.Work.AddChanges(x.ShownChanges())
		}
	}
}

// Touch notes that the user has pressed a key. It returns where the work stands if the user comes back to it after
// [IdleTime].
func (k *Keeper) Touch(now time.Time) (r Recap, isDue bool) {
	r = k.state
	if r.Age = now.Sub(k.last); k.last.IsZero() || r.Age < IdleTime {
		r.Age = 0
	}
	k.last = now
	return r, r.Age > 0 && (r.Prompt != "" || !r.Work.IsEmpty())
}

// Lines returns a recap as a few lines, nil if nothing was done. short returns a path as people read it.
func (r *Recap) Lines(width int, t theme.Theme, short func(path string) string) []styled.Line {
	if r.Prompt == "" && r.Work.IsEmpty() {
		return nil
	}
	head := styled.Line{{Text: "Recap", Style: t.Accent()}}
	if text := ago(r.Age); text != "" {
		head = append(head, styled.Span{Text: "  last active " + text, Style: t.Secondary()})
	}
	lines := []styled.Line{head.Cut(width)}
	add := func(label, text string) {
		if text != "" {
			const column = 10
			row := styled.Line{{Text: "  " + label + strings.Repeat(" ", column-2-len(label)), Style: t.Secondary()}, {Text: text, Style: t.Text()}}
			lines = append(lines, row.Cut(width))
		}
	}
	add("Asked", terminal.Line(terminal.Cut(r.Prompt, maxPrompt)))
	add("Changed", r.changed(short))
	add("Ran", r.ran())
	if n := r.Work.Open(); n > 0 {
		add("To do", strconv.Itoa(n)+" of "+wording.Count(len(r.Work.Todos), "task"))
		add("Next", terminal.Line(r.Work.Next()))
	}
	return lines
}

// changed describes the changes of files, "" for none.
func (r *Recap) changed(short func(path string) string) string {
	w := &r.Work
	if len(w.Files) == 0 {
		return ""
	}
	var files []string
	for _, path := range w.Files {
		if path = short(path); !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	const most = 3
	var names []string
	for _, path := range files[:min(len(files), most)] {
		if len(files) > 1 {
			path = filepath.Base(path)
		}
		names = append(names, terminal.Line(path))
	}
	text := wording.Count(len(files), "file")
	if w.MoreFiles {
		text = "more than " + text
	}
	text += " (+" + strconv.Itoa(w.Added) + " -" + strconv.Itoa(w.Removed) + "): " + strings.Join(names, ", ")
	if len(files) > most {
		text += ", ..."
	}
	return text
}

// ran describes the commands, "" for none.
func (r *Recap) ran() string {
	command := terminal.Line(r.Work.LastCommand)
	switch n := r.Work.Commands; {
	case n == 0:
		return ""
	case n == 1:
		return command
	default:
		return wording.Count(n, "command") + ", the last one: " + command
	}
}

// ago returns a time in words, "" for less than a minute.
func ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return ""
	case d < time.Hour:
		return wording.Count(int(d/time.Minute), "minute") + " ago"
	case d < 2*day:
		return wording.Count(int(d/time.Hour), "hour") + " ago"
	}
	return wording.Count(int(d/day), "day") + " ago"
}
