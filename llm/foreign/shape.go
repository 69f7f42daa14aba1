package foreign

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
)

// shape returns the arguments of the calls of a tool that a call of another program's tool means,
// where more than names and types differ; nil if the call cannot mean the tool.
func (r *reader) shape(tool string, args object) []object {
	args = maps.Clone(args)
	if slices.Contains(strings.Fields("str_replace_editor str_replace_based_edit_tool text_editor"), r.name) {
		return shapeEditor(tool, args)
	}
	switch tool {
	case "run_shell_command":
		return r.shapeCommand(args)
	case "replace":
		return shapeEdits(args)
	case "read_file":
		if r.name == "read_many_files" || r.name == "read_files" {
			return shapeFiles(args)
		}
		return r.shapeRead(args)
	case "invoke_agent":
		if r.name == "codebase_investigator" { // a tool once
			args["agent_name"] = llm.AppendString(nil, r.name)
		}
	case "grep_search":
		return shapeGrep(args)
	case "list_directory":
		if len(args) == 0 {
			args["dir_path"] = json.RawMessage(`"."`)
		}
	case "write_todos":
		return shapeTodos(args)
	case "ask_user":
		return shapeQuestions(args)
	}
	return []object{args}
}

// shapeFiles reads a list of files: each is a call.
func shapeFiles(args object) []object {
	const most = 20
	var calls []object
	for _, name := range []string{"paths", "include", "file_paths", "files"} {
		var files []string
		if json.Unmarshal(args[name], &files) != nil || len(files) == 0 {
			continue
		}
		if len(calls) > 0 || len(files) > most || slices.ContainsFunc(files, func(f string) bool { return strings.ContainsAny(f, "*?[{") }) {
			return nil
		}
		delete(args, name)
		for _, file := range files {
			calls = append(calls, object{"file_path": llm.AppendString(nil, file)})
		}
	}
	if len(args) > 0 { // what else there is may have a meaning
		return nil
	}
	return calls
}

// shapeEditor reads a call of Anthropic's text editor, whose argument command names the action.
func shapeEditor(tool string, args object) []object {
	command := args.text("command")
	if map[string]string{"view": "read_file", "create": "write_file", "str_replace": "replace"}[command] != tool {
		return nil
	}
	delete(args, "command")
	var lines []int
	if command == "view" && json.Unmarshal(args["view_range"], &lines) == nil && len(lines) == 2 {
		delete(args, "view_range")
		args["start_line"] = number(lines[0])
		if lines[1] != -1 {
			args["end_line"] = number(lines[1])
		}
	}
	if _, found := args["new_str"]; command == "str_replace" && !found {
		args["new_str"] = json.RawMessage(`""`) // the text is to be removed
	}
	return []object{args}
}

func number(n int) json.RawMessage {
	b, _ := json.Marshal(n)
	return b
}

// shapeCommand reads a command that is a list of words.
func (r *reader) shapeCommand(args object) []object {
	for _, name := range []string{"command", "cmd", "argv"} {
		var words []string
		if json.Unmarshal(args[name], &words) != nil || len(words) == 0 {
			continue
		}
		if r.options.Join == nil {
			return nil
		}
		delete(args, name)
		line := r.options.Join(words)
		if len(words) == 3 && words[0] == "bash" && (words[1] == "-lc" || words[1] == "-c") {
			line = words[2] // a login shell may have another PATH than Pollux
		}
		args["command"] = llm.AppendString(nil, line)
		break
	}
	r.shapeTimeout(args)
	return []object{args}
}

// shapeTimeout reads a time limit in milliseconds: timeout_ms, and the timeout of Claude Code's Bash. A limit of less than a
// second is probably in seconds, and that of a command in the background means its start: neither is read.
func (r *reader) shapeTimeout(args object) {
	name := "timeout_ms"
	if args[name] == nil && r.name == "bash" {
		name = "timeout"
	}
	ms, err := strconv.ParseFloat(strings.Trim(string(args[name]), `" `), 64)
	if err != nil || ms < 1000 || ms > math.MaxInt32 || args["timeout_seconds"] != nil || args.isTrue("run_in_background") || args.isTrue("is_background") {
		return
	}
	delete(args, name)
	args["timeout_seconds"] = number(int(math.Ceil(ms / 1000)))
}

// shapeEdits reads a list of edits of one file: each is a call.
func shapeEdits(args object) []object {
	if args["edits"] == nil {
		return []object{args}
	}
	var edits []object
	if json.Unmarshal(args["edits"], &edits) != nil {
		return nil
	}
	delete(args, "edits")
	for i, edit := range edits {
		edits[i] = maps.Clone(args)
		maps.Copy(edits[i], edit)
	}
	return edits
}

// shapeRead reads a range of lines. Its offset is the number of the first line, from 1, as in Claude Code's Read; but in Crush's view, and in calls of read_file with another spelling, as Gemini CLI had it, it
// is the number of lines to skip. [argmap.Names.Read] takes an offset so.
func (r *reader) shapeRead(args object) []object {
	var offset int
	skips := r.name == "read_file" || r.name == "view"
	if !skips && json.Unmarshal(args["offset"], &offset) == nil && offset > 0 {
		args["offset"] = number(offset - 1)
	}
	return []object{args}
}

// shapeGrep reads the form of output that a search is to have.
func shapeGrep(args object) []object {
	for _, name := range []string{"-i", "i", "case_insensitive", "ignore_case", "ignoreCase"} {
		if strings.Trim(string(args[name]), `" `) == "false" && args["case_sensitive"] == nil { // the search ignores case if nothing is said
			args["case_sensitive"] = json.RawMessage("true")
			delete(args, name)
		}
	}
	switch args.text("output_mode") {
	case "content":
		delete(args, "output_mode")
	case "count": // one line of each file says how many there are
		delete(args, "output_mode")
		args["max_matches_per_file"], args["context"] = number(1), number(0)
	case "files_with_matches":
		delete(args, "output_mode")
		args["names_only"] = json.RawMessage("true")
	}
	return []object{args}
}

// shapeTodos reads a list of tasks, whose items have other names in other programs.
func shapeTodos(args object) []object {
	for _, name := range []string{"todos", "plan", "items", "tasks"} {
		var items []object
		if args[name] == nil {
			continue
		}
		if json.Unmarshal(args[name], &items) != nil {
			return nil
		}
		for i, item := range items {
			text := ""
			for _, key := range []string{"description", "content", "step", "task", "title", "text"} {
				if text = item.text(key); text != "" {
					break
				}
			}
			status := Key(item.text("status"))
			if other := map[string]string{"": "pending", "not_started": "pending", "done": "completed", "complete": "completed", "canceled": "cancelled"}[status]; other != "" {
				status = other
			}
			items[i] = object{"description": llm.AppendString(nil, text), "status": llm.AppendString(nil, status)}
		}
		list, _ := json.Marshal(items)
		delete(args, name)
		args["todos"] = list
		break
	}
	return []object{args}
}

// shapeQuestions gives questions that offer options the type of a choice.
func shapeQuestions(args object) []object {
	var questions []object
	if json.Unmarshal(args["questions"], &questions) != nil {
		return []object{args}
	}
	for _, q := range questions {
		if q["type"] == nil && q["options"] != nil {
			q["type"] = json.RawMessage(`"choice"`)
		}
	}
	args["questions"], _ = json.Marshal(questions)
	return []object{args}
}
