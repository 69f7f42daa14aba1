// Package triggers guards triggers: files, and settings of a repository, that make git, editors, CI or shells run programs long after a
// command has ended, outside of its sandbox. One that a command adds or changes is taken back, and a person is asked whether it comes back:
//
//	g := triggers.New(planted.Options{…})
//	recorder := undo.New(undo.Options{Recorded: g.Note, …})
//	gate.Around = append(gate.Around, guard.Step{Review: g.Review})
//
// Settings that only describe stay, such as the remote of a branch.
package triggers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/guard"
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
	// Warn takes a warning for the user.
	Warn func(text string)
}

// Git reads and changes the configurations of repositories.
type Git interface {
	// Programs returns the settings in a configuration that name programs, with their values.
	Programs(ctx context.Context, config io.Reader) (settings map[string][]string, ok bool)
	// Set gives a setting in a file these values, none to remove it.
	Set(ctx context.Context, file, key string, values []string) bool
}

// Guard guards triggers. Its methods may be called from several goroutines at once.
type Guard struct {
	options Options

	mu      sync.Mutex
	noted   []*store.Operation // since the last look
	allowed map[string]bool    // triggers, by [trigger.key], that may be changed again in this session
}

// New returns a guard.
func New(o Options) *Guard { return &Guard{options: o, allowed: map[string]bool{}} }

// Note takes an operation that was recorded, to be looked at after the call. It ignores edits by tools: the policy has decided on them.
func (g *Guard) Note(o *store.Operation) {
	if o.Kind != store.Call && o.Kind != store.Background || !o.IsAnywhere && o.Kind == store.Call {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.noted = append(g.noted, o)
}

// take returns the operations that were noted.
func (g *Guard) take() []*store.Operation {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.noted
	g.noted = nil
	return list
}

// Review is the part of a step of the gate: it takes back the triggers of the operations since the last look, and returns the question about
// them.
func (g *Guard) Review(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *guard.Review {
	taken := g.takeBack(context.WithoutCancel(ctx), func(f *trigger) bool {
		return x.Decision.By == agent.DecidedByUser && f.isNamed(string(call.Args()))
	})
	if len(taken.triggers) == 0 {
		return nil
	}
	return &guard.Review{
		Text:  taken.text(call.Summary()),
		Offer: &tool.Offer{Outcome: tool.ProceedAlways, Label: "Allow it, and later changes of the same, in this session", Rule: taken.names()},
		Settle: func(ctx context.Context, answer tool.Outcome) string {
			switch answer {
			case tool.ProceedOnce, tool.ProceedAlways:
			case "":
				g.warn(taken)
				return taken.refused()
			default:
				return taken.refused()
			}
			g.allow(taken, answer == tool.ProceedAlways)
			if err := taken.bringBack(ctx, g.options.Git); err != nil {
				g.options.Warn("Warning: Not all of it came back: " + err.Error())
			}
			return "The user has allowed what runs programs later: " + taken.names() + "."
		},
	}
}

// Close takes back the triggers of programs in the background since the last call. The user cannot be asked any more.
func (g *Guard) Close() {
	if taken := g.takeBack(context.Background(), func(*trigger) bool { return false }); len(taken.triggers) > 0 {
		g.warn(taken)
	}
}

// warn tells the user which triggers were taken back.
func (g *Guard) warn(t *taken) {
	g.options.Warn("Warning: Taken back, because other programs would run it later: " + t.names() + ".")
}

func (g *Guard) allow(t *taken, inSession bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range t.triggers {
		if inSession {
			g.allowed[t.triggers[i].key()] = true
		}
	}
}

func (g *Guard) isAllowed(f *trigger) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed[f.key()]
}

// takeBack takes back the triggers of the operations that were noted, except those that isWanted wants.
func (g *Guard) takeBack(ctx context.Context, isWanted func(*trigger) bool) *taken {
	all := &taken{}
	for _, o := range g.take() {
		found := slices.DeleteFunc(g.find(ctx, o), func(f trigger) bool { return g.isAllowed(&f) || isWanted(&f) })
		if len(found) == 0 {
			continue
		}
		if err := g.undo(ctx, o, found, all); err != nil {
			g.options.Warn("Warning: Other programs run later what a command has changed, and not all of it could be taken back: " + listed(found) + ": " + err.Error())
		}
	}
	return all
}

// undo takes triggers of an operation back, and adds them to those that were.
func (g *Guard) undo(ctx context.Context, o *store.Operation, found []trigger, all *taken) error {
	var failed error
	files := map[string]bool{}
	for _, f := range found {
		switch {
		case f.setting == "":
			files[f.path] = true
		case !g.options.Git.Set(ctx, f.path, f.setting, f.before):
			failed = errors.Join(failed, fmt.Errorf("git did not change %s in %s", f.setting, f.name))
			continue
		}
		all.triggers = append(all.triggers, f)
	}
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
	triggers []trigger
	undone   []undone
}

// undone is an undo in a log.
type undone struct {
	log  *store.Store
	undo *store.Operation
}

// bringBack makes the changes again.
func (t *taken) bringBack(ctx context.Context, git Git) (failed error) {
	for _, u := range t.undone {
		_, err := apply(ctx, u.log, u.undo, "Brought back triggers of #%d", func(string) bool { return true })
		failed = errors.Join(failed, err)
	}
	for _, f := range t.triggers {
		if f.setting != "" && !git.Set(ctx, f.path, f.setting, f.after) {
			failed = errors.Join(failed, fmt.Errorf("git did not change %s in %s", f.setting, f.name))
		}
	}
	return failed
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
			names = append(names, f.setting)
		default:
			names = append(names, f.setting+" in "+f.name)
		}
	}
	if more := len(triggers) - len(shown); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// text returns the text of the question.
func (t *taken) text(command string) string {
	return command + "\n\nIt has changed what git, editors or other programs run later, outside of the sandbox:\n" + t.names() + "\nPollux has taken that back."
}

// refused is the text for the model about changes that do not come back.
func (t *taken) refused() string {
	return "Taken back: " + t.names() + ". Other programs run that later, outside of the sandbox, and the user has not allowed it. Go on without it."
}
