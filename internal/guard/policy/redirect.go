package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"pollux/internal/shellcmd"
	"pollux/internal/workspace"
)

// redirects applies a rule's setting for redirections to the decision about a script. Unless
// the rule allows them, a redirection needs approval. In autoEdit it is judged as write_file of
// its target would be.
func (d *decider) redirects(v *Verdict, list []shellcmd.Redirection) {
	if v.Decision != Allow || !opensFiles(list) || !d.stopsRedirection(v.Rule) {
		return
	}
	if d.state.mode < AutoEdit {
		d.change(v, Ask, "the command redirects, and the rule does not allow redirection")
		return
	}
	for _, r := range list {
		w := d.redirect(r)
		if w.Decision == Allow {
			continue
		}
		d.change(v, w.Decision, "a redirection is judged as write_file: "+r.Op+" "+r.Target.Text)
		if w.Rule != nil {
			v.Rule = w.Rule
		}
		if w.Decision == Deny {
			return
		}
	}
}

// opensFiles reports whether one of the redirections is not neutral.
func opensFiles(list []shellcmd.Redirection) bool {
	return slices.ContainsFunc(list, func(r shellcmd.Redirection) bool { return !r.IsNeutral() })
}

// redirect decides about one redirection in autoEdit.
func (d *decider) redirect(r shellcmd.Redirection) Verdict {
	ask := Verdict{Decision: Ask}
	switch r.Op {
	case "<<", "<<-", "<<<":
		return Verdict{Decision: Allow} // no file
	}
	target := r.Target.Value
	switch {
	case !r.Target.Static || target == "":
		return ask
	case r.IsNeutral(), target == "/dev/stdout", target == "/dev/stderr":
		return Verdict{Decision: Allow}
	case !filepath.IsAbs(target) && d.moved:
		return ask
	}
	path := d.abs(d.dir(), target)
	if !d.inside(d.opts.Dir, path) {
		return ask
	}
	switch r.Op {
	case "<":
		return Verdict{Decision: Allow}
	case ">", ">>", ">|", "&>", "&>>", "<>", ">&":
		return d.write(path)
	}
	return ask
}

// write decides about writing a file in the same way as about a call of write_file.
func (d *decider) write(path string) Verdict {
	name := path
	if below, err := filepath.Rel(d.opts.Dir, path); err == nil && filepath.IsLocal(below) {
		name = below
	}
	args, err := json.Marshal(map[string]string{"content": "", "file_path": filepath.ToSlash(name)})
	if err != nil {
		return Verdict{Decision: Ask}
	}
	q := newQuery(Call{Name: "write_file", Args: args, Subagent: d.q.Subagent, Paths: []string{workspace.RealPath(path)}})
	q.runs = d.q.runs
	q.root, q.late, q.searches = d.q.root, d.q.late, d.q.searches
	file := &decider{Engine: d.Engine, state: d.state, interactive: d.interactive, q: q}
	return file.verdict()
}

// moves reports whether a command may change the directory of those after it, or read other
// scripts that do.
func moves(c shellcmd.Command) bool {
	switch c.Name {
	case "cd", "pushd", "popd", "eval", "source", ".", "builtin", "command", "trap", "alias":
		return true
	}
	return len(c.Words) > 0 && !c.Words[0].Static || c.Words == nil // "time cd x"
}
