// Package texttool gives tool calling to models that have none
// (spec/agent.md §6).
//
// [Wrap] tells the model in its system instruction which tools there are and
// asks it to write a call as a fenced block of JSON:
//
//	```json
//	{"tool_call": {"name": "read_file", "arguments": {"file_path": "a.go"}}}
//	```
//
// What the model then writes is read while it streams. Calls leave the text and
// become function calls like any other's; of the text nothing is shown that may
// yet turn out to be part of a call. In the history that goes to the model,
// calls and results stand as the model knows them: as text.
//
// Many forms of a call are understood, and JSON that is a little off (see
// llm/laxjson), but only calls of declared tools count; whatever else looks like
// one is text. A call that is meant but cannot be read is not run: the model is
// told and asked again, before anyone else learns of it.
package texttool

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"pollux/llm"
)

// Options says how calls are read. The zero value is what most will want.
type Options struct {
	// Corrections is how often a model is asked again, for one answer, after a
	// call that cannot be read; by default 2, none if negative. After that the
	// call is shown as the text it is.
	Corrections int
	// CallsOnly drops the text of an answer that calls tools (the seeds'
	// preserveContext=false). Nothing is shown before the end of an answer then.
	CallsOnly bool
	// Log, where set, is told of each call that cannot be read, of results that a
	// model makes up, and of each model that is told of tools in words: for those
	// who look for an error.
	Log func(model, message string)
	// Always names models that are known to take no tools. Only [AsNeeded] asks:
	// what [Wrap] returns treats all models so.
	Always func(model string) bool
	// Now and Rand make the ids of calls; by default the clock and chance.
	Now  func() time.Time
	Rand func() uint64
}

// Wrap returns g with tool calling. It belongs directly around what repeats
// failed requests (llm/retry), and inside whatever records or counts answers.
func Wrap(g llm.Generator, o Options) *Generator {
	if o.Corrections == 0 {
		o.Corrections = 2
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
	return &Generator{Generator: g, options: o}
}

// Generator is what [Wrap] returns.
type Generator struct {
	llm.Generator
	options  Options
	contract contracts
	messages messages
}

var _ llm.Generator = (*Generator)(nil)

// Unwrap returns the generator that does the work.
func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Stream implements [llm.Generator]. Function calls come with the last chunk.
// Where the model is asked again, Usage is that of the last request, which says
// how full the model's window is; what all of them cost is counted below.
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	asked, tools := g.prepare(req)
	if len(tools) == 0 {
		return g.Generator.Stream(ctx, asked)
	}
	return func(yield func(*llm.Response, error) bool) {
		a := &answer{options: &g.options, model: req.Model, parser: newParser(tools)}
		begun, told := false, false
		for {
			for chunk, err := range g.Generator.Stream(ctx, asked) {
				if err != nil {
					// Who asks again after an answer has begun, and who does before,
					// are not the same; what is held back is a beginning.
					if !begun || told || yield(&llm.Response{}, nil) {
						yield(nil, err)
					}
					return
				}
				begun = true
				if chunk = a.add(chunk); chunk != nil {
					told = true
					if !yield(chunk, nil) {
						return
					}
				}
				if a.parser.over() {
					break
				}
			}
			if !a.end() {
				if last := a.last(); last != nil {
					yield(last, nil)
				}
				return
			}
			asked = a.again(asked)
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	asked, tools := g.prepare(req)
	if len(tools) == 0 {
		return g.Generator.Generate(ctx, asked)
	}
	a := &answer{options: &g.options, model: req.Model, parser: newParser(tools)}
	var parts []llm.Part
	for {
		whole, err := g.Generator.Generate(ctx, asked)
		if err != nil {
			return nil, err
		}
		if len(whole.Candidates) == 0 { // it was blocked
			return a.add(whole), nil
		}
		parts = append(parts, a.add(whole).Parts()...)
		if !a.end() {
			last := a.last()
			if last == nil {
				last = whole
			}
			last.Candidates[0].Content = llm.Model(join(append(parts, last.Parts()...))...)
			return last, nil
		}
		asked = a.again(asked)
	}
}

// CountTokens implements [llm.Generator].
func (g *Generator) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	asked, _ := g.prepare(req)
	return g.Generator.CountTokens(ctx, asked)
}

// prepare returns req as a model without tools understands it, and the names
// of the tools that it may call.
func (g *Generator) prepare(req *llm.Request) (*llm.Request, map[string]bool) {
	asked := *req
	asked.Contents = g.messages.render(req.Contents)
	asked.Config.ToolConfig = nil
	asked.Config.Tools = nil
	for _, set := range req.Config.Tools {
		switch {
		case !set.GoogleSearch && !set.URLContext:
		case len(set.Functions) == 0:
			asked.Config.Tools = append(asked.Config.Tools, set)
		default:
			asked.Config.Tools = append(asked.Config.Tools, &llm.ToolSet{GoogleSearch: set.GoogleSearch, URLContext: set.URLContext})
		}
	}
	c := g.contract.of(&req.Config)
	asked.Config.SystemInstruction = c.instruction
	return &asked, c.names
}

// join joins neighbouring texts.
func join(parts []llm.Part) []llm.Part {
	out := parts[:0]
	for _, p := range parts {
		if n := len(out); n > 0 && plain(&out[n-1]) && plain(&p) {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return slices.Clip(out)
}

// plain reports whether p is text that the model said, and nothing else.
func plain(p *llm.Part) bool { return p.IsText() && !p.Thought && p.ThoughtSignature == "" }
