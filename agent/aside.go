package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"pollux/llm"
)

// ErrNoText is the error of [Agent.Aside] if the model has answered without text.
var ErrNoText = errors.New("the model has answered without text")

// Aside asks a model a question about the conversation, with one request, and returns the answer. The conversation gets
// neither. The request begins as the next one of the conversation does, so that the vendor reads it from its prompt cache;
// calls of tools in the response do not run. The hooks around the model see the request and each chunk of the response; a
// response of theirs is the answer. Aside may be called at any time, from any goroutine. Its error is an [*llm.Error] if the
// request failed, and a [*HookError] if a hook refused it.
func (a *Agent) Aside(ctx context.Context, model, question string) (string, error) {
	req := &llm.Request{
		Model: model, Contents: withAside(Curated(a.History()), question), Config: a.RequestConfig(model), Use: llm.UseAside, PromptID: a.NewPromptID(),
	}
	if a.cfg.Hooks != nil {
		if v, instead := a.cfg.Hooks.BeforeModel(ctx, req); v.Stop || v.Block {
			return answerOf(v, instead.Text())
		}
	}
	var answer strings.Builder
	for chunk, err := range a.cfg.Generator.Stream(ctx, req) {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			return "", err
		}
		if a.cfg.Hooks != nil {
			v, instead := a.cfg.Hooks.AfterModel(ctx, req, chunk)
			if v.Stop || v.Block {
				return answerOf(v, instead.Text())
			}
			chunk = cmp.Or(instead, chunk)
		}
		answer.WriteString(chunk.Text())
	}
	text := strings.TrimSpace(answer.String())
	if text == "" {
		return "", ErrNoText
	}
	return text, nil
}

// answerOf returns the answer that a hook gives in place of the model, or the error that it gives none.
func answerOf(v Verdict, text string) (string, error) {
	if text = strings.TrimSpace(text); v.Block && !v.Stop && text != "" {
		return text, nil
	}
	return "", &HookError{v}
}

// HookError is the error of a request that a hook around the model refused.
type HookError struct{ Verdict Verdict }

// Error returns the reason of the hook.
func (e *HookError) Error() string { return "a hook has refused the request: " + e.Verdict.Reason }

// asideNote stands before a side question.
const asideNote = "[System: The user has a side question. Answer it from the conversation, in a few sentences, and do not go on with the task. " +
	"Call no tools: no call runs. The conversation keeps neither the question nor your answer.]\n\n"

// withAside returns the contents of a history with a question behind them. Calls whose results are not there yet get a
// result that says so.
func withAside(history []Message, question string) []*llm.Content {
	contents := make([]*llm.Content, 0, len(history)+1)
	for _, m := range history {
		contents = append(contents, m.Content)
	}
	asked := llm.Text(asideNote + question)
	if len(contents) == 0 {
		return append(contents, llm.User(asked))
	}
	last := contents[len(contents)-1]
	if last.Role == llm.RoleUser {
		contents[len(contents)-1] = llm.User(append(slices.Clip(last.Parts), asked)...)
		return contents
	}
	var parts []llm.Part
	for _, call := range last.FunctionCalls() {
		parts = append(parts, llm.Part{FunctionResponse: llm.Output(call.ID, call.Name, "[The call has not ended yet.]")})
	}
	return append(contents, llm.User(append(parts, asked)...))
}
