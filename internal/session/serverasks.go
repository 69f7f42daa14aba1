package session

import (
	"context"
	"time"

	"pollux/internal/config"
	"pollux/internal/mcp"
	"pollux/llm"
	"pollux/llm/jsonquery"
)

// sampleTimeout limits a request to the model for an MCP server.
const sampleTimeout = 5 * time.Minute

// answerServers sets how MCP servers can ask a person, and the model if the user's settings allow that.
func (s *Session) answerServers(o *mcp.Options) {
	o.HasPerson = s.Project.Options.Interactive
	if config.MCPSampling.In(s.Project.Settings()) == "ask" {
		o.Sample = s.sample
	}
}

// sample asks the model of the conversation for an MCP server. It sends nothing of the conversation.
func (s *Session) sample(ctx context.Context, system string, messages []*llm.Content, limit int) (text, model string, err error) {
	text, err = jsonquery.AskText(ctx, jsonquery.Question{
		Generator: s.sampler, Use: llm.UseSampling, System: system, Contents: messages, Timeout: sampleTimeout, Interactive: true,
		ResolveModel: func(string) (string, llm.Config, error) {
			model = s.Current().Model
			cfg := s.models.ChatConfig(model, false)
			cfg.MaxOutputTokens = limit
			return model, cfg, nil
		},
	})
	return text, model, err
}
