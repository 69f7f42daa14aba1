// Package wording holds the sentences about a run that all faces show in the same words.
// Scripts may match some of them. The sentences can contain untrusted text (from models, hooks
// and servers): faces must sanitize them like any other text.
package wording

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Sentences without parameters.
const (
	// NotStarted is the message of a session that was interrupted before it began.
	NotStarted = "Nothing was started."
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
const Patience = " Reading a long prompt can take minutes; Ctrl+C stops."

// Switched returns the sentence for a switch to another model, with the reason.
func Switched(e agent.Switched) string {
	cause := Reason(e.Err)
	if cause != "" {
		cause = " (" + cause + ")"
	}
	return fmt.Sprintf("%s could not answer%s. Switched to %s.", e.From, cause, e.To)
}

// Reason returns the text of err on one line, without a final period, to be used within a
// sentence. It is cut at 500 bytes, and empty if err is nil.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	line := strings.Join(strings.Fields(err.Error()), " ") // some messages have several lines
	if len(line) > maxReason {
		return strings.ToValidUTF8(line[:maxReason], "") + "…"
	}
	return strings.TrimSuffix(line, ".")
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
	return "The model gave no usable answer (" + e.Type + ")."
}

// Overflow returns the sentences for a prompt that does not fit into the context window, with
// what to do about it.
func Overflow(e agent.Overflow) string {
	advice := "Start a new session, or take a model with a larger window."
	switch e.Cause {
	case agent.OverflowPrompt:
		advice = "Send less at once: the model can read a file itself, in parts, if the prompt names it without @."
	case agent.OverflowFixed:
		advice = "The instructions and tools of each session fill it already: take a model with a larger window, or fewer tools (tools.core in your settings)."
	}
	message := fmt.Sprintf("Context window will overflow (estimated: %d, remaining: %d). %s", e.Estimate, e.Remaining, advice)
	if reason := Reason(e.Err); reason != "" {
		message += " The model's server says: " + reason + "."
	}
	return message
}

// APIError returns the sentence for a failed request, in the form that Gemini CLI prints.
func APIError(e *llm.Error) string {
	if e.Status != 0 && e.Code != "" {
		return fmt.Sprintf("[API Error: %s (Status: %s)]", e.Error(), e.Code)
	}
	return fmt.Sprintf("[API Error: %s]", e.Error())
}

// NextStep returns a sentence that tells the user what to do about a failed request. It begins
// with a space and continues the line of the error message; it is empty if there is no advice.
func NextStep(e *llm.Error) string {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(e, &untrusted):
		return " If a proxy or gateway of your own signs that certificate, name the file of its CA in NODE_EXTRA_CA_CERTS."
	case e.Waited > 0:
		return fmt.Sprintf(" The server sent nothing for %d s. To wait longer, set startTimeout (in seconds) of the provider in modelProviders, or pollux.response.startTimeout.",
			int(e.Waited/time.Second))
	case e.Kind == llm.KindNetwork:
		return " Check the network connection, and HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL if they are set."
	case e.Kind == llm.KindUnauthorized:
		return " Check the API key, and security.auth.selectedType in your settings."
	case e.Kind == llm.KindModelNotFound:
		return " Choose another model with --model, GEMINI_MODEL or model.name in your settings."
	case e.Link != "":
		return " See " + e.Link
	}
	return ""
}
