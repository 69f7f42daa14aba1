// Package fs holds the tools that read, list and change files
// (spec/tools.md §3.1-3.3, 3.5, 3.6).
//
// One file holds one tool, top to bottom: what the model sees, then what
// happens. Below them are what tools share: content.go is how a file becomes
// something a model can read, document.go how a text file is changed without
// touching what the change is not about, match.go how an edit finds its place.
package fs

import (
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"pollux/internal/workspace"
	"pollux/tool"
)

// arguments are a call's arguments by their exact names. (Decoding into a
// struct would also take "FILE_PATH" for file_path, and so let a call say one
// path to a policy and another to the tool.)
type arguments map[string]json.RawMessage

func parseArguments(raw json.RawMessage) (arguments, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("params must be valid JSON: %w", err)
	}
	return a, nil
}

// get decodes the argument into to. The schema has been checked, so what does
// not decode is left at its zero value.
func (a arguments) get(name string, to any) {
	if raw, ok := a[name]; ok {
		_ = json.Unmarshal(raw, to)
	}
}

func (a arguments) str(name string) (s string) {
	a.get(name, &s)
	return s
}

func (a arguments) flag(name string) (b bool) {
	a.get(name, &b)
	return b
}

func (a arguments) list(name string) (l []string) {
	a.get(name, &l)
	return l
}

// line returns a line number, 0 if there is none. 7.0 is an integer to JSON Schema.
func (a arguments) line(name string) int {
	var f float64
	a.get(name, &f)
	return int(max(0, min(f, 1<<31-1)))
}

// filter returns the ignore rules of file_filtering_options.
func (a arguments) filter(w *workspace.Workspace) workspace.Filter {
	f := w.DefaultFilter()
	var o struct {
		Git    *bool `json:"respect_git_ignore"`
		Gemini *bool `json:"respect_gemini_ignore"`
	}
	a.get("file_filtering_options", &o)
	if o.Git != nil {
		f.Git = *o.Git
	}
	if o.Gemini != nil {
		f.Gemini = *o.Gemini
	}
	return f
}

// outside returns the result of a call whose path is no longer one it may use.
func outside(err error) *tool.Result {
	r := tool.Fail(tool.ErrPathNotInWorkspace, err.Error())
	r.Display = tool.TextDisplay("Path not in workspace.")
	return r
}

// isRefusal reports whether err says that a path may not be used: if it was
// checked before, it leads elsewhere since.
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

// fail returns an error that becomes a failed call.
func fail(t tool.ErrorType, format string, args ...any) error {
	return &tool.Error{Type: t, Message: fmt.Sprintf(format, args...)}
}

// code returns the name, known to scripts and models, of the system's error in
// err; "" if there is none.
func code(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return ""
	}
	switch errno {
	case syscall.EACCES:
		return "EACCES"
	case syscall.EPERM:
		return "EPERM"
	case syscall.ENOENT:
		return "ENOENT"
	case syscall.ENOTDIR:
		return "ENOTDIR"
	case syscall.EISDIR:
		return "EISDIR"
	case syscall.EEXIST:
		return "EEXIST"
	case syscall.ENOSPC:
		return "ENOSPC"
	case syscall.EDQUOT:
		return "EDQUOT"
	case syscall.EROFS:
		return "EROFS"
	case syscall.EFBIG:
		return "EFBIG"
	case syscall.EIO:
		return "EIO"
	case syscall.ELOOP:
		return "ELOOP"
	case syscall.ENAMETOOLONG:
		return "ENAMETOOLONG"
	case syscall.EMFILE:
		return "EMFILE"
	case syscall.ENFILE:
		return "ENFILE"
	case syscall.ETXTBSY:
		return "ETXTBSY"
	case syscall.EBUSY:
		return "EBUSY"
	case syscall.ENXIO:
		return "ENXIO"
	case syscall.EINVAL:
		return "EINVAL"
	case syscall.ESTALE:
		return "ESTALE"
	}
	return fmt.Sprintf("errno %d", int(errno))
}

// describe says what went wrong with path in the form that scripts know:
// "EACCES: permission denied, open '/etc/shadow'".
func describe(err error, op, path string) string {
	var p *iofs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	text := fmt.Sprintf("%v, %s '%s'", err, op, path)
	if c := code(err); c != "" {
		text = c + ": " + text
	}
	return text
}

// shorten returns a path of at most about n bytes: its first element and as
// many of its last as fit.
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
