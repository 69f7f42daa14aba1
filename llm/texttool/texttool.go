// Package texttool adds tool calling to models that do not support it.
//
// [Wrap] lists the tools in the system instruction and asks the model to write a call
// as a fenced block of JSON:
//
//	```json
//	{"tool_call": {"name": "read_file", "arguments": {"file_path": "a.go"}}}
//	```
//
// or, for text that JSON would have to escape, as elements:
//
//	<function=write_file>
//	<parameter=file_path>a.go</parameter>
//	<parameter=content>
//	package a
//	</parameter>
//	</function>
//
// The generator parses the output of the model while it streams. It removes calls
// from the text and returns them as function calls. It holds back text that may still
// become a call. In the history that it sends to the model, calls and results are
// written as text, calls in the form in which the model wrote them.
//
// The parser also accepts the forms in which models were trained to call tools (see
// docs/models.md), and JSON with small mistakes (see llm/laxjson). These count only at the end
// of an answer.
//
// A quotation is not a call: one whose text stands in anything that the model was given
// (see llm/quotation), or that is in inline code, behind a quote, in a quotation or a table of
// Markdown, in a thought, or in a fence with other text. It stays text.
//
// Under the key
// tool_call and in a form that stands for nothing else, any name is that of a tool: the
// caller answers calls of tools that do not exist. Under keys as common as "name" only
// the names of declared tools count; all else remains text. If the model intended a call
// that cannot be parsed, the generator reports the problem to the model and asks again,
// and in the end fails.
package texttool

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"pollux/llm"
	"pollux/llm/quotation"
)

// Options configures the parsing of calls. The zero value is right for most callers.
type Options struct {
	// Corrections is the maximum number of repeated requests for one answer with a call
	// that cannot be read: 2 by default, none if negative. After the last one the answer
	// ends with an [llm.Error] whose code is [UnreadableCall].
	Corrections int
	// InMessage describes the tools in the first message of the history, as the user's, instead of the system
	// instruction.
	InMessage bool
	// DropText leaves out the text of an answer with calls, also from the history. No text is then yielded before the end
	// of an answer.
	DropText bool
	// Log, if not nil, gets debug messages: about calls that cannot be read, results
	// that a model invents, and models that get their tools as text.
	Log func(model, message string)
	// Always reports whether a model is known to have no tool calling. Only [AsNeeded]
	// uses it: [Wrap] treats all models so.
	Always func(model string) bool
	// HasCalled reports whether a model, or the service that it belongs to, is known to return
	// calls as its protocol has them. Its text is never read. Only [AsNeeded] uses it.
	HasCalled func(model string) bool
	// Given is the index of the models' input. Generators may share one. nil is a new one.
	Given *quotation.Index
	// Now and Rand are used for the ids of calls. The defaults are the clock and random
	// numbers.
	Now  func() time.Time
	Rand func() uint64
}

// Wrap returns g with tool calling. Wrap a generator that retries failed requests
// (llm/retry); wrap the result in those that record or count requests.
func Wrap(g llm.Generator, o Options) *Generator {
	o.Corrections = cmp.Or(o.Corrections, 2)
	if o.Given == nil {
		o.Given = quotation.New()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
	return &Generator{Generator: g, options: o}
}

// Generator is the result of [Wrap].
type Generator struct {
	llm.Generator
	options      Options
	contract     contractCache
	messageCache messageCache
}

var _ llm.Generator = (*Generator)(nil)

func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Stream implements [llm.Generator]. Function calls come with the last chunk. If the
// generator asks again, Usage is that of the last request, as it shows how full the
// context window is.
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	textReq, tools := g.prepare(req)
	switch {
	case len(tools) == 0:
		return g.Generator.Stream(ctx, textReq)
	case req.Use.IsAuxiliary():
		return g.streamQuoting(ctx, req, textReq, tools)
	case g.options.DropText:
		return withoutText(g.streamAnswer(ctx, req, textReq, tools))
	}
	return g.streamAnswer(ctx, req, textReq, tools)
}

// streamAnswer requests an answer, again if it has a call that cannot be read, and yields its text and calls.
func (g *Generator) streamAnswer(ctx context.Context, req, textReq *llm.Request, tools toolSet) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		a := newAnswer(&g.options, req, tools)
		hasStarted, hasYielded := false, false
		for {
			for chunk, err := range g.Generator.Stream(ctx, textReq) {
				if err != nil {
					// Callers retry differently after the first chunk. So yield an empty
					// chunk if all text so far was held back.
					if !hasStarted || hasYielded || yield(&llm.Response{}, nil) {
						yield(nil, err)
					}
					return
				}
				hasStarted = true
				if chunk = a.add(chunk); chunk != nil {
					hasYielded = true
					if !yield(chunk, nil) {
						return
					}
				}
				if a.parser.isDone() {
					break
				}
			}
			if !a.finishAttempt() {
				if err := a.err(); err != nil {
					yield(nil, err)
				} else if last := a.lastChunk(); last != nil {
					yield(last, nil)
				}
				return
			}
			textReq = a.retry(textReq)
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	textReq, tools := g.prepare(req)
	switch {
	case len(tools) == 0:
		return g.Generator.Generate(ctx, textReq)
	case req.Use.IsAuxiliary():
		r, err := g.Generator.Generate(ctx, textReq)
		if err != nil {
			return r, err
		}
		return newNativeAnswer(&g.options, req, tools).whole(r), nil
	}
	a := newAnswer(&g.options, req, tools)
	var parts []llm.Part
	for {
		whole, err := g.Generator.Generate(ctx, textReq)
		if err != nil {
			return nil, err
		}
		if len(whole.Candidates) == 0 { // the vendor has blocked the response
			return a.add(whole), nil
		}
		parts = append(parts, a.add(whole).Parts()...)
		if !a.finishAttempt() {
			if err := a.err(); err != nil {
				return nil, err
			}
			last := a.lastChunk()
			if last == nil {
				last = whole
			}
			parts = append(parts, last.Parts()...)
			if g.options.DropText && slices.ContainsFunc(parts, isCall) {
				parts = slices.DeleteFunc(parts, isVisible)
			}
			last.Candidates[0].Content = llm.Model(join(parts)...)
			return last, nil
		}
		textReq = a.retry(textReq)
	}
}

// streamQuoting requests the answer to a question of Pollux itself, such as a summary. It
// may quote calls, so that only one at its end is a call.
func (g *Generator) streamQuoting(ctx context.Context, req, textReq *llm.Request, tools toolSet) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		newNativeAnswer(&g.options, req, tools).stream(g.Generator.Stream(ctx, textReq), yield)
	}
}

// CountTokens implements [llm.Generator].
func (g *Generator) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	textReq, _ := g.prepare(req)
	return g.Generator.CountTokens(ctx, textReq)
}

// prepare returns req without tools, calls and results, and the tools that the model may
// call.
func (g *Generator) prepare(req *llm.Request) (*llm.Request, toolSet) {
	textReq := *req
	textReq.Config.ToolConfig = nil
	textReq.Config.Tools = nil
	for _, set := range req.Config.Tools {
		switch {
		case !set.GoogleSearch && !set.URLContext:
		case len(set.Functions) == 0:
			textReq.Config.Tools = append(textReq.Config.Tools, set)
		default:
			textReq.Config.Tools = append(textReq.Config.Tools, &llm.ToolSet{GoogleSearch: set.GoogleSearch, URLContext: set.URLContext})
		}
	}
	c := g.contract.get(&req.Config)
	textReq.Contents = g.messageCache.render(req.Contents, c.tools)
	if g.options.InMessage && c.message != nil {
		textReq.Contents = slices.Concat([]*llm.Content{c.message}, textReq.Contents)
	} else {
		textReq.Config.SystemInstruction = c.instruction
	}
	return &textReq, c.tools
}

// join joins consecutive texts.
func join(parts []llm.Part) []llm.Part {
	out := parts[:0]
	for _, p := range parts {
		if n := len(out); n > 0 && isPlainText(&out[n-1]) && isPlainText(&p) {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return slices.Clip(out)
}

// isPlainText reports whether p is text of the model's answer without a signature.
func isPlainText(p *llm.Part) bool { return p.IsText() && !p.Thought && p.ThoughtSignature == "" }
