package shellcmd

import (
	"errors"

	"mvdan.cc/sh/v3/syntax"
)

// SyntaxError is the first syntax error of a script.
type SyntaxError struct {
	Line, Column int // from 1
	Text         string
}

// CheckScript returns the first syntax error of a script for bash, nil if there is none or if the script is nested too
// deeply to be parsed.
func CheckScript(script string) *SyntaxError {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&boundedReader{rest: script}, "")
	var wrong syntax.ParseError
	if !errors.As(err, &wrong) {
		return nil
	}
	return &SyntaxError{int(wrong.Pos.Line()), int(wrong.Pos.Col()), wrong.Text}
}
