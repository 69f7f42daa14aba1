package foreign

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/patch"
)

// The tools that apply patches.
const (
	shell = "run_shell_command"
	edit  = "replace"
)

func isPatch(name string) bool { return name == "apply_patch" || name == "applypatch" }

// readPatch reads a call whose only argument with a meaning is a patch.
func (r *reader) readPatch(args object) ([]call, error) {
	text, found := "", false
	for name, value := range args {
		switch key := Key(name); {
		case slices.Contains([]string{"input", "patch", "patch_text", "diff"}, key) && !found:
			text, found = args.text(name), true
		case !isHarmless(edit, key, value):
			return nil, nil
		}
	}
	if !found {
		return nil, nil
	}
	return r.patch(text, "")
}

// readPatchCommand reads a command that applies patches, and the commands after them.
func (r *reader) readPatchCommand(raw []byte) ([]call, error) {
	args, err := parseObject(raw)
	if err != nil || r.options.Patch == nil || string(args["is_background"]) == "true" {
		return nil, nil
	}
	command, at := args.text("command"), args.text("dir_path")
	var calls []call
	for {
		text, dir, rest, found := r.options.Patch(command)
		if !found {
			break
		}
		at = below(at, dir)
		parts, err := r.patch(text, at)
		if err != nil || len(parts) == 0 {
			return nil, err
		}
		calls, command = append(calls, parts...), rest
	}
	if len(calls) > 0 && command != "" {
		args["command"] = llm.AppendString(nil, command)
		if at != "" {
			args["dir_path"] = llm.AppendString(nil, at)
		}
		calls = append(calls, call{shell, args.encode()})
	}
	return calls, nil
}

// patch returns the calls that apply a patch to files below a directory: edits, and after them
// commands that delete and move files. The error is for the model. There are no calls and no error if the
// tool for edits is not declared.
func (r *reader) patch(text, dir string) ([]call, error) {
	if !r.has(edit) {
		return nil, nil
	}
	files, err := patch.Parse(text)
	if err != nil {
		return nil, err
	}
	var edits, commands []call
	for _, f := range files {
		at := below(dir, f.Path)
		switch f.Action {
		case patch.Add:
			edits = append(edits, replacement(at, "", f.Content))
		case patch.Delete:
			commands = append(commands, r.command([]string{"rm", at}))
		case patch.Update:
			for _, h := range f.Hunks {
				edits = append(edits, replacement(at, joinLines(h.Old), joinLines(h.New)))
			}
			if to := below(dir, f.MoveTo); f.MoveTo != "" {
				commands = append(commands, r.command([]string{"mkdir", "-p", path.Dir(to)}, []string{"mv", at, to}))
			}
		}
	}
	if len(commands) > 0 && (!r.has(shell) || r.options.Join == nil) {
		return nil, fmt.Errorf("it deletes or moves a file, which needs %q, and that is not available now; edits alone are possible, with %q", shell, edit)
	}
	return append(edits, commands...), nil
}

func (r *reader) has(tool string) bool {
	return slices.ContainsFunc(r.declared, func(d *llm.FunctionDeclaration) bool { return d.Name == tool })
}

// replacement returns a call that puts a text in the place of another one.
func replacement(file, before, after string) call {
	return call{edit, object{
		"file_path": llm.AppendString(nil, file), "old_string": llm.AppendString(nil, before), "new_string": llm.AppendString(nil, after),
	}.encode()}
}

// command returns a call that runs programs until one fails.
func (r *reader) command(programs ...[]string) call {
	if r.options.Join == nil {
		return call{}
	}
	var list []string
	for _, words := range programs {
		list = append(list, r.options.Join(words))
	}
	return call{shell, object{"command": llm.AppendString(nil, strings.Join(list, " && "))}.encode()}
}

// joinLines returns lines with their ends.
func joinLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// below returns a path relative to a directory. A relative path never begins with a hyphen, so that
// programs do not take it for an option.
func below(dir, name string) string {
	switch {
	case name == "":
		return dir
	case !filepath.IsAbs(name) && !path.IsAbs(name):
		name = path.Join(dir, name)
	}
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}
