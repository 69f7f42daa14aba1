package argmap

import (
	"context"
	"iter"
	"slices"
	"sync"

	"pollux/llm"
)

// Wrap returns a generator that corrects the argument names in tool calls of g. names
// returns the wrong names of a model; it is called once for each model, at its first
// tool call. If root is not empty, relative paths become absolute below root, see
// [Names.Apply].
func Wrap(g llm.Generator, names func(model string) Names, root string) *Generator {
	return &Generator{Generator: g, names: names, root: root}
}

// Generator is the result of [Wrap].
type Generator struct {
	llm.Generator
	names func(model string) Names
	known sync.Map // Names by model
	root  string
}

var _ llm.Generator = (*Generator)(nil)

func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Stream implements [llm.Generator].
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for chunk, err := range g.Generator.Stream(ctx, req) {
			if !yield(g.correct(req, chunk), err) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	r, err := g.Generator.Generate(ctx, req)
	return g.correct(req, r), err
}

// correct returns r, or a copy with corrected arguments.
func (g *Generator) correct(req *llm.Request, r *llm.Response) *llm.Response {
	parts, copied := r.Parts(), false
	for i := range parts {
		call := parts[i].FunctionCall
		if call == nil {
			continue
		}
		tool := declaration(req, call.Name)
		if tool == nil {
			continue
		}
		args := g.namesFor(req.Model).Apply(tool, call.Args, g.root)
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
	return r.WithParts(parts)
}

func (g *Generator) namesFor(model string) Names {
	known, ok := g.known.Load(model)
	if !ok {
		known, _ = g.known.LoadOrStore(model, g.names(model))
	}
	return known.(Names)
}

// declaration returns the declaration of a tool in req, nil if there is none.
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
