package protocol

import (
	"fmt"
	"strings"
)

// AppendMessage appends a message. It returns an error if the roles do not alternate.
func (a *Query) AppendMessage(m Message, at string) *Error {
	if n := len(a.Messages); n > 0 {
		last := &a.Messages[n-1]
		switch {
		case m.FromModel && last.FromModel:
			return BadParameter(at+".role", "", "Conversation roles must alternate: two messages of the role 'assistant' follow each other.")
		case len(m.Texts) > 0 && len(last.Texts) > 0 && !m.FromModel && !last.FromModel:
			return BadParameter(at+".role", "", "Conversation roles must alternate: two messages of the role 'user' follow each other.")
		}
	}
	a.Add(m)
	return nil
}

// CheckOrder checks the order of roles, and that each call has its result.
func CheckOrder(a *Query) *Error {
	if len(a.Messages) == 0 || a.Messages[0].FromModel {
		return BadParameter("messages", "", "The conversation must begin with a message of the role 'user'.")
	}
	if a.LastMessage().FromModel {
		last := len(AsList(a.Body["messages"])) - 1
		if n := len(a.LastMessage().Calls); n > 0 {
			return unansweredError(a.LastMessage().Calls, fmt.Sprintf("messages.[%d].role", last))
		}
		return BadParameter(fmt.Sprintf("messages[%d].role", last), "", "The conversation must end with a message of the role 'user' or 'tool'.")
	}
	for i := range a.Messages {
		var calls []Call
		if i > 0 {
			calls = a.Messages[i-1].Calls
		}
		if f := checkPairs(calls, a.Messages[i].Results); f != nil {
			return f
		}
	}
	return nil
}

// checkPairs checks that each call has exactly one result, and each result a call.
func checkPairs(calls []Call, results []Result) *Error {
	open := map[string]bool{}
	for _, c := range calls {
		if open[c.ID] {
			return BadParameter("messages", "", "Duplicate value for 'tool_call_id' of '%s'.", c.ID)
		}
		open[c.ID] = true
	}
	for _, r := range results {
		if !open[r.ID] {
			if len(calls) == 0 {
				return BadParameter("messages", "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			return BadParameter("messages", "", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message, or answered twice.", r.ID)
		}
		open[r.ID] = false
	}
	var left []Call
	for _, c := range calls {
		if open[c.ID] {
			left = append(left, c)
		}
	}
	if len(left) > 0 {
		return unansweredError(left, "messages")
	}
	return nil
}

func unansweredError(calls []Call, at string) *Error {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	return BadParameter(at, "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

// TurnStart returns the index of the message that started the current turn: the last user
// message without results.
func (a *Query) TurnStart() int {
	start := 0
	for i, m := range a.Messages {
		if !m.FromModel && len(m.Results) == 0 {
			start = i
		}
	}
	return start
}
