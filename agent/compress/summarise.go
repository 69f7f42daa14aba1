package compress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Alias returns the alias, in the settings, of the model that summarizes conversations of the
// given model.
func Alias(model string) string {
	const prefix = "chat-compression-"
	switch model {
	case "gemini-3-pro-preview", "gemini-3.1-pro-preview", "gemini-3.1-pro-preview-customtools":
		return prefix + "3-pro"
	case "gemini-3-flash-preview", "gemini-3-flash", "gemini-3.5-flash", "gemini-3.8-flash":
		return prefix + "3-flash"
	case "gemini-3.1-flash-lite", "gemini-3.5-flash-lite":
		return prefix + "3.1-flash-lite"
	case "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite":
		return prefix + model[len("gemini-"):]
	}
	return prefix + "default"
}

// writer is a model that writes summaries, with its configuration.
type writer struct {
	model string
	cfg   llm.Config
	// prefix precedes the task if the system instruction and the tools are those of the
	// conversation. It contains the text that is otherwise the system instruction.
	prefix string
	fixed  int // tokens of a request without the history
	limit  int // size of the model's context window; 0 if unknown
}

// writers returns the writer for the summary of a history of this many tokens. second is the
// conversation's own model without its tools, for the case that first calls a tool instead.
func (w *compression) writers(history int) (first, second writer) {
	text := instructions(w.FiveSections, w.isBrief(), w.PlanPath())
	tokens := llm.EstimateTokens([]llm.Part{{Text: text}})
	system := llm.User(llm.Text(text))

	own := writer{model: w.CompressRequest.Model, limit: w.CompressRequest.Limit, fixed: w.fixed + tokens}
	plain := own
	cached := w.RequestConfig != nil && !w.Separate && (w.Price == nil || w.Price(own.model) != nil)
	if w.RequestConfig != nil {
		own.cfg, own.prefix = w.RequestConfig(own.model), notePrefix+text+"\n\n"
		plain.cfg, plain.fixed = own.cfg, tokens
	}
	plain.cfg.SystemInstruction, plain.cfg.Tools, plain.cfg.ToolConfig = system, nil, nil
	if !cached || w.room(own) < min(history, own.limit/4) {
		// An unknown model may have no cache, and may continue to call tools if it gets any. In
		// a small window, the history needs the room of the tools.
		own = plain
	}
	if w.Options.SummaryModel == nil {
		return own, plain
	}
	name, cfg, err := w.Options.SummaryModel(own.model)
	switch {
	case err != nil:
		w.Warn(fmt.Sprintf("%s summarizes its conversation itself: %v", own.model, err))
		return own, plain
	case name == "", name == own.model && w.RequestConfig != nil, w.missing[name]:
		return own, plain
	}
	other := plain
	other.model, other.cfg, other.fixed = name, cfg, tokens
	other.cfg.SystemInstruction, other.cfg.Tools = system, nil
	if name != own.model && w.Options.Limit != nil {
		other.limit = w.Options.Limit(name)
	}
	requests := 2 // for one summary
	if w.SkipVerification {
		requests = 1
	}
	if w.RequestConfig != nil && w.Price != nil &&
		(w.room(other) < history || isCheaper(w.Price(own.model), w.Price(name), own.fixed, history, requests)) {
		return own, plain
	}
	return other, plain
}

// maxRequests limits the number of pieces in which one compression summarizes a history, and
// minRoom is their minimum size in tokens.
const (
	maxRequests = 32
	minRoom     = 256
)

// summarise returns a summary of the messages before the cut. It uses the original tool
// results if they fit the writer's window, and otherwise the trimmed ones. If the messages
// still do not fit, for example after a change to a model with a smaller window, it summarizes
// them in pieces, each with the summary of the earlier ones.
func (w *compression) summarise(ctx context.Context, cut cut, trimmed []agent.Message) (string, error) {
	messages := w.body[:cut.at]
	by, plain := w.writers(estimate(messages))
	room := w.room(by)
	if estimate(messages) > room {
		messages = trimmed[:cut.at]
	}
	summary, start := "", 0
	for range maxRequests {
		known := llm.EstimateTokens([]llm.Part{{Text: summary}})
		end := pieceEnd(messages, cut.inCall, start, room-known)
		piece, after := messages[start:end], afterPiece
		if end == cut.at {
			after = afterSnapshot(len(w.body)-cut.at, cut.prompt >= 0)
		}
		s, err := w.ask(ctx, by, w.pieceContents(summary, piece, room-known), summary != "" || isSnapshot(piece[0]), after)
		switch {
		case err == nil && end == cut.at:
			return s, nil
		case err == nil:
			summary, start = s, end
		case errors.Is(err, errCalled) && by.prefix != "":
			by = plain
		case hasKind(err, llm.KindModelNotFound, llm.KindForbidden) && by.model != w.CompressRequest.Model:
			w.missing[by.model] = true
			w.Warn(fmt.Sprintf("%s cannot summarize the conversation: %v. "+
				"The conversation's own model does it from now on.", by.model, strings.TrimSuffix(err.Error(), ".")))
			by, plain = w.writers(estimate(messages))
			room = w.room(by)
		case hasKind(err, llm.KindContextWindow) && room-known > minRoom:
			messages = trimmed[:cut.at]
			room = known + min(room-known, estimate(piece))/2
		default:
			return "", err
		}
	}
	return "", errors.New("it is too long for the model that summarizes")
}

// hasKind reports whether err is an error of a model of one of the kinds.
func hasKind(err error, kinds ...llm.ErrorKind) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && slices.Contains(kinds, e.Kind)
}

// pieceContents returns the contents to send for a piece of the history: the head, the summary
// of the earlier pieces, and the piece.
func (w *compression) pieceContents(summary string, piece []agent.Message, room int) []*llm.Content {
	contents := make([]*llm.Content, 0, len(w.head)+len(piece)+8)
	for _, m := range w.head {
		contents = append(contents, m.Content)
	}
	if summary != "" {
		contents = append(contents, llm.User(llm.Text(summary)))
		if piece[0].Content.Role != llm.RoleModel {
			contents = append(contents, acknowledgement())
		}
	}
	before := len(contents)
	for _, m := range piece {
		contents = append(contents, m.Content)
	}
	if estimate(piece) > room {
		copy(contents[before:], truncateContents(contents[before:], room))
	}
	return contents
}

// unlimited is the room of a model whose window is unknown.
const unlimited = 1 << 40

// room returns the number of estimated tokens that a writer's window has for the history. It
// reserves an eighth of the window, up to the size of the largest summaries, for the answer,
// and a sixteenth for errors of the estimate.
func (w *compression) room(by writer) int {
	if by.limit <= 0 {
		return unlimited
	}
	free := by.limit - min(by.limit/8, 16_384) - by.limit/16
	return max(0, int(float64(free)/w.factor)-by.fixed-estimate(w.head))
}

// pieceEnd returns the end of the piece that begins at start. The piece has at most room
// tokens, unless a call and its result have more.
func pieceEnd(messages []agent.Message, bound []bool, start, room int) int {
	end, tokens := start, 0
	for i := start; i < len(messages); i++ {
		tokens += messages[i].Content.Tokens()
		if tokens > room && end > start {
			break
		}
		if !bound[i+1] {
			end = i + 1
		}
	}
	return end
}

// ask has the model write a snapshot of contents and verify it. older is true if contents
// start with a summary. after is a sentence for the model about the messages that follow the snapshot.
func (w *compression) ask(ctx context.Context, by writer, contents []*llm.Content, older bool, after string) (string, error) {
	size := 0 // tokens of the messages that the summary replaces
	for _, c := range contents {
		size += c.Tokens()
	}
	task := taskFirst
	if older {
		task = taskIntegrate
	}
	task += after
	if !w.isBrief() {
		task += taskScratch
	}
	if w.Focus != "" {
		task += " " + taskFocus + w.Focus
	}
	contents = append(contents, llm.User(llm.Text(by.prefix+task)))
	answer, err := w.generate(ctx, by, contents, "")
	if err != nil {
		return "", err
	}
	first, ok := parseSnapshot(answer, w.FiveSections)
	if w.SkipVerification || w.isBrief() && first.isWellFormed() || ok && llm.EstimateTokens([]llm.Part{{Text: first.body}}) > size {
		if !ok {
			return "", errNoSummary
		}
		return first.String(), nil // one that is too large does not get shorter by a check
	}
	contents = append(slices.Clip(contents), llm.Model(llm.Text(answer)), llm.User(llm.Text(taskVerify)))
	answer, err = w.generate(ctx, by, contents, "-verify")
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	second, alsoOK := parseSnapshot(answer, w.FiveSections)
	switch {
	case ok && alsoOK:
		return chooseSnapshot(first, second).String(), nil
	case ok:
		return first.String(), nil
	case alsoOK:
		return second.String(), nil
	case err != nil:
		return "", err
	}
	return "", errNoSummary
}

// isBrief reports whether the snapshot is written in few words, and not verified if it is well
// formed. In a small window, the snapshot would take much of the space.
func (w *compression) isBrief() bool { return catalog.IsSmall(w.CompressRequest.Limit) }

// generate sends a request and returns the text of the answer. It returns an error if there is
// none.
func (w *compression) generate(ctx context.Context, by writer, contents []*llm.Content, suffix string) (string, error) {
	response, err := w.Generator.Generate(ctx, &llm.Request{
		Model: by.model, Contents: contents, Config: by.cfg, Use: llm.UseCompressor, PromptID: w.PromptID + suffix,
	})
	if err != nil {
		return "", err
	}
	text := response.Text()
	switch reason := response.FinishReason(); reason {
	case "", llm.FinishStop, llm.FinishMaxTokens, llm.FinishUnspecified:
	case llm.FinishMalformedFunctionCall, llm.FinishUnexpectedToolCall:
		return "", errCalled
	default:
		if note := reason.Note(); note != "" {
			return "", errors.New(note)
		}
	}
	f := response.PromptFeedback
	switch {
	case hasWords(text):
		return text, nil
	case slices.ContainsFunc(response.Parts(), func(p llm.Part) bool { return p.FunctionCall != nil }):
		return "", errCalled
	case f != nil && f.BlockReason != "":
		return "", fmt.Errorf("the model refused to summarize it (%s)", f.BlockReason)
	}
	return "", errors.New("the model returned an empty summary")
}

// errCalled means that the model called a tool instead of writing a summary.
var errCalled = errors.New("the model called a tool instead of summarizing")
