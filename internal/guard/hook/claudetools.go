package hook

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/urltext"
)

// claudeTools are the tools that both have. Of several names for one tool, the first one that a
// matcher selects counts.
var claudeTools = foreignTools{
	{name: "Bash", own: "run_shell_command", args: []rename{{"is_background", "run_in_background"}}},
	{name: "Edit", own: "replace", args: []rename{{"allow_multiple", "replace_all"}}, paths: []string{"file_path"}},
	{name: "MultiEdit", own: "replace", paths: []string{"file_path"}, write: writeEdits, read: readEdits},
	{name: "Write", own: "write_file", paths: []string{"file_path"}},
	{name: "Read", own: "read_file", paths: []string{"file_path"}, write: writeRange, read: readRange},
	{name: "Glob", own: "glob", args: []rename{{"dir_path", "path"}}, paths: []string{"path"}},
	{name: "Grep", own: "grep_search", args: []rename{{"dir_path", "path"}, {"include_pattern", "glob"}}, paths: []string{"path"}},
	{name: "LS", own: "list_directory", args: []rename{{"dir_path", "path"}}, paths: []string{"path"}},
	{name: "WebFetch", own: "web_fetch"},
	{name: "WebSearch", own: "google_web_search"},
	{name: "TodoWrite", own: "write_todos"},
	{name: "Task", own: "invoke_agent", args: []rename{{"agent_name", "subagent_type"}}},
	{name: "Agent", own: "invoke_agent", args: []rename{{"agent_name", "subagent_type"}}},
	{name: "Skill", own: "activate_skill", args: []rename{{"name", "skill"}}},
	{name: "AskUserQuestion", own: "ask_user"},
	{name: "ExitPlanMode", own: "exit_plan_mode"},
	{name: "EnterPlanMode", own: "enter_plan_mode"},
	{name: "BashOutput", own: "read_background_output"},
	{name: "KillShell", own: "stop_background_process"},
	{name: "KillBash", own: "stop_background_process"},
}

// otherClaudeTools are tools of Claude Code that Pollux does not have.
var otherClaudeTools = []string{
	"NotebookEdit", "NotebookRead", "TaskOutput", "TaskStop", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList",
	"SlashCommand", "ToolSearch", "LSP", "Monitor", "CronCreate", "CronDelete", "CronList", "EnterWorktree", "ExitWorktree",
	"ListMcpResourcesTool", "ReadMcpResourceTool",
}

// ClaudeTool returns the name of Pollux's tool for one of Claude Code's, "" if there is none.
func ClaudeTool(name string) string {
	if t := claudeTools.find(name, ""); t != nil {
		return t.own
	}
	return ""
}

// namesFor returns the names of the target's tool in a dialect like Claude Code's, at least one.
func (at target) namesFor(d Dialect) []string {
	if at.server != "" {
		plain := func(name string) string { return regexp.MustCompile(`[^\w-]`).ReplaceAllString(name, "_") }
		return []string{"mcp__" + plain(at.server) + "__" + plain(at.remote)}
	}
	return d.tools().namesOf(at.tool)
}

// argsFor returns the arguments of a call as a dialect like Claude Code's has them. A fetch of several addresses is several
// calls there, so that a guard of addresses sees each.
func (at target) argsFor(d Dialect, name string, args Output, dir string) []Output {
	t := d.tools().find(name, at.tool)
	if t == nil || at.server != "" {
		return []Output{args}
	}
	out := t.theirArgs(args, dir)
	if t.own != fetchTool {
		return []Output{out}
	}
	var urls []string
	for _, at := range addresses(args.text("prompt")) {
		urls = append(urls, args.text("prompt")[at.Start:at.End])
	}
	slices.Sort(urls)
	urls = slices.Compact(urls)
	if len(urls) > maxAddresses {
		urls = append(urls[:maxAddresses], strings.Join(urls[maxAddresses:], " "))
	}
	if len(urls) == 0 {
		return []Output{out}
	}
	list := make([]Output, len(urls))
	for i, url := range urls {
		list[i] = maps.Clone(out)
		list[i].set("url", url)
	}
	return list
}

// fetchTool is Pollux's tool that fetches addresses.
const fetchTool = "web_fetch"

// maxAddresses is the number of runs of a hook for one fetch: the last one has the rest of the addresses.
const maxAddresses = 20

// addresses returns the places of the addresses that the prompt of a fetch has.
func addresses(prompt string) []urltext.Span {
	return slices.DeleteFunc(urltext.Find(prompt), func(at urltext.Span) bool {
		scheme, _, _ := strings.Cut(strings.ToLower(prompt[at.Start:at.End]), ":")
		return scheme != "http" && scheme != "https"
	})
}

// withoutAddresses returns the prompt of a fetch without its addresses.
func withoutAddresses(prompt string) string {
	for _, at := range slices.Backward(addresses(prompt)) {
		prompt = prompt[:at.Start] + prompt[at.End:]
	}
	return prompt
}

// ownArgs returns arguments of a dialect like Claude Code's as Pollux has them.
func (d Dialect) ownArgs(name string, args Output) Output {
	t := d.tools().find(name, "")
	if t == nil {
		return args
	}
	out := t.ownArgs(args)
	if url := out.text("url"); t.own == fetchTool && url != "" {
		if prompt := out.text("prompt"); !strings.Contains(prompt, url) { // another address
			out.set("prompt", url+"\n"+withoutAddresses(prompt))
		}
		delete(out, "url")
	}
	return out
}

// writeEdits makes one edit a list of one.
func writeEdits(args Output) {
	edit := Output{}
	for own, theirs := range map[string]string{"old_string": "old_string", "new_string": "new_string", "allow_multiple": "replace_all"} {
		if raw, ok := args[own]; ok {
			edit[theirs] = raw
			delete(args, own)
		}
	}
	args.set("edits", []Output{edit})
}

// readEdits makes a list of one edit that edit. A longer list stays, which no tool accepts.
func readEdits(args Output) {
	var edits []Output
	if json.Unmarshal(args["edits"], &edits) != nil || len(edits) != 1 {
		return
	}
	delete(args, "edits")
	for key, raw := range edits[0] {
		if key == "replace_all" {
			key = "allow_multiple"
		}
		args[key] = raw
	}
}

// writeRange makes a first and a last line an offset and a number of lines.
func writeRange(args Output) {
	start, end := args.number("start_line"), args.number("end_line")
	delete(args, "start_line")
	delete(args, "end_line")
	first := 1.0
	if start != nil {
		first = *start
		args.set("offset", first)
	}
	if end != nil {
		args.set("limit", *end-first+1)
	}
}

func readRange(args Output) {
	offset, limit := args.number("offset"), args.number("limit")
	delete(args, "offset")
	delete(args, "limit")
	first := 1.0
	if offset != nil {
		first = math.Max(1, *offset)
		args.set("start_line", first)
	}
	if limit != nil {
		args.set("end_line", first+*limit-1)
	}
}

// claudeResponse returns the result of a call as Claude Code has it.
func claudeResponse(name string, args, result Output) any {
	text := result.text("llmContent")
	if name == "Bash" {
		return map[string]any{"stdout": text, "stderr": "", "interrupted": false, "isImage": false}
	}
	r := map[string]any{"success": result["error"] == nil}
	if path := args.text("file_path"); path != "" {
		r["filePath"] = path
	}
	if raw := result["llmContent"]; len(raw) > 0 {
		r["content"] = raw
	}
	return r
}
