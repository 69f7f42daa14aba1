package shellcmd

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Expand returns the fields that bash makes of a word, at most so many. getenv returns variables, of which PWD is the directory of relative
// patterns, and readDir the entries of a directory. It returns an error for a word with substitutions, or with variables that are "".
func (w Word) Expand(getenv func(name string) string, readDir func(dir string) ([]fs.DirEntry, error), most int) (fields []string, err error) {
	config := &expand.Config{
		Env: expand.FuncEnviron(getenv), ReadDir2: readDir, NoUnset: true,
		CmdSubst:  func(io.Writer, *syntax.CmdSubst) error { return errSubstitution },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "", errSubstitution },
	}
	for word, err := range syntax.NewParser().WordsSeq(strings.NewReader(w.Text)) {
		if err != nil {
			return nil, err
		}
		for field, err := range expand.FieldsSeq(config, word) {
			if err != nil {
				return nil, err
			}
			if fields = append(fields, field); len(fields) == most {
				return fields, nil
			}
		}
	}
	return fields, nil
}

var errSubstitution = errors.New("a word with the output of a command is known when the command has run")
