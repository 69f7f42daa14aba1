package guard

import (
	"context"
	"slices"
	"sync"

	"pollux/internal/guard/policy"
	"pollux/tool"
)

// Origins tells where the words of shell commands come from (package origin).
type Origins interface {
	// Untrusted returns the words of a command that nobody but a tool's output says.
	Untrusted(command string) []string
	// Accept takes words for a person's from now on.
	Accept(words []string)
}

// doubt notes what of a command a person should see who has allowed others of its
// kind, and has them asked even if a rule allows it (spec/tools.md §7): what it says is
// not their doing, or what it builds has changed since. They are asked once about each
// word and each change. Where nobody can be asked, and in yolo, rules have the last word.
func (p *passage) doubt(ctx context.Context) error {
	if !p.opts.Interactive || p.spec.Kind != tool.KindExecute || p.call.FromClient {
		return nil
	}
	details, err := p.inv.Confirmation(ctx)
	command, ok := details.(*tool.ExecConfirmation)
	if err != nil || !ok {
		return err
	}
	if p.opts.Origins != nil {
		p.words = p.opts.Origins.Untrusted(command.Command)
	}
	if files := p.built.list(); len(files) > 0 && p.opts.Policy.ProtectsBuildFiles() && policy.Builds(command.Command) {
		p.files = files
	}
	force := len(p.files) > 0 || len(p.words) > 0 && p.opts.Policy.Mode() != policy.Yolo
	if force && !p.opts.Policy.OnlyLooks(p.policyCall()) {
		p.verdict = policy.Ask
	}
	return nil
}

// doubtful reports whether consent is good for this call only.
func (p *passage) doubtful() bool { return len(p.words)+len(p.files) > 0 }

// dispel notes that a person has agreed to what was doubtful.
func (p *passage) dispel() {
	if p.opts.Origins != nil {
		p.opts.Origins.Accept(p.words)
	}
	p.built.forget(p.files)
}

// modifies notes what a call that has succeeded may have changed of build files.
func (p *passage) modifies(r *tool.Result) {
	if p.spec.Kind != tool.KindEdit || r.Error != nil {
		return
	}
	for _, l := range p.inv.Locations() {
		if policy.IsBuildFile(l.Path) {
			p.built.add(l.Path)
		}
	}
}

// built are the build files that were changed since a person last let one run. It may
// be used from several goroutines at once.
type built struct {
	mu    sync.Mutex
	files []string
}

func (b *built) add(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 100
	if !slices.Contains(b.files, path) && len(b.files) < most {
		b.files = append(b.files, path)
	}
}

func (b *built) list() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.files)
}

func (b *built) forget(files []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = slices.DeleteFunc(b.files, func(f string) bool { return slices.Contains(files, f) })
}
