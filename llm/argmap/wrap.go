package argmap

import (
	"context"
	"iter"
	"slices"
	"sync"

	"pollux/llm"
)

// Wrap returns g with the names of arguments put right in what it answers.
// Names returns those that a model gets wrong; it is asked once for each model,
// at its first call. Relative paths become absolute below root, unless that is
// empty; see [Names.Apply].
func Wrap(g llm.Generator, names func(model string) Names, root string) *Generator {
	return &Generator{Generator: g, names: names, root: root}
}

// Generator is what [Wrap] returns.
type Generator struct {
	llm.Generator
	names func(model string) Names
	known sync.Map // Names by model
	root  string
}

var _ llm.Generator = (*Generator)(nil)

// Unwrap returns the generator that does the work.
func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Stream implements [llm.Generator].
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for chunk, err := range g.Generator.Stream(ctx, req) {
			if !yield(g.right(req, chunk), err) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	r, err := g.Generator.Generate(ctx, req)
	return g.right(req, r), err
}

// right returns r, or a copy whose calls have the right arguments.
func (g *Generator) right(req *llm.Request, r *llm.Response) *llm.Response {
	parts, copied := r.Parts(), false
	for i := range parts {
		call := parts[i].FunctionCall
		if call == nil {
			continue
		}
		names := g.of(req.Model)
		if names[call.Name] == nil {
			continue
		}
		tool := declaration(req, call.Name)
		if tool == nil {
			continue
		}
		args := names.Apply(tool, call.Args, g.root)
		if string(args) == string(call.Args) {
			continue
		}
		if !copied {
			parts, copied = slices.Clone(parts), true
		}
		fixed := *call
		fixed.Args = args
		parts[i].FunctionCall = &fixed
	}
	if !copied {
		return r
	}
	out := *r
	out.Candidates = slices.Clone(r.Candidates)
	out.Candidates[0].Content = &llm.Content{Role: r.Candidates[0].Content.Role, Parts: parts}
	return &out
}

// of returns the names that a model gets wrong.
func (g *Generator) of(model string) Names {
	known, ok := g.known.Load(model)
	if !ok {
		known, _ = g.known.LoadOrStore(model, g.names(model))
	}
	return known.(Names)
}

func declaration(req *llm.Request, name string) *llm.FunctionDeclaration {
	for _, set := range req.Config.Tools {
		for i := range set.Functions {
			if set.Functions[i].Name == name {
				return &set.Functions[i]
			}
		}
	}
	return nil
}
