package projecttest

import (
	"context"
	"sync"

	"pollux/agent"
	"pollux/internal/person"
	"pollux/tool"
)

// Person answers questions, and keeps them. Without answers it cancels them. It is safe for concurrent use.
type Person struct {
	mu       sync.Mutex
	answers  []string
	asked    []tool.Question
	approval tool.Outcome
	approved []tool.Confirmation
}

var _ person.Asker = (*Person)(nil)

// Answer sets the answers to the next questions, in their order.
func (p *Person) Answer(answers ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = answers
}

// AnswerApprovals sets the answer to all questions about calls.
func (p *Person) AnswerApprovals(o tool.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.approval = o
}

// TakeAsked returns the questions since the last call.
func (p *Person) TakeAsked() []tool.Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

// TakeApprovals returns the questions about calls since the last call.
func (p *Person) TakeApprovals() []tool.Confirmation {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.approved
	p.approved = nil
	return list
}

// Ask implements [person.Asker].
func (p *Person) Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return tool.Answer{}, context.Cause(ctx)
	}
	q, ok := details.(*tool.QuestionConfirmation)
	if !ok {
		return p.approve(details), nil
	}
	p.asked = append(p.asked, q.Questions...)
	if len(p.answers) == 0 {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": answer}}}, nil
}

// Approve implements [person.Asker].
func (p *Person) Approve(_ context.Context, q *agent.Question) (tool.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.approve(q.Details()), nil
}

func (p *Person) approve(details tool.Confirmation) tool.Answer {
	p.approved = append(p.approved, details)
	if p.approval == "" {
		return tool.Answer{Outcome: tool.Cancel}
	}
	return tool.Answer{Outcome: p.approval}
}
