// Package file has the tools that read, list and change files.
//
// Each tool has its own file: first its specification for the model, then the code. The other
// files are shared: content.go converts a file to content for a model, document.go changes a
// text file without affecting the rest of it, find.go finds the place of an edit, and merge.go
// makes an edit whose place differs from the model's text.
package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"pollux/internal/workspace"
	"pollux/tool"
)

// arguments are a call's arguments by their exact names. (Decoding into a struct would also
// accept "FILE_PATH" for file_path, so that a call could have one path for a policy and
// another for the tool.)
type arguments map[string]json.RawMessage

func parseArguments(raw json.RawMessage) (arguments, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("params must be valid JSON: %w", err)
	}
	return a, nil
}

// changesFile returns the effect of a call that changes the file it names.
func changesFile(w *workspace.Workspace, raw json.RawMessage) tool.Effect {
	args, err := parseArguments(raw)
	if path := args.str("file_path"); err == nil && !blank(path) {
		return tool.Effect{Paths: []string{w.Resolve(path)}}
	}
	return tool.Effect{} // unknown
}

// value decodes an argument. The schema has been checked, so a value that cannot be decoded
// is the zero value, like one that is missing.
func value[T any](a arguments, name string) (none T) {
	if raw, ok := a[name]; ok {
		return decoded[T](raw)
	}
	return none
}

// decoded decodes a value. It is apart from [value] because it allocates memory for it.
func decoded[T any](raw json.RawMessage) (v T) {
	_ = json.Unmarshal(raw, &v)
	return v
}

func (a arguments) str(name string) string { return value[string](a, name) }

func (a arguments) flag(name string) bool { return value[bool](a, name) }

func (a arguments) list(name string) []string { return value[[]string](a, name) }

// line returns a line number, 0 if there is none. In JSON Schema 7.0 is an integer. An
// argument that is not in the schema may be a text.
func (a arguments) line(name string) int {
	f := value[float64](a, name)
	if text := a.str(name); text != "" {
		n, _ := strconv.Atoi(strings.TrimSpace(text))
		f = float64(n)
	}
	return int(max(0, min(f, maxLine)))
}

// maxLine is the largest number of a line in arguments.
const maxLine = 1<<30 - 1

// filter returns the ignore rules according to file_filtering_options.
func (a arguments) filter(w *workspace.Workspace) workspace.Filter {
	o := value[struct {
		Git    *bool `json:"respect_git_ignore"`
		Gemini *bool `json:"respect_gemini_ignore"`
	}](a, "file_filtering_options")
	return w.DefaultFilter().With(o.Git, o.Gemini)
}

// outside returns the result of a call whose path is not permitted any more.
func outside(err error) *tool.Result {
	r := tool.Fail(tool.ErrPathNotInWorkspace, err.Error())
	r.Display = tool.TextDisplay("Path not in workspace.")
	return r
}

// isRefusal reports whether err means that a path is not permitted. After a successful check
// this means that the path has changed.
func isRefusal(err error) bool {
	var r workspace.Refusal
	return errors.As(err, &r)
}

// failed returns the result for an error of this package.
func failed(err error) *tool.Result {
	if isRefusal(err) {
		return outside(err)
	}
	var e *tool.Error
	if errors.As(err, &e) {
		return tool.Fail(e.Type, e.Message)
	}
	return tool.Fail(tool.ErrUnknown, err.Error())
}

// fail returns an error that becomes the result of a failed call.
func fail(t tool.ErrorType, format string, args ...any) error {
	return &tool.Error{Type: t, Message: fmt.Sprintf(format, args...)}
}

// code returns the symbolic name of the system error in err, such as EACCES, which scripts and
// models know; "" if there is none.
func code(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return ""
	}
	return errnoName(errno)
}

// describe returns the error message for path in the format that scripts know: "EACCES:
// permission denied, open '/etc/shadow'".
func describe(err error, op, path string) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	text := fmt.Sprintf("%v, %s '%s'", err, op, path)
	if c := code(err); c != "" {
		text = c + ": " + text
	}
	return text
}

// shorten returns a path of at most about n bytes: its first element and as many of the last
// ones as fit.
func shorten(path string, n int) string {
	if len(path) <= n {
		return path
	}
	sep := string(filepath.Separator)
	elements := strings.Split(path, sep)
	first, tail := elements[0], elements[len(elements)-1]
	if len(elements) == 1 {
		return strings.ToValidUTF8(path[:n/2-2], "") + "..." + strings.ToValidUTF8(path[len(path)-n/2+1:], "")
	}
	for i := len(elements) - 2; i > 0; i-- {
		e := elements[i]
		if len(first)+len("...")+3*len(sep)+len(e)+len(tail) > n {
			break
		}
		tail = e + sep + tail
	}
	return first + sep + "..." + sep + tail
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
