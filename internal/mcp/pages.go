package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/tool"
)

// maxVisits limits the pages that a server wants a person to visit before a call.
const maxVisits = 3

// withPages sends a request. If the server first wants a person to visit pages, such as to sign in, it offers
// them, and sends the request once more when the person has confirmed to have finished.
func (s *server) withPages(ctx context.Context, send func() error) error {
	err := send()
	pages := requiredPages(err)
	if len(pages) == 0 {
		return err
	}
	for _, p := range pages {
		answer, refused := s.elicit(ctx, p)
		switch {
		case refused != nil:
			return refused
		case answer.Action != accepted:
			return errors.New("the server wants the user to visit a page, and the user did not want to")
		}
	}
	isDone, failure := s.confirmVisit(ctx)
	switch {
	case failure != nil:
		return failure
	case !isDone:
		return errors.New("the user has not finished on the page that the server wants them to visit")
	}
	return send()
}

// requiredPages returns the pages that an error wants a person to visit.
func requiredPages(err error) []*sdk.ElicitParams {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code != sdk.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(e.Data, &data) != nil || len(data.Elicitations) > maxVisits {
		return nil
	}
	for _, p := range data.Elicitations {
		if p == nil || p.Mode != "url" {
			return nil
		}
	}
	return data.Elicitations
}

// confirmVisit waits until a person confirms to have finished on a page, and reports whether they
// have.
func (s *server) confirmVisit(ctx context.Context) (isDone bool, err error) {
	ask, ctx, done, why := s.admitQuestion(ctx)
	if why != "" {
		return false, errors.New(why)
	}
	defer done()
	const yes = "Continue"
	a, err := ask(ctx, &tool.QuestionConfirmation{Title: s.title(), Questions: []tool.Question{{
		Text: "Have you finished on the page? Pollux then repeats the call.", Header: "Page", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{{Key: "y", Label: yes}, {Key: "n", Label: "Cancel", Description: "the call fails"}},
	}}})
	return err == nil && a.Reply != nil && a.Reply.Answers["0"] == yes, err
}
