package guard

import (
	"context"
	"fmt"
	"strings"

	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Summarizer writes summaries that replace long outputs. Package summary has one.
type Summarizer interface {
	// Wants reports whether the output of a tool is summarized if it is long.
	Wants(s *tool.Spec) bool
	// Write returns a summary of what a tool has returned for a call, which a line describes; "" for none.
	Write(ctx context.Context, s *tool.Spec, call, output string) string
}

// Limits of what a summarizer reads, in bytes: the arguments of a call, and its output.
const maxCall, maxOutput = 4000, 4 << 20

// summarize returns the result with a summary in place of the output, the result itself if there is none. The summary
// is that of the whole output, also where the result has a part of it.
func (g *gatedCall) summarize(ctx context.Context, r *tool.Result) *tool.Result {
	if g.opts.Summarizer == nil || g.written.Typed || ctx.Err() != nil || !g.opts.Summarizer.Wants(g.spec) {
		return r
	}
	whole, ok := r.Whole(maxOutput)
	if !ok {
		return r
	}
	output := r.Frame.Output(whole)
	text := g.opts.Summarizer.Write(ctx, g.spec, g.spec.Name+" "+ellipsis.Bytes(string(g.call.Args()), maxCall), output)
	if text == "" {
		return r
	}
	file := r.OutputFile
	if file == "" {
		file = tool.Save(whole, g.spill)
	}
	note := fmt.Sprintf("[a summary by a model of %d characters of output", tool.Units(output))
	if file != "" {
		note += "; " + r.WhereOutput(file)
	}
	// The summary must not end the frame.
	summarized := r.WithOutput(note + "]\n" + strings.ReplaceAll(text, "</untrusted_context>", "&lt;/untrusted_context&gt;"))
	summarized.OutputFile = file
	return summarized
}

// trim truncates the text of a result to the limits of characters and lines. It applies to commands, subagents, and
// discovered and MCP tools, those that only read included, if the result is a single text. The built-in tools limit
// their output themselves.
func (g *gatedCall) trim(r *tool.Result) *tool.Result {
	if r.Error != nil || len(r.Content) != 1 || !isText(&r.Content[0]) {
		return r
	}
	limit := g.outputLimit()
	most := limit
	switch g.spec.Kind {
	case tool.KindOther, tool.KindAgent:
	case tool.KindExecute:
		// The shell tool has already cut a long output, and added a note to it.
		const note = 1000
		most += note
	default:
		if _, isRemote := tool.As[tool.Remote](g.tool); !isRemote {
			return r
		}
	}
	text, file := r.Content[0].Text, r.OutputFile
	if limit > 0 && file == "" && tool.Units(text) > most {
		text, file = tool.Truncate(text, limit, g.spill)
	}
	text = tool.ShortenLines(text, g.opts.Lines, func() string {
		if file == "" {
			file = tool.Save(r.Content[0].Text, g.spill)
		}
		return tool.WhereWhole(file)
	})
	if text == r.Content[0].Text {
		return r
	}
	cut := *r
	cut.Content = []llm.Part{llm.Text(text)}
	cut.OutputFile = file
	return &cut
}

// outputLimit returns the number of characters of its output that the model gets: the
// threshold, but no more than there is room for.
func (g *gatedCall) outputLimit() int {
	limit := max(g.opts.Threshold, 0)
	const perToken = 3 // of source code and logs
	if room := g.written.Room; room > 0 && (limit == 0 || room < limit/perToken) {
		limit = room * perToken
	}
	return limit
}
