package form

import (
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Content returns the content of a form for the answers to its questions, by their numbers as in a
// [tool.Reply]: "0" is the first. problems has the error of each wrong answer by number, as a sentence
// for people; the content is complete if there is none.
func (f *Form) Content(answers map[string]string) (content map[string]any, problems map[int]string) {
	content, problems = map[string]any{}, map[int]string{}
	for i := range f.fields {
		one := &f.fields[i]
		value, problem := one.read(answers[strconv.Itoa(i)])
		if value != nil && problem == "" {
			problem = one.check(value)
		}
		switch {
		case problem != "":
			problems[i] = problem
		case value != nil:
			content[one.name] = value
		case one.isRequired:
			problems[i] = "The server needs an answer."
		}
	}
	return content, problems
}

// read returns the value that a person's answer stands for, nil for none.
func (f *field) read(answer string) (value any, problem string) {
	if answer == "" || answer == noAnswer && f.kind != text {
		return f.fallback, ""
	}
	switch f.kind {
	case number, integer:
		n, err := strconv.ParseFloat(answer, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, "The answer is not a number."
		}
		return n, ""
	case boolean:
		switch strings.ToLower(answer) {
		case "yes", "y", "true":
			return true, ""
		case "no", "n", "false":
			return false, ""
		}
		return nil, "The answer is neither yes nor no."
	case choice:
		if i := f.find(answer); i >= 0 {
			return f.options[i].value, ""
		}
		return nil, "The answer is none of the values."
	case choices:
		values := []string{}
		for label := range strings.SplitSeq(answer, ",") {
			i := f.find(strings.TrimSpace(label))
			if i < 0 {
				return nil, "The answer is none of the values."
			}
			if !slices.Contains(values, f.options[i].value) {
				values = append(values, f.options[i].value)
			}
		}
		return values, ""
	}
	return answer, ""
}

// find returns the index of the option with a label, -1 if there is none.
func (f *field) find(label string) int {
	return slices.IndexFunc(f.options, func(o option) bool { return strings.EqualFold(o.label, label) })
}

// check returns the error of a value, "" if it is valid.
func (f *field) check(value any) (problem string) {
	switch v := value.(type) {
	case string:
		if f.kind == choice {
			return f.checkOptions([]string{v})
		}
		return f.checkText(v)
	case float64:
		switch {
		case f.kind == integer && v != math.Trunc(v):
			return "The answer is not a whole number."
		case f.Minimum != nil && v < *f.Minimum:
			return "The answer is less than " + plain(*f.Minimum) + "."
		case f.Maximum != nil && v > *f.Maximum:
			return "The answer is more than " + plain(*f.Maximum) + "."
		}
	case []string:
		n := float64(len(v))
		switch {
		case f.MinItems != nil && n < *f.MinItems:
			return "Choose at least " + plain(*f.MinItems) + "."
		case f.MaxItems != nil && n > *f.MaxItems:
			return "Choose at most " + plain(*f.MaxItems) + "."
		}
		return f.checkOptions(v)
	}
	return ""
}

func (f *field) checkOptions(values []string) string {
	for _, v := range values {
		if !slices.ContainsFunc(f.options, func(o option) bool { return o.value == v }) {
			return "The answer is none of the values."
		}
	}
	return ""
}

func (f *field) checkText(v string) string {
	n := float64(utf8.RuneCountInString(v))
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return fmt.Sprintf("The answer has less than %s characters.", plain(*f.MinLength))
	case f.MaxLength != nil && n > *f.MaxLength:
		return fmt.Sprintf("The answer has more than %s characters.", plain(*f.MaxLength))
	case f.pattern != nil && !f.pattern.MatchString(v):
		return "The answer does not have the form that the server wants."
	}
	switch f.Format {
	case "email":
		if a, err := mail.ParseAddress(v); err != nil || a.Address != v {
			return "The answer is not an email address."
		}
	case "uri":
		if u, err := url.Parse(v); err != nil || u.Scheme == "" {
			return "The answer is not a URI, such as https://example.com."
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			return "The answer is not a date, such as 2026-12-31."
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return "The answer is not a time, such as 2026-12-31T18:00:00Z."
		}
	}
	return ""
}

// plain returns a number without an exponent or needless digits.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
