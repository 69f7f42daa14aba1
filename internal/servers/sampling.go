package servers

import (
	"context"
	"time"

	"pollux/llm"
	"pollux/llm/jsonquery"
)

// sampleTimeout limits a request to the model for an MCP server.
const sampleTimeout = 5 * time.Minute

// Model is the model of the conversation, for requests of servers.
type Model struct {
	Generator llm.Generator
	Name      string
	Config    llm.Config
}

// sample asks the model of the conversation for a server. It sends nothing of the conversation.
func (s *Servers) sample(ctx context.Context, system string, messages []*llm.Content, limit int) (text, model string, err error) {
	m := s.parts.Model()
	m.Config.MaxOutputTokens = limit
	text, err = jsonquery.AskText(ctx, jsonquery.Question{
		Generator: m.Generator, Use: llm.UseSampling, System: system, Contents: messages, Timeout: sampleTimeout, Interactive: true,
		ResolveModel: func(string) (string, llm.Config, error) { return m.Name, m.Config, nil },
	})
	return text, m.Name, err
}
