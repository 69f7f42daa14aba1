// Package wording holds the sentences about a run that all faces show in the same words.
// Scripts may match some of them. The sentences can contain untrusted text (from models, hooks
// and servers): faces must sanitize them like any other text.
package wording

import (
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/llm"
)

// Sentences without parameters.
const (
	// NotStarted is the message of a session that was interrupted before it began.
	NotStarted = "Cancelled before the session started."
	// Cancelled is the message of a run that was interrupted.
	Cancelled = "Operation cancelled."
	// MaxTurns is shown when a session has used all its turns.
	MaxTurns = "Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json."
)

// Stopped returns the sentence for a run that a hook or tool has stopped.
func Stopped(e agent.Stopped) string {
	return "Agent execution stopped: " + systemOrReason(e.SystemMessage, e.Reason)
}

// Blocked returns the sentence for a prompt or response that a hook has refused.
func Blocked(e agent.Blocked) string {
	return "Agent execution blocked: " + systemOrReason(e.SystemMessage, e.Reason)
}

func systemOrReason(system, reason string) string {
	if s := strings.TrimSpace(system); s != "" {
		return s
	}
	return reason
}

// Retried returns the sentences for a response that broke off or is unusable, after part of it may
// have been shown.
func Retried(e agent.Retried) string {
	text := "The response was unusable."
	switch e.Cause.Type {
	case "INCOMPLETE_STREAM", "NO_FINISH_REASON":
		text = "The response was cut off."
	}
	text += " Ignore its text so far."
	if e.Attempt == 0 {
		return text + " Retrying."
	}
	return fmt.Sprintf("%s Retrying (%d of %d).", text, e.Attempt, e.MaxAttempts)
}

// Silent returns the sentence for a server that has sent nothing of its response yet.
func Silent(e agent.Silent) string {
	return fmt.Sprintf("Waiting for %s at %s, %d s so far.", e.Model, e.Host, int(e.Elapsed/time.Second))
}

// Patience continues the first sentence of [Silent] for a person.
const Patience = " A long prompt can take minutes. Ctrl+C cancels."

// Switched returns the sentence for a switch to another model, with the reason.
func Switched(e agent.Switched) string {
	cause := sentence(e.Err)
	if cause != "" {
		cause = ": " + cause
	}
	return fmt.Sprintf("%s failed%s. Switched to %s.", e.From, cause, e.To)
}

// Reason returns the text of err on one line, without a final period, to be used within a
// sentence. It is cut at 500 bytes, and empty if err is nil.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	line := strings.Join(strings.Fields(err.Error()), " ") // some messages have several lines
	return strings.TrimSuffix(terminal.Cut(line, maxReason), ".")
}

// maxReason is in bytes. Longer messages usually repeat the request, or are a web page.
const maxReason = 500

// InvalidStream returns the sentence for a response that cannot be used.
func InvalidStream(e agent.InvalidStream) string {
	switch e.Type {
	case "THINKING_ONLY_RESPONSE":
		return "The model returned reasoning thoughts but no final response text. If your context window is near capacity, try using /compress."
	case "MAX_TOKENS_EXCEEDED":
		return "Model response was truncated because it exceeded the token limit. Try using /compress to free up context space."
	case "SAFETY_BLOCKED":
		return "The model response was blocked due to safety settings."
	case "RECITATION_BLOCKED":
		return "The model response was blocked due to recitation/copyright filters."
	case "OTHER_BLOCKED":
		return "The model response was blocked due to other policy settings."
	case "NO_RESPONSE_TEXT":
		return "The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again."
	}
	if e.Message != "" {
		return e.Message
	}
	return "The model returned no usable response (" + e.Type + ")."
}

// Overflow returns the sentences for a prompt that does not fit into the context window, with
// what to do about it.
func Overflow(e agent.Overflow) string {
	advice := "Start a new session, or choose a model with a larger context window."
	switch e.Cause {
	case agent.OverflowPrompt:
		advice = "Send less text. The model can read a file in parts if you name it without @."
	case agent.OverflowFixed:
		advice = "The system instruction and the tools fill it: choose a model with a larger context window, or fewer tools (tools.core, mcp.excluded)."
	}
	message := fmt.Sprintf("The prompt does not fit into the context window (%d tokens, %d left). %s", e.Estimate, e.Remaining, advice)
	if reason := Reason(e.Err); reason != "" {
		message += " The provider reports: " + reason + "."
	}
	return message
}

// APIError returns the message of a failed request in stream-json, in the form of Gemini CLI,
// which scripts match.
func APIError(e *llm.Error) string {
	if e.Status != 0 && e.Code != "" {
		return fmt.Sprintf("[API Error: %s (Status: %s)]", e.Error(), e.Code)
	}
	return fmt.Sprintf("[API Error: %s]", e.Error())
}
