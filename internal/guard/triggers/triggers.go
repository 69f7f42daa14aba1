// Package triggers guards triggers: files, and settings of a repository, that make git, editors, CI or shells run programs long after a
// command has ended, outside of its sandbox. One that a command adds or changes is taken back, and a person is asked whether it comes back:
//
//	g := triggers.New(triggers.Options{…})
//	recorder := undo.New(undo.Options{Recorded: g.Note, …})
//	gate.Around = append(gate.Around, guard.Step{Review: g.Review})
//
// Settings that only describe stay, such as the remote of a branch.
package triggers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/terminal"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/tool"
)

// Options configure a [Guard]. All must be set.
type Options struct {
	// Store returns the undo log.
	Store func() (*store.Store, error)
	// RunsLater reports whether programs run a file later, or it decides which ones they run. Git's own files are not asked about.
	RunsLater func(path string) bool
	// Roots are the directories with the repositories that work is done in.
	Roots func() []string
	Git   Git
	// Name returns a path as people read it.
	Name func(path string) string
	// Report describes the changes of a call again, of which those of some paths were taken back.
	Report func(c *tool.Changes, isTakenBack func(path string) bool) *tool.Changes
	// Log keeps triggers that were taken back after a command, and whether a person has allowed them.
	Log func(command, reason string, isAllowed bool)
	// Warn takes a warning for the user, who is at work beside Pollux if IsAttended is set.
	Warn       func(text string)
	IsAttended bool
}

// Git reads and changes the texts of configurations of repositories.
type Git interface {
	// Programs returns the settings in a configuration that name programs, with their values.
	Programs(ctx context.Context, config []byte) (settings map[string][]string, ok bool)
	// Edit returns a configuration in which a setting has these values, none if it is removed.
	Edit(ctx context.Context, config []byte, key string, values []string) ([]byte, error)
	// Committed returns those of these files that the last commit of their repository has.
	Committed(ctx context.Context, files []string) []string
}

// Guard guards triggers. Its methods may be called from several goroutines at once.
type Guard struct {
	options Options

	mu      sync.Mutex
	noted   []*store.Operation // since the last look
	allowed map[string]bool    // triggers, by [trigger.key] or [trigger.value], that may be changed again in this session
}

// New returns a guard.
func New(o Options) *Guard { return &Guard{options: o, allowed: map[string]bool{}} }

// Note takes an operation that was recorded, to be looked at after the call. It ignores edits by tools, on which the policy has decided, and the
// person's own commands.
func (g *Guard) Note(o *store.Operation) {
	if !isBehind(o) && (o.Kind != store.Call || !o.IsAnywhere) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.noted = append(g.noted, o)
}

// isBehind reports whether programs in the background may have made the changes of an operation, and no call of the model.
func isBehind(o *store.Operation) bool {
	return o.Kind == store.Background || o.Kind == store.Command && o.HasBackground
}

// take returns the operations that were noted, only those of programs in the background if behindOnly is set: a call has its own look.
func (g *Guard) take(behindOnly bool) (list []*store.Operation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.noted = slices.DeleteFunc(g.noted, func(o *store.Operation) bool {
		isTaken := !behindOnly || isBehind(o)
		if isTaken {
			list = append(list, o)
		}
		return isTaken
	})
	return list
}

// Review is the part of a step of the gate: it takes back the triggers of the operations since the last look, and returns the question about
// them.
func (g *Guard) Review(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *guard.Review {
	g.Settle()
	taken := g.takeBack(context.WithoutCancel(ctx), g.take(false), func(f *trigger) bool {
		return x.Decision.By == agent.DecidedByUser && f.isNamed(commandOf(call))
	})
	if len(taken.triggers) == 0 {
		return nil
	}
	command := commandOf(call)
	return &guard.Review{
		Text:  taken.text(command),
		Offer: &tool.Offer{Outcome: tool.ProceedAlways, Label: "Allow it, and later changes of the same, in this session", Rule: taken.names()},
		Settle: func(ctx context.Context, answer tool.Outcome) guard.Settled {
			switch answer {
			case tool.ProceedOnce, tool.ProceedAlways:
			case "":
				g.warn(taken, command)
				return g.settled(taken, taken.unattended())
			default:
				g.options.Log(command, taken.reason(), false)
				return g.settled(taken, taken.refused("the user has refused it: do not write it in another way."))
			}
			g.options.Log(command, taken.reason(), true)
			g.allow(taken, answer == tool.ProceedAlways)
			if err := g.bringBack(ctx, taken); err != nil {
				g.options.Warn("Warning: Not all of it came back: " + err.Error())
			}
			return guard.Settled{Text: "The user has allowed what runs programs later: " + taken.names() + "."}
		},
	}
}

// settled is the result of a review whose changes do not come back.
func (g *Guard) settled(t *taken, text string) guard.Settled {
	return guard.Settled{Text: text, Changes: func(c *tool.Changes) *tool.Changes {
		paths := t.paths[c.Operation]
		if len(paths) == 0 {
			return c
		}
		return g.options.Report(c, func(path string) bool { return paths[path] })
	}}
}

// Settle looks at the changes since the last call while programs ran in the background. They may also be the user's, so that a user who is at
// work reads how to take triggers back. Else they are taken back, and a warning says how they come back.
func (g *Guard) Settle() {
	if g.options.IsAttended {
		for _, o := range g.take(true) {
			found := slices.DeleteFunc(g.find(context.Background(), o), func(f trigger) bool { return g.isAllowed(&f) })
			if len(found) > 0 {
				g.options.Warn("Warning: A program in the background, or you, has changed what other programs run later: " + listed(found) +
					fmt.Sprintf(". To take it back: pollux undo '#%d'.", o.Number))
			}
		}
		return
	}
	if taken := g.takeBack(context.Background(), g.take(true), func(*trigger) bool { return false }); len(taken.triggers) > 0 {
		g.warn(taken, strings.Join(taken.commands, "; "))
	}
}

// warn warns a user who cannot be asked that triggers were taken back after a command.
func (g *Guard) warn(t *taken, command string) {
	g.options.Log(command, t.reason()+" No user could be asked.", false)
	text := "Warning: Taken back, because other programs would run it later: " + t.names() + "."
	for _, u := range t.undone {
		text += fmt.Sprintf(" To bring it back: pollux undo '#%d'.", u.undo.Number)
	}
	if len(t.committed) > 0 {
		text += " The last commit has it."
	}
	g.options.Warn(text)
}

func (g *Guard) allow(t *taken, inSession bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range t.triggers {
		if f := &t.triggers[i]; inSession {
			g.allowed[f.key()] = true
		} else {
			g.allowed[f.value()] = true
		}
	}
}

func (g *Guard) isAllowed(f *trigger) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed[f.key()] || g.allowed[f.value()]
}

// takeBack takes back the triggers of operations, except those that isWanted wants.
func (g *Guard) takeBack(ctx context.Context, operations []*store.Operation, isWanted func(*trigger) bool) *taken {
	all := &taken{paths: map[int]map[string]bool{}}
	hasCommit := false
	for _, o := range operations {
		found := slices.DeleteFunc(g.find(ctx, o), func(f trigger) bool { return g.isAllowed(&f) || isWanted(&f) })
		if len(found) == 0 {
			continue
		}
		if err := g.undo(ctx, o, found, all); err != nil {
			g.options.Warn("Warning: Other programs run later what a command has changed, and not all of it could be taken back: " + listed(found) + ": " + err.Error())
		}
		all.commands = append(all.commands, o.Title)
		if o.Kind == store.Call {
			all.beside = append(all.beside, o.Beside...)
		}
		hasCommit = hasCommit || slices.ContainsFunc(o.Changes, func(c store.Change) bool { return strings.HasSuffix(c.Path, "/logs/HEAD") })
	}
	if hasCommit {
		all.committed = g.options.Git.Committed(ctx, all.files())
	}
	return all
}

// undo takes triggers of an operation back, and adds them to those that were.
func (g *Guard) undo(ctx context.Context, o *store.Operation, found []trigger, all *taken) error {
	var failed error
	files, configs := map[string]bool{}, map[string]bool{}
	for _, f := range found {
		switch {
		case f.setting == "":
			files[f.path] = true
		default:
			if err := g.set(ctx, &f, f.before); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			configs[f.path] = true
		}
		all.triggers = append(all.triggers, f)
	}
	all.add(o.Number, g.restored(o, configs)...)
	if len(files) == 0 {
		return failed
	}
	log, err := g.options.Store()
	if err != nil {
		return errors.Join(failed, err)
	}
	back, err := apply(ctx, log, o, "Took back triggers of #%d", func(path string) bool { return files[path] })
	if back != nil {
		all.undone = append(all.undone, undone{log, back})
		for i := range back.Changes {
			all.add(o.Number, back.Changes[i].Path)
		}
	}
	return errors.Join(failed, err)
}

// apply takes an operation back, as far as keep selects its paths, and returns the operation that has done so. title has a place for the
// number.
func apply(ctx context.Context, log *store.Store, o *store.Operation, title string, keep func(path string) bool) (*store.Operation, error) {
	plan, err := revert.Make(ctx, log, []*store.Operation{o})
	if err != nil {
		return nil, err
	}
	plan.Select(keep)
	base, err := log.Open()
	if err != nil {
		return nil, err
	}
	defer base.Close()
	back, err := plan.Apply(ctx, base, store.Header{Session: o.Session, Title: fmt.Sprintf(title, o.Number)})
	for _, stays := range plan.Problems() {
		err = errors.Join(err, fmt.Errorf("%s: %s", stays.Path, stays.Problem))
	}
	return back, err
}

// taken are triggers that were taken back.
type taken struct {
	triggers  []trigger
	commands  []string // titles of the operations
	beside    []string // commands that ran at the same time as a call, and may have made some of the changes
	undone    []undone
	committed []string                // files that the last commit has
	paths     map[int]map[string]bool // that are as before again, by the number of the operation
}

// add adds paths that are as they were before an operation.
func (t *taken) add(operation int, paths ...string) {
	if t.paths[operation] == nil {
		t.paths[operation] = map[string]bool{}
	}
	for _, path := range paths {
		t.paths[operation][path] = true
	}
}

// files returns the paths of the triggers that are files.
func (t *taken) files() (paths []string) {
	for i := range t.triggers {
		if t.triggers[i].setting == "" {
			paths = append(paths, t.triggers[i].path)
		}
	}
	return paths
}

// undone is an undo in a log.
type undone struct {
	log  *store.Store
	undo *store.Operation
}

// bringBack makes the changes again.
func (g *Guard) bringBack(ctx context.Context, t *taken) (failed error) {
	for _, u := range t.undone {
		_, err := apply(ctx, u.log, u.undo, "Brought back triggers of #%d", func(string) bool { return true })
		failed = errors.Join(failed, err)
	}
	for i := range t.triggers {
		if f := &t.triggers[i]; f.setting != "" {
			failed = errors.Join(failed, g.set(ctx, f, f.after))
		}
	}
	return failed
}

// reason returns a sentence for the log.
func (t *taken) reason() string {
	text := "Other programs would run it later: " + t.names() + "."
	if len(t.beside) > 0 {
		const most = 200 // bytes
		text += " It may come from a command that ran at the same time: " + terminal.Cut(terminal.Line(strings.Join(t.beside, "; ")), most) + "."
	}
	return text
}

// names returns the triggers in a line.
func (t *taken) names() string { return listed(t.triggers) }

// mostListed is the number of triggers that are named.
const mostListed = 8

// listed returns triggers in a line, with the settings of a file together.
func listed(triggers []trigger) string {
	var names []string
	shown := triggers[:min(len(triggers), mostListed)]
	for i, f := range shown {
		switch {
		case f.setting == "":
			names = append(names, f.name)
		case i+1 < len(shown) && shown[i+1].setting != "" && shown[i+1].path == f.path:
			names = append(names, displayed(f.setting))
		default:
			names = append(names, displayed(f.setting)+" in "+f.name)
		}
	}
	if more := len(triggers) - len(shown); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// text returns the text of the question after a command.
func (t *taken) text(command string) string {
	var b strings.Builder
	b.WriteString(quoted(command) + "\nWhile it ran, this has changed, and git, editors or other programs run it later, outside of the sandbox:\n")
	for i := range t.triggers[:min(len(t.triggers), mostListed)] {
		b.WriteString(t.triggers[i].shown())
	}
	if more := len(t.triggers) - mostListed; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	if len(t.committed) > 0 {
		b.WriteString("The last commit has it, too: " + strings.Join(t.committed, ", ") + "\n")
	}
	b.WriteString("Pollux has taken that back.")
	return b.String()
}

// unattended is the text for the model about changes that do not come back because no user can be asked.
func (t *taken) unattended() string {
	if !t.hasFiles() {
		return t.refused("no user can be asked here. Go on without it, and say so.")
	}
	return t.refused("no user can be asked here: write_file is refused, too. Go on without it, and say so.")
}

// refused is the text for the model about changes that do not come back.
func (t *taken) refused(reason string) string {
	text := "Taken back: " + t.names() + ". Other programs run that later, outside of the sandbox, and " + reason
	if len(t.committed) > 0 {
		return text + " The last commit still has " + strings.Join(t.committed, ", ") + ": do not push it."
	}
	if !t.hasFiles() {
		return text
	}
	return text + " If git shows it as deleted, do not commit that."
}

// hasFiles reports whether some of the triggers are files outside of .git.
func (t *taken) hasFiles() bool {
	return slices.ContainsFunc(t.files(), func(path string) bool {
		return !slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool { return strings.EqualFold(name, ".git") })
	})
}

// commandOf returns the command of a call, or its summary.
func commandOf(call *agent.PreparedCall) string {
	var args struct{ Command string }
	if err := json.Unmarshal(call.Args(), &args); err != nil || args.Command == "" {
		return call.Summary()
	}
	return args.Command
}
