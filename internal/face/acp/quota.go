package acp

import (
	"slices"

	"pollux/llm"
)

// quota counts the tokens of a turn, by model.
type quota struct {
	model string // that answers
	used  []used
}

type used struct {
	Model  string `json:"model"`
	Tokens tokens `json:"token_count"`
}

type tokens struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// add counts a response.
func (q *quota) add(u *llm.Usage) {
	if u == nil {
		return
	}
	i := slices.IndexFunc(q.used, func(u used) bool { return u.Model == q.model })
	if i < 0 {
		i, q.used = len(q.used), append(q.used, used{Model: q.model})
	}
	q.used[i].Tokens.Input += u.Prompt
	q.used[i].Tokens.Output += u.Candidates
}

// json returns the counts as clients of Gemini CLI know them.
func (q *quota) json() any {
	total, list := tokens{}, []used{}
	for _, u := range q.used {
		total.Input += u.Tokens.Input
		total.Output += u.Tokens.Output
		list = append(list, u)
	}
	return map[string]any{"token_count": total, "model_usage": list}
}
