package agent

import (
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
// calls of tools in the response do not run. Aside may be called at any time, from any goroutine. Its error is an
// [*llm.Error] if the request failed.
func (a *Agent) Aside(ctx context.Context, model, question string) (string, error) {
	req := &llm.Request{
		Model: model, Contents: withAside(Curated(a.History()), question), Config: a.RequestConfig(model), Use: llm.UseAside, PromptID: a.NewPromptID(),
	}
	var answer strings.Builder
	for chunk, err := range a.cfg.Generator.Stream(ctx, req) {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			return "", err
		}
		answer.WriteString(chunk.Text())
	}
	text := strings.TrimSpace(answer.String())
	if text == "" {
		return "", ErrNoText
	}
	return text, nil
}

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
