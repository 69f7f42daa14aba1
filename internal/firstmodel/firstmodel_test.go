package firstmodel_test

import (
	"context"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/firstmodel"
	"pollux/internal/models"
	"pollux/llm/provider"
	"pollux/tool"
)

// asker gives the answers in turn, "" for Esc, and keeps the questions.
type asker struct {
	answers []string
	asked   []tool.Question
}

// Ask implements [person.Asker].
func (a *asker) Ask(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
	a.asked = append(a.asked, details.(*tool.QuestionConfirmation).Questions[0])
	answer := a.answers[len(a.asked)-1]
	if answer == "" {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": answer}}}, nil
}

// Approve implements [person.Asker].
func (a *asker) Approve(context.Context, *agent.Question) (tool.Answer, error) {
	return tool.Answer{}, nil
}

// TestChoose checks the models that are offered, and the results of answers. The catalog has the models: there is no server.
func TestChoose(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env, requested string
		answers        string // with commas
		first, second  string // the first two options
		want           string
	}{
		"Enter":       {"GEMINI_API_KEY=k", "auto", "auto", "auto", "gemini-", ""},
		"Esc":         {"GEMINI_API_KEY=k", "auto", "", "auto", "gemini-", ""},
		"another":     {"GEMINI_API_KEY=k", "auto", "gemini-2.5-flash", "auto", "gemini-", "gemini-2.5-flash"},
		"of a vendor": {"ANTHROPIC_API_KEY=k", "auto", "claude-opus-4-5", "claude-", "claude-", "anthropic/claude-opus-4-5"},
		"unchanged":   {"ANTHROPIC_API_KEY=k", "auto", "", "claude-", "claude-", ""},
		"by variable": {"ANTHROPIC_API_KEY=k ANTHROPIC_MODEL=mine", "auto", "", "", "", ""},
		"in full":     {"ANTHROPIC_API_KEY=k", "auto", "anthropic/claude-haiku-4-5", "claude-", "claude-", "anthropic/claude-haiku-4-5"},
		"of two":      {"GEMINI_API_KEY=k ANTHROPIC_API_KEY=k", "anthropic/claude-opus-4-5", "anthropic/claude-haiku-4-5", "anthropic/claude-opus-4-5", "anthropic/claude-", "anthropic/claude-haiku-4-5"},
	} {
		env := config.NewEnv(append(strings.Fields(c.env), "GEMINI_CLI_HOME="+t.TempDir())...)
		s, _, err := config.Load(config.Sources{Paths: config.NewPaths(env, t.TempDir()), Env: env})
		if err != nil {
			t.Fatal(err)
		}
		accounts, err := auth.Open(auth.Inputs{Settings: s, Env: config.NewFolderEnv(env)})
		if err != nil {
			t.Fatal(err)
		}
		d, err := models.Open(t.Context(), accounts, provider.Network{}, models.Options{Settings: s, Requested: c.requested})
		if err != nil {
			t.Fatal(name, err)
		}
		a := &asker{answers: strings.Split(c.answers, ",")}
		if got, err := firstmodel.Choose(t.Context(), a, d); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
		if c.first == "" {
			if len(a.asked) > 0 {
				t.Errorf("%s: asked %v", name, a.asked)
			}
			continue
		}
		o := a.asked[0].Options
		if len(a.asked) != 1 || len(o) > 13 || !strings.HasPrefix(o[0].Label, c.first) || !strings.HasPrefix(o[1].Label, c.second) || !strings.HasPrefix(o[0].Description, "default, ") || o[1].Description == "" {
			t.Errorf("%s: asked %+v", name, a.asked)
		}
		for _, other := range o[1:] {
			if other.Label == o[0].Label {
				t.Errorf("%s: twice %s", name, other.Label)
			}
		}
	}
}
