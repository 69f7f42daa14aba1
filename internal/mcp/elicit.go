package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/browser"
	"pollux/internal/mcp/form"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Answers of a person to a question of a server (elicitation).
const (
	accepted  = "accept"
	declined  = "decline"
	cancelled = "cancel"
)

// maxQuestion limits the text of a question, in bytes. The rest is cut.
const maxQuestion = 4_000

// elicit answers a question of the server. The person sees which server asks.
func (s *server) elicit(ctx context.Context, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	ask, ctx, done, why := s.admitQuestion(ctx)
	if why != "" {
		s.warnOnce(fmt.Sprintf("MCP server %q asked a question, and Pollux declined it: %s.", s.config.Name, why))
		return &sdk.ElicitResult{Action: declined}, nil
	}
	defer done()
	if p.Mode == "url" || p.Mode == "" && p.URL != "" {
		return s.offerPage(ctx, ask, p)
	}
	schema, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return nil, invalidParams(err)
	}
	f, err := form.Parse(schema, fieldOrder(p.Meta))
	if err != nil {
		return nil, invalidParams(err)
	}
	return s.fill(ctx, ask, p.Message, f)
}

func invalidParams(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// fill asks a person whether to answer, and then for the fields of a form, until all answers are valid.
func (s *server) fill(ctx context.Context, ask tool.Ask, message string, f *form.Form) (*sdk.ElicitResult, error) {
	text, yes := clean(message), "Confirm"
	if titles := f.Titles(); len(titles) > 0 {
		text += "\nThe server wants: " + terminal.Cut(strings.Join(titles, ", "), maxQuestion)
		yes = "Answer"
	}
	action, err := s.consent(ctx, ask, text, tool.Option{Key: "y", Label: yes})
	if action != accepted || err != nil {
		return &sdk.ElicitResult{Action: action}, err
	}
	questions := f.Questions(s.config.Name)
	answers := map[string]string{}
	open := make([]int, len(questions)) // the fields that are still to be asked for
	for i := range open {
		open[i] = i
	}
	problems := map[int]string{}
	for len(open) > 0 {
		c := &tool.QuestionConfirmation{Title: s.title()}
		for _, i := range open {
			q := questions[i]
			if problems[i] != "" {
				q.Text = problems[i] + "\n" + q.Text
			}
			c.Questions = append(c.Questions, q)
		}
		a, err := ask(ctx, c)
		if err != nil || a.Outcome == tool.Cancel || a.Reply == nil {
			return &sdk.ElicitResult{Action: unanswered(&a)}, err
		}
		for n, i := range open {
			answers[strconv.Itoa(i)] = a.Reply.Answers[strconv.Itoa(n)]
		}
		_, problems = f.Content(answers)
		open = open[:0]
		for i := range questions {
			if problems[i] != "" {
				open = append(open, i)
			}
		}
	}
	content, _ := f.Content(answers)
	return &sdk.ElicitResult{Action: accepted, Content: content}, nil
}

// offerPage asks a person whether to open a page, on which the server asks for something itself.
func (s *server) offerPage(ctx context.Context, ask tool.Ask, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	page, err := url.Parse(p.URL)
	if err != nil || page.Host == "" || page.User != nil || len(p.URL) > maxQuestion || !isEncoded(p.URL) ||
		page.Scheme != "https" && (page.Scheme != "http" || !isLocal(page.Hostname())) {
		return nil, invalidParams(errors.New("the address is not that of a page with https"))
	}
	text := clean(p.Message) + "\nThe server wants you to open this page, which is on " + page.Host + ":\n" + p.URL
	action, err := s.consent(ctx, ask, text, tool.Option{Key: "y", Label: "Open the page", Description: "in your browser; Pollux does not see what you enter there"})
	if action != accepted || err != nil {
		return &sdk.ElicitResult{Action: action}, err
	}
	err = browser.ErrNone
	if o := s.all.o.OAuth; o != nil && o.Open != nil {
		err = o.Open(ctx, p.URL)
	}
	if err != nil {
		s.all.warn(fmt.Sprintf("Cannot open a browser: %v. Open the page yourself: %s", err, p.URL))
	}
	return &sdk.ElicitResult{Action: accepted}, nil
}

// isEncoded reports whether a URL has no characters that look like something else on a screen.
func isEncoded(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

func isLocal(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// consent asks a person whether to fulfill a request of the server, and returns their answer.
func (s *server) consent(ctx context.Context, ask tool.Ask, text string, yes tool.Option) (action string, err error) {
	const no = "Decline"
	a, err := ask(ctx, &tool.QuestionConfirmation{Title: s.title(), Questions: []tool.Question{{
		Text: text, Header: "Server", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{yes, {Key: "n", Label: no, Description: "the server learns that you do not want to"}},
		Help:    fmt.Sprintf("The text is from MCP server %q, not from Pollux. It gets your answer.", s.config.Name),
	}}})
	switch {
	case err != nil, a.Outcome == tool.Cancel, a.Reply == nil:
		return unanswered(&a), err
	case a.Reply.Answers["0"] == yes.Label:
		return accepted, nil
	}
	return declined, nil
}

// unanswered returns the action for a question that has no answer.
func unanswered(a *tool.Answer) string {
	if a.Unattended {
		return declined
	}
	return cancelled
}

// title is the heading of the server's questions on screen.
func (s *server) title() string { return fmt.Sprintf("MCP server %q asks", s.config.Name) }

// clean returns a text of the server for a screen, with a note if the text was cut.
func clean(text string) string {
	text = terminal.Text(text)
	if len(text) <= maxQuestion {
		return text
	}
	return fmt.Sprintf("%s\n[%d more bytes are not shown]", terminal.Cut(text, maxQuestion), len(text)-maxQuestion)
}
