// Package foreign reads calls of the tools of other programs as calls of the tools that a request
// declares. Models were trained with other programs and call bash, Edit or TodoWrite although the
// request declares run_shell_command, replace and write_todos.
//
// [Wrap] replaces such calls in the answers of a generator, so that its callers see the names and
// arguments of declared tools only. A call is replaced if exactly one declared tool fits: all
// required parameters are there, each value has its type, and no argument with a meaning is
// left over. Other calls stay as they are; [Successors] has the tools to suggest then.
//
// A patch, and a list of edits, becomes several calls, of which either all run or none, see
// [llm.FunctionCall].Joined. The call of a patch that cannot be read stays, and does not run.
package foreign

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"pollux/llm"
	"pollux/llm/argmap"
)

// Options configures the reading of calls.
type Options struct {
	// Names returns the wrong names of arguments for a model.
	Names func(model string) argmap.Names
	// Join returns the command line that runs a program with these arguments. Commands that are
	// lists are read only if it is set.
	Join func(words []string) string
	// Patch returns the patch that a command applies, the directory to which it changes before, and the commands after it,
	// "" for none. It reports false for other commands. If it is nil, commands apply no patches.
	Patch func(command string) (patch, dir, rest string, found bool)
}

// Wrap returns a generator that replaces calls of other programs' tools in the answers of g.
func Wrap(g llm.Generator, o Options) *Generator {
	return &Generator{Generator: g, options: o}
}

// Generator is the result of [Wrap].
type Generator struct {
	llm.Generator
	options Options
}

var _ llm.Generator = (*Generator)(nil)

func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Stream implements [llm.Generator]. Each chunk is read by itself, without waiting for others.
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for chunk, err := range g.Generator.Stream(ctx, req) {
			if !yield(g.replace(req, chunk), err) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	r, err := g.Generator.Generate(ctx, req)
	return g.replace(req, r), err
}

// replace returns r, or a copy in which calls are replaced.
func (g *Generator) replace(req *llm.Request, r *llm.Response) *llm.Response {
	parts, hasChanged := r.Parts(), false
	for i := len(parts) - 1; i >= 0; i-- {
		call := parts[i].FunctionCall
		if call == nil {
			continue
		}
		calls := g.read(req, call)
		if len(calls) == 0 {
			continue
		}
		replaced := make([]llm.Part, len(calls))
		for n, c := range calls {
			replaced[n].FunctionCall = c
		}
		// A signature belongs to the first of several calls.
		replaced[0].ThoughtSignature, replaced[0].Extra = parts[i].ThoughtSignature, parts[i].Extra
		parts, hasChanged = slices.Concat(parts[:i], replaced, parts[i+1:]), true
	}
	if !hasChanged {
		return r
	}
	return r.WithParts(parts)
}

// read returns the calls of declared tools that a call means, nil if it stays as it is. They share
// the id of the call.
func (g *Generator) read(req *llm.Request, c *llm.FunctionCall) []*llm.FunctionCall {
	isDeclared := slices.ContainsFunc(req.Config.Tools, func(set *llm.ToolSet) bool {
		return slices.ContainsFunc(set.Functions, func(f llm.FunctionDeclaration) bool { return f.Name == c.Name })
	})
	if isDeclared && (c.Name != shell || !bytes.Contains(c.Args, []byte("patch")) && !bytes.ContainsRune(c.Args, '[')) { // nearly every call
		return nil
	}
	args, err := parseObject(c.Args)
	if err != nil {
		return nil
	}
	r := reader{options: &g.options, name: Key(c.Name)}
	for _, set := range req.Config.Tools {
		for i := range set.Functions {
			r.declared = append(r.declared, &set.Functions[i])
		}
	}
	if g.options.Names != nil {
		r.names = g.options.Names(req.Model)
	}
	var meant []call
	switch {
	case isPatch(r.name):
		meant, err = r.readPatch(args)
	default:
		if meant = r.read(args); len(meant) == 0 || meant[0].tool != shell {
			break
		}
		var patched []call
		isList := bytes.HasPrefix(bytes.TrimSpace(args["command"]), []byte("["))
		if patched, err = r.readPatchCommand(meant[0].args); patched != nil || isDeclared && !isList {
			meant = patched
		}
	}
	if err != nil {
		refused := *c
		refused.Problem = fmt.Sprintf("The patch cannot be applied, and nothing was changed: %v.", err)
		return []*llm.FunctionCall{&refused}
	}
	calls := make([]*llm.FunctionCall, len(meant))
	for i, m := range meant {
		calls[i] = new(*c)
		calls[i].Name, calls[i].Args = m.tool, m.args
		if m.tool != "read_file" { // reads need not all succeed
			calls[i].Joined = len(meant) - 1 - i
		}
	}
	return calls
}
