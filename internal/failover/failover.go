// Package failover asks the person about a model that cannot answer: because its quota is used up, because it is busy, or
// because there is no such model for this account.
package failover

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/tool"
)

// The answers, as in Gemini CLI.
const (
	keepTrying = "Keep trying"
	stop       = "Stop"
)

// Handler returns the handler of [fallback.Options] that asks a person about each failure. It asks nothing about a model that
// does not exist and that no other one can stand in for: the same request would fail again.
func Handler(asker person.Asker) func(context.Context, fallback.Failure) fallback.Intent {
	return func(ctx context.Context, f fallback.Failure) fallback.Intent {
		if f.To == "" && f.Kind == fallback.NotFound {
			return fallback.Stop
		}
		answer, err := person.Choose(ctx, asker, person.Choice{
			Header: "Model", Text: text(f, time.Now()), Options: options(f),
			Help: "A model that you switch to answers until the session ends or you choose another one with /model.",
		})
		return intent(f, answer, err)
	}
}

// intent returns the decision of the person who has chosen an answer, "" for none.
func intent(f fallback.Failure, answer string, err error) fallback.Intent {
	switch {
	case err != nil:
		return fallback.Stop
	case answer == keepTrying:
		return fallback.RetryOnce
	case answer != "" && answer == switchTo(f):
		return fallback.RetryAlways
	}
	return fallback.RetryLater
}

func switchTo(f fallback.Failure) string {
	if f.To == "" {
		return ""
	}
	return "Switch to " + f.To
}

// options returns the answers in the order of Gemini CLI. Keeping on is no answer where it cannot help.
func options(f fallback.Failure) []tool.Option {
	var list []tool.Option
	if f.To == "" || !isUsedUp(f) && f.Kind != fallback.NotFound {
		list = append(list, tool.Option{Label: keepTrying})
	}
	if f.To != "" {
		list = append(list, tool.Option{Label: switchTo(f), Description: "for this session"})
	}
	return append(list, tool.Option{Label: stop})
}

// isUsedUp reports whether the quota is used up. A model may also have no room for a while.
func isUsedUp(f fallback.Failure) bool {
	e, ok := errors.AsType[*llm.Error](f.Err)
	return f.Kind == fallback.Terminal && (!ok || e.Kind != llm.KindCapacity)
}

// text returns the problem, and the commands that help.
func text(f fallback.Failure, now time.Time) string {
	e, _ := errors.AsType[*llm.Error](f.Err)
	said, other := "", "\n/model to switch models."
	switch {
	case isUsedUp(f):
		said = "Usage limit reached for " + f.Model + "."
		if e != nil && e.RetryAfter > 0 {
			said += "\nAccess resets at " + clock(now, e.RetryAfter) + "."
		}
		said += reported(f.Err)
		other = "\n/stats model for usage details" + other
	case f.Kind == fallback.NotFound && e != nil && e.Kind == llm.KindForbidden:
		said = "It seems like you don't have access to " + f.Model + "." + reported(f.Err)
	case f.Kind == fallback.NotFound:
		said = fmt.Sprintf("Model %q was not found or is invalid.", f.Model) + reported(f.Err)
	case f.Kind == fallback.Unknown:
		said = f.Model + " has failed." + reported(f.Err)
	default:
		said = "We are currently experiencing high demand for " + f.Model + "." + reported(f.Err)
	}
	return said + other
}

// reported returns the provider's own words, on a line.
func reported(err error) string {
	if reason := terminal.Line(wording.Reason(err)); reason != "" {
		return "\nThe provider reports: " + reason + "."
	}
	return ""
}

// clock returns the time after a wait, with the day unless that is today.
func clock(now time.Time, wait time.Duration) string {
	at := now.Add(wait)
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on 2 January")
}
