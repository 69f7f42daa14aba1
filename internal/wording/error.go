package wording

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/llm"
)

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
	var e *exit.Error
	if errors.As(err, &e) {
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
