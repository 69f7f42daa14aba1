package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/llm"
	"pollux/tool"
)

// Sample asks a model for a server, and returns the answer and the name of the model. The limit of the
// answer is in tokens.
type Sample func(ctx context.Context, system string, messages []*llm.Content, limit int) (text, model string, err error)

// maxSample limits the answer of a model that a server asks, in tokens. maxSampled limits the server's
// request, in bytes.
const (
	maxSample  = 4096
	maxSampled = 256 << 10
)

// codeRefused is the protocol's code for a sample that a person refuses.
const codeRefused = -1

func refused(why string) error {
	return &jsonrpc.Error{Code: codeRefused, Message: why}
}

// sample asks a model for the server (sampling), if the settings allow it and a person agrees. Tools and the
// conversation are not sent, whatever the server wants.
//
//lint:ignore SA1019 servers of today ask for samples
func (s *server) sample(ctx context.Context, p *sdk.CreateMessageWithToolsParams) (*sdk.CreateMessageResult, error) {
	switch {
	case s.all.o.Sample == nil:
		return nil, refused(`Pollux does not send requests of servers to the model. A user can allow that with the setting pollux.mcpSampling: "ask".`)
	case len(p.Tools) > 0:
		return nil, refused("Pollux sends no tools with the requests of servers to the model.")
	}
	messages, err := sampled(p)
	if err != nil {
		return nil, invalidParams(err)
	}
	ask, ctx, done, why := s.admitQuestion(ctx)
	if why != "" {
		s.warnOnce(fmt.Sprintf("MCP server %q wanted to ask the model, and Pollux refused it: %s.", s.config.Name, why))
		return nil, refused("Pollux refused the request to the model: " + why + ".")
	}
	defer done()
	limit := maxSample
	if p.MaxTokens > 0 && p.MaxTokens < maxSample {
		limit = int(p.MaxTokens)
	}
	text := fmt.Sprintf("The server wants to send this to the model, and gets the answer, of at most %d tokens:\n", limit) + clean(transcribe(p.SystemPrompt, messages))
	switch action, err := s.consent(ctx, ask, text, tool.Option{Key: "y", Label: "Send", Description: "once; you pay for it as for your own prompts"}); {
	case err != nil:
		return nil, err
	case action != accepted:
		return nil, refused("The user refused the request to the model.")
	}
	answer, model, err := s.all.o.Sample(ctx, p.SystemPrompt, messages, limit)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The model did not answer: " + err.Error()}
	}
	//lint:ignore SA1019 servers of today ask for samples
	return &sdk.CreateMessageResult{Role: "assistant", Model: model, Content: &sdk.TextContent{Text: answer}}, nil
}

// sampled returns the messages that a server wants to send.
//
//lint:ignore SA1019 servers of today ask for samples
func sampled(p *sdk.CreateMessageWithToolsParams) (list []*llm.Content, err error) {
	size := len(p.SystemPrompt)
	for _, m := range p.Messages {
		if m == nil {
			continue
		}
		one := &llm.Content{Role: llm.RoleUser}
		if m.Role == "assistant" {
			one.Role = llm.RoleModel
		}
		for _, c := range m.Content {
			part, ok := promptPart(c)
			if !ok {
				return nil, fmt.Errorf("a message has content of a kind that Pollux does not send")
			}
			size += len(part.Text)
			if part.InlineData != nil {
				size += len(part.InlineData.Data)
			}
			one.Parts = append(one.Parts, part)
		}
		list = append(list, one)
	}
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("there are no messages")
	case size > maxSampled:
		return nil, fmt.Errorf("the messages have more than %d KiB", maxSampled>>10)
	}
	return list, nil
}

// transcribe shows messages to a person.
func transcribe(system string, messages []*llm.Content) string {
	var b strings.Builder
	if system != "" {
		b.WriteString("Instruction: " + system + "\n")
	}
	for _, m := range messages {
		who := "User: "
		if m.Role == llm.RoleModel {
			who = "Model: "
		}
		for _, part := range m.Parts {
			text := part.Text
			if part.InlineData != nil {
				text = fmt.Sprintf("[%s, %d bytes]", part.InlineData.MIMEType, len(part.InlineData.Data))
			}
			b.WriteString(who + text + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
