package guard

import (
	"context"
	"slices"
	"sync"

	"pollux/internal/guard/policy"
	"pollux/tool"
)

// Origins traces the words of shell commands to their origin. Package origin implements it.
type Origins interface {
	// Untrusted returns the words of a command that occur only in tool output.
	Untrusted(command string) []string
	// Accept marks words as trusted, because a person has approved them.
	Accept(words []string)
}

// findWarnings collects the parts of a command that need attention even if a rule allows it:
// words that come from tool output, and build files that changed since a person last approved
// a build. If there are any, it requires a person's approval, once for each word and each
// change. It does nothing if no person is there to answer. Where commands run freely, untrusted words do
// not require approval.
func (g *gatedCall) findWarnings(ctx context.Context) error {
	if !g.opts.Interactive || g.spec.Kind != tool.KindExecute || g.written.FromClient {
		return nil
	}
	details, err := g.call.Invocation().Confirmation(ctx)
	command, ok := details.(*tool.ExecConfirmation)
	if err != nil || !ok {
		return err
	}
	if g.opts.Origins != nil {
		g.untrustedWords = g.opts.Origins.Untrusted(command.Command)
	}
	if files := g.changed.list(); len(files) > 0 && g.opts.Policy.AsksBeforeBuilds() && policy.Builds(command.Command) {
		g.changedFiles = files
	}
	force := len(g.changedFiles) > 0 || len(g.untrustedWords) > 0 && !g.opts.Policy.RunsFreely()
	if force && !g.opts.Policy.IsReadOnly(g.policyCall()) {
		g.verdict = policy.Ask
	}
	return nil
}

// hasWarnings reports whether the call has warnings. Then an approval applies to this call
// only.
func (g *gatedCall) hasWarnings() bool {
	return len(g.untrustedWords)+len(g.changedFiles) > 0 || g.quotedFrom != ""
}

// acceptWarnings records that a person has approved the call with its warnings.
func (g *gatedCall) acceptWarnings() {
	if g.opts.Origins != nil {
		g.opts.Origins.Accept(g.untrustedWords)
	}
	if g.quotedFrom != "" {
		g.opts.Given.Accept(g.quotedWords)
	}
	g.changed.remove(g.changedFiles)
}

// noteBuildFiles records the build files that a successful edit has changed.
func (g *gatedCall) noteBuildFiles(r *tool.Result) {
	if g.spec.Kind != tool.KindEdit || r.Error != nil {
		return
	}
	for _, l := range g.call.Locations() {
		if policy.IsBuildFile(l.Path) {
			g.changed.add(l.Path)
		}
	}
}

// buildFiles holds the build files that changed since a person last approved a build. It may
// be used from several goroutines at once.
type buildFiles struct {
	mu    sync.Mutex
	files []string
}

func (b *buildFiles) add(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 100
	if !slices.Contains(b.files, path) && len(b.files) < most {
		b.files = append(b.files, path)
	}
}

func (b *buildFiles) list() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.files)
}

func (b *buildFiles) remove(files []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = slices.DeleteFunc(b.files, func(f string) bool { return slices.Contains(files, f) })
}
