// Package wording holds the sentences about a run that all faces show in the same words.
// Scripts may match some of them. The sentences can contain untrusted text (from models, hooks
// and servers): faces must sanitize them like any other text.
package wording

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
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
	return "Agent execution stopped: " + cmp.Or(strings.TrimSpace(e.SystemMessage), e.Reason)
}

// Blocked returns the sentence for a prompt or response that a hook has refused.
func Blocked(e agent.Blocked) string {
	return "Agent execution blocked: " + cmp.Or(strings.TrimSpace(e.SystemMessage), e.Reason)
}

// Exhausted returns the sentence for a prompt that has caused as many requests as it may.
func Exhausted(e agent.Exhausted) string {
	return fmt.Sprintf("Stopped after %d requests in a row without a tool call.", e.Requests)
}

// Retried returns the sentences for a response that broke off or is unusable, after part of it may have been shown.
func Retried(e agent.Retried) string {
	text := "The response was unusable."
	switch e.Cause.Type {
	case "MEDIA_REFUSED": // nothing has been shown
		return terminal.Line(e.Cause.Message)
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

// EditsLeft returns the sentence for edits that have failed and were not made in another way.
func EditsLeft(e agent.EditsLeft) string {
	return fmt.Sprintf("The last edit of %s failed and was not repeated.", strings.Join(e.Files, ", "))
}

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
	known := map[string]string{
		"THINKING_ONLY_RESPONSE": "The model returned reasoning thoughts but no final response text. If your context window is near capacity, try using /compress.",
		"MAX_TOKENS_EXCEEDED":    "Model response was truncated because it exceeded the token limit. Try using /compress to free up context space.",
		"SAFETY_BLOCKED":         "The model response was blocked due to safety settings.",
		"RECITATION_BLOCKED":     "The model response was blocked due to recitation/copyright filters.",
		"OTHER_BLOCKED":          "The model response was blocked due to other policy settings.",
		"NO_RESPONSE_TEXT":       "The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again.",
	}
	return cmp.Or(known[e.Type], e.Message, "The model returned no usable response ("+e.Type+").")
}

// Overflow returns the sentences for a prompt that does not fit into the context window, with the next step.
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

// APIError returns the message of a failed request in stream-json, in the form of Gemini CLI, which scripts match.
func APIError(e *llm.Error) string {
	if e.Status != 0 && e.Code != "" {
		return fmt.Sprintf("[API Error: %s (Status: %s)]", e.Error(), e.Code)
	}
	return fmt.Sprintf("[API Error: %s]", e.Error())
}

// Compressed describes the result of a compression, and reports whether it failed.
func Compressed(c agent.Compression) (text string, failed bool) {
	const small = 50_000 // tokens, below which a summary cannot be expected to be shorter
	switch c.Status {
	case agent.CompressedOK:
		return fmt.Sprintf("Chat history compressed from %d to %d tokens.", c.Before, c.After), false
	case agent.CompressContentTruncated:
		return fmt.Sprintf("Chat history truncated from %d to %d tokens: long tool outputs are in files now, and there is no summary.",
			c.Before, c.After), false
	case agent.CompressNoOp:
		return "Nothing to compress.", false
	case agent.CompressInflated:
		if c.Before < small {
			return "Compression was not beneficial for this history size.", false
		}
		return "Chat history compression did not reduce size. This may indicate issues with the compression prompt.", true
	case agent.CompressTokenCountError:
		return "Could not compress chat history due to a token counting error.", true
	case agent.CompressEmptySummary:
		return "Chat history compression failed: the model returned an empty summary.", true
	}
	return "Failed to compress chat history.", true
}

// Error returns the message for people about an error that ends a run.
func Error(err error) string {
	var e *exit.Error
	var api *llm.Error
	switch {
	case errors.As(err, &e):
		return e.Message
	case errors.As(err, &api):
		return Failure(api, Place{})
	}
	return err.Error()
}

// Summary returns [Error] on one line, for machine-readable output.
func Summary(err error) string {
	if e, ok := errors.AsType[*exit.Error](err); ok {
		return e.Error()
	}
	return Error(err)
}

// Sentence returns the message of an error with a capital letter and a period.
func Sentence(err error) string {
	text := Error(err)
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Count returns a number of things: "1 key", "2 keys".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Restore returns the sentence about how to bring back files that a call has deleted.
func Restore(files int) string {
	noun := "files"
	if files == 1 {
		noun = "file"
	}
	return "To bring the deleted " + noun + " back, type /undo."
}

// Bytes writes a number of bytes: "12 bytes", "3.4 KB".
func Bytes(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KB"
	case n < 1<<30:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/(1<<30), 'f', 2, 64) + " GB"
}

// Number writes n with commas between thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Percent writes part as a percentage of whole, with one decimal: "12.5%", and "0.0%" if whole is not positive.
func Percent(part, whole float64) string {
	if whole <= 0 {
		return "0.0%"
	}
	return fmt.Sprintf("%.1f%%", 100*part/whole)
}

// Tokens writes a number of tokens in short: "200k", "1.05M", and "-" for none.
func Tokens(n int) string {
	switch {
	case n <= 0:
		return "-"
	case n < 1000:
		return strconv.Itoa(n)
	case n < 999_500:
		return strconv.Itoa((n+500)/1000) + "k"
	}
	return strconv.FormatFloat(float64((n+5000)/10_000)/100, 'f', -1, 64) + "M"
}

// Duration writes d in one or two units, such as "250ms", "1.5s", "2m 3s" or "1h 4m".
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm %ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %dm", int(d.Hours()), int(d.Minutes())%60)
}

// Age returns a time span in at most four characters. A session from the future is new.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < day:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d < 1000*day:
		return strconv.Itoa(int(d/day)) + "d"
	}
	return strconv.Itoa(min(int(d/(365*day)), 999)) + "y"
}
