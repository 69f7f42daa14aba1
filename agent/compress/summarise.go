package compress

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/llm"
)

// Alias returns the name under which settings have the model that summarises
// for this one (spec/agent.md §7.3, §16.7).
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

// writer is who writes summaries, and how it is told to.
type writer struct {
	model string
	cfg   llm.Config
	// before goes before what is asked, where the system instruction and the tools
	// are the conversation's: what a system instruction would say.
	before string
	fixed  int // tokens of a request beside the history
	limit  int // of the model; 0 if unknown
}

// writers returns who writes the summary of a history of this many tokens, and
// who does if that one would rather go on with the conversation: the
// conversation's own model and settings, without its tools.
func (w *work) writers(history int) (first, second writer) {
	told := instructions(w.FiveParts, w.plan())
	tokens := llm.EstimateTokens([]llm.Part{{Text: told}})
	system := llm.User(llm.Text(told))

	own := writer{model: w.Overlong.Model, limit: w.Overlong.Limit, fixed: w.fixed + tokens}
	plain := own
	cached := w.Conversation != nil && (w.Price == nil || w.Price(own.model) != nil)
	if w.Conversation != nil {
		own.cfg, own.before = w.Conversation(own.model), aside+told+"\n\n"
		plain.cfg, plain.fixed = own.cfg, tokens
	}
	plain.cfg.SystemInstruction, plain.cfg.Tools, plain.cfg.ToolConfig = system, nil, nil
	if !cached {
		// Of a model that nobody knows it is not known that it has a cache, but that
		// it may well go on calling tools where it sees any.
		own = plain
	}
	if w.Options.Model == nil {
		return own, plain
	}
	name, cfg, err := w.Options.Model(own.model)
	switch {
	case err != nil:
		w.Warn(fmt.Sprintf("%s summarises its conversation itself: %v", own.model, err))
		return own, plain
	case name == "", name == own.model && w.Conversation != nil:
		return own, plain
	}
	other := plain
	other.model, other.cfg, other.fixed = name, cfg, tokens
	other.cfg.SystemInstruction, other.cfg.Tools = system, nil
	if name != own.model && w.Options.Limit != nil {
		other.limit = w.Options.Limit(name)
	}
	if w.Conversation != nil && w.Price != nil &&
		(w.room(other) < history || cheaper(w.Price(own.model), w.Price(name), own.fixed, history, w.calls())) {
		return own, plain
	}
	return other, plain
}

// calls is how often a summary asks.
func (w *work) calls() int {
	if w.OneCall {
		return 1
	}
	return 2
}

func (w *work) plan() string {
	if w.Plan == nil {
		return ""
	}
	return w.Plan()
}

// maxRequests bounds what one compression may cost where a history has to be
// summarised in pieces, and leastRoom how small these become.
const (
	maxRequests = 32
	leastRoom   = 256
)

// summarise has what stands before the cut summarised. The results of tools are
// as they were if they fit the writer's window, otherwise as trimmed; and what
// does not fit even so, as after a change to a model with a smaller window, goes
// in pieces, each with the summary of those before it.
func (w *work) summarise(ctx context.Context, cut cut, trimmed []agent.Message) (string, error) {
	messages := w.body[:cut.at]
	by, plain := w.writers(estimate(messages))
	room := w.room(by)
	if estimate(messages) > room {
		messages = trimmed[:cut.at]
	}
	summary, start := "", 0
	for range maxRequests {
		known := llm.EstimateTokens([]llm.Part{{Text: summary}})
		end := pieceEnd(messages, cut.bound, start, room-known)
		piece := messages[start:end]
		s, err := w.ask(ctx, by, w.piece(summary, piece, room-known), summary != "" || isSnapshot(piece[0]))
		switch {
		case err == nil && end == cut.at:
			return s, nil
		case err == nil:
			summary, start = s, end
		case errors.Is(err, errCalled) && by.before != "":
			by = plain
		case isTooLong(err) && room-known > leastRoom:
			messages = trimmed[:cut.at]
			room = known + min(room-known, estimate(piece))/2
		default:
			return "", err
		}
	}
	return "", errors.New("it is too long for the model that summarises")
}

func isTooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindContextWindow
}

// piece returns what is sent of a piece of the history: before it, the opening
// and the summary of the pieces that came first.
func (w *work) piece(summary string, piece []agent.Message, room int) []*llm.Content {
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
		copy(contents[before:], squeeze(contents[before:], room))
	}
	return contents
}

// unlimited is room enough for anything.
const unlimited = 1 << 40

// room returns how many tokens, as we guess them, a writer's window has for the
// history: an eighth of it, but no more than the largest summaries take, is left
// for the answer, and a sixteenth in case that the guess is wrong.
func (w *work) room(by writer) int {
	if by.limit <= 0 {
		return unlimited
	}
	free := by.limit - min(by.limit/8, 16_384) - by.limit/16
	return max(0, int(float64(free)/w.factor)-by.fixed-estimate(w.head))
}

// pieceEnd returns where the piece that begins at start ends: it has at most room
// tokens, unless what must stay together has more.
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

// ask has the model write a snapshot of contents, and look at it again.
func (w *work) ask(ctx context.Context, by writer, contents []*llm.Content, older bool) (string, error) {
	task := fresh
	if older {
		task = integrate
	}
	if w.Focus != "" {
		task += " " + focus + w.Focus
	}
	contents = append(contents, llm.User(llm.Text(by.before+task)))
	answer, err := w.generate(ctx, by, contents, "")
	if err != nil {
		return "", err
	}
	first, ok := read(answer, w.FiveParts)
	if w.OneCall {
		if !ok {
			return "", errNoSummary
		}
		return first.String(), nil
	}
	contents = append(slices.Clip(contents), llm.Model(llm.Text(answer)), llm.User(llm.Text(verify)))
	answer, err = w.generate(ctx, by, contents, "-verify")
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	second, alsoOK := read(answer, w.FiveParts)
	switch {
	case ok && alsoOK:
		return better(first, second).String(), nil
	case ok:
		return first.String(), nil
	case alsoOK:
		return second.String(), nil
	case err != nil:
		return "", err
	}
	return "", errNoSummary
}

// generate asks and returns the text of the answer, an error if there is none.
func (w *work) generate(ctx context.Context, by writer, contents []*llm.Content, suffix string) (string, error) {
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
	if !hasWords(text) && slices.ContainsFunc(response.Parts(), isCall) {
		return "", errCalled
	}
	if !hasWords(text) {
		if f := response.PromptFeedback; f != nil && f.BlockReason != "" {
			return "", fmt.Errorf("the model refused to summarise it (%s)", f.BlockReason)
		}
		return "", errors.New("the model returned an empty summary")
	}
	return text, nil
}

// errCalled means that the model called a tool instead.
var errCalled = errors.New("the model called a tool instead of summarising")

func isCall(p llm.Part) bool { return p.FunctionCall != nil }
