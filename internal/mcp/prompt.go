package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/llm"
)

// Prompt is a prompt that a server offers.
type Prompt struct {
	Server, Name, Description string
	Args                      []PromptArg
}

// PromptArg is an argument of a [Prompt].
type PromptArg struct {
	Name, Description string
	Required          bool
}

// Prompts returns the prompts of the connected servers, in the order of the servers' names.
func (s *Servers) Prompts() (list []Prompt) {
	for _, one := range s.list {
		one.mu.Lock()
		for _, p := range one.offer.Prompts {
			if p == nil || p.Name == "" {
				continue
			}
			prompt := Prompt{Server: one.config.Name, Name: p.Name, Description: p.Description}
			for _, a := range p.Arguments {
				if a != nil {
					prompt.Args = append(prompt.Args, PromptArg{a.Name, a.Description, a.Required})
				}
			}
			list = append(list, prompt)
		}
		one.mu.Unlock()
	}
	return list
}

// GetPrompt returns the text and the media of a server's prompt.
func (s *Servers) GetPrompt(ctx context.Context, p Prompt, args map[string]string) (parts []llm.Part, err error) {
	one := s.find(p.Server)
	if one == nil {
		return nil, fmt.Errorf("there is no MCP server %q", p.Server)
	}
	session, err := one.connection(ctx)
	if err != nil {
		return nil, err
	}
	sent := &params{Name: p.Name, Arguments: json.RawMessage("{}")}
	if len(args) > 0 {
		if sent.Arguments, err = json.Marshal(args); err != nil {
			return nil, err // not expected: they are texts
		}
	}
	var result *sdk.GetPromptResult
	err = one.attended(ctx, one.all.o.Ask, func(ctx context.Context) error {
		result, err = sdk.CallCustomMethod[*params, *sdk.GetPromptResult](ctx, session, methodGetPrompt, sent)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("MCP server %q: %w", p.Server, one.conceal(plainError(err)))
	}
	for _, m := range result.Messages {
		if m == nil {
			continue
		}
		part, ok := promptPart(m.Content)
		if !ok {
			return nil, fmt.Errorf("MCP server %q: the prompt %s has content that no prompt can have", p.Server, p.Name)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("MCP server %q: the prompt %s is empty", p.Server, p.Name)
	}
	return parts, nil
}

// promptPart returns a message of a prompt as a part of the user's prompt.
func promptPart(c sdk.Content) (llm.Part, bool) {
	switch c := c.(type) {
	case *sdk.TextContent:
		return llm.Text(c.Text), true
	case *sdk.ImageContent:
		return *inline(c.MIMEType, c.Data), true
	case *sdk.AudioContent:
		return *inline(c.MIMEType, c.Data), true
	case *sdk.ResourceLink:
		return llm.Text(resourceLink(cmp.Or(c.Title, c.Name), c.URI)), true
	case *sdk.EmbeddedResource:
		if r := c.Resource; r != nil {
			return llm.Text(plainText([]Content{{r.Text, r.Blob, r.MIMEType}})), true
		}
	}
	return llm.Part{}, false
}

// ParseArgs reads the arguments of a prompt from the text after its name: --name=value, or values for the
// required arguments that are still missing, in their order. If one is missing, it gets all the words.
func (p *Prompt) ParseArgs(text string) (map[string]string, error) {
	args := map[string]string{}
	var words []string
	for _, w := range splitWords(text) {
		name, value, hasValue := strings.Cut(w.text, "=")
		name, isOption := strings.CutPrefix(name, "--")
		if !isOption || !hasValue || w.isQuoted {
			words = append(words, w.text)
			continue
		}
		if !slices.ContainsFunc(p.Args, func(a PromptArg) bool { return a.Name == name }) {
			return nil, fmt.Errorf("there is no argument --%s%s", name, p.usage())
		}
		args[name] = value
	}
	var missing []string
	for _, a := range p.Args {
		if _, found := args[a.Name]; a.Required && !found {
			missing = append(missing, a.Name)
		}
	}
	switch {
	case len(words) > 0 && len(missing) == 1:
		args[missing[0]], missing = strings.Join(words, " "), nil
	case len(words) > len(missing):
		return nil, fmt.Errorf("there is no argument for %q%s", words[len(missing)], p.usage())
	default:
		for i, w := range words {
			args[missing[i]] = w
		}
		missing = missing[len(words):]
	}
	if len(missing) > 0 {
		return nil, errors.New("Missing required argument(s): --" + strings.Join(missing, ", --"))
	}
	return args, nil
}

func (p *Prompt) usage() string {
	if len(p.Args) == 0 {
		return ": this prompt has no arguments"
	}
	var names []string
	for _, a := range p.Args {
		names = append(names, "--"+a.Name)
	}
	return ". Arguments: " + strings.Join(names, ", ")
}

// word is a word of a command line.
type word struct {
	text     string
	isQuoted bool // it began with a quotation mark
}

// splitWords splits a text into words, as typed by a person: quotation marks keep words together, and a
// backslash takes the special meaning from the next character.
func splitWords(text string) (words []word) {
	var b strings.Builder
	inWord, quote, isQuoted, isEscaped := false, false, false, false
	end := func() {
		if inWord {
			words = append(words, word{b.String(), isQuoted})
		}
		b.Reset()
		inWord, isQuoted = false, false
	}
	for _, r := range text {
		switch {
		case isEscaped:
			b.WriteRune(r)
			isEscaped = false
		case r == '\\':
			isEscaped, inWord = true, true
		case r == '"':
			isQuoted = isQuoted || !inWord
			quote, inWord = !quote, true
		case !quote && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			end()
		default:
			b.WriteRune(r)
			inWord = true
		}
	}
	if isEscaped {
		b.WriteByte('\\')
	}
	end()
	return words
}
