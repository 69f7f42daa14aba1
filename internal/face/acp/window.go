package acp

import (
	"path/filepath"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// window is a terminal in the client's window that only shows the output of a command. Pollux runs the command, and sends
// the output in fields of _meta, as Zed understands them. Its id is that of the call.
type window struct {
	shown string // the output that the client has
}

// terminalOutput is the field of the capabilities of a client that shows such terminals.
const terminalOutput = "terminal_output"

// canShowTerminals reports whether the client shows the output of commands in terminals.
func (s *server) canShowTerminals() bool {
	return string(s.clientInfo().Capabilities.Meta[terminalOutput]) == "true"
}

// openWindow gives a call that is about to be announced a terminal in the client's window, if it runs a command and the client
// has such terminals.
func (k *call) openWindow(c *chat) {
	if k.agent.Name != shellTool || len(k.content) > 0 || !c.server.canShowTerminals() {
		return
	}
	k.window, k.content = &window{}, []schema.CallContent{schema.InTerminal(k.id)}
}

// shellTool is the name of the tool that runs commands.
const shellTool = "run_shell_command"

// shownIn returns the id of the terminal that shows the output of a call, "" for none.
func (k *call) shownIn() string {
	if k.window != nil {
		return k.id
	}
	return k.terminal
}

// windowInfo describes the terminal of a call, for its first message.
func (k *call) windowInfo(c *chat) schema.Meta {
	dir := c.place.dir
	if named := shellArgs(k.agent.Args).Dir; filepath.IsAbs(named) {
		dir = c.place.shown(filepath.Clean(named))
	} else if filepath.IsLocal(named) {
		dir = filepath.Join(dir, named)
	}
	return schema.Meta{"terminal_info": map[string]string{"terminal_id": k.id, "cwd": dir}}
}

// more returns the data that makes the terminal of a call show a text, nil if it shows it already.
func (k *call) more(text string) schema.Meta {
	data := k.window.advance(text)
	if data == "" {
		return nil
	}
	return schema.Meta{terminalOutput: map[string]string{"terminal_id": k.id, "data": data}}
}

// end returns the rest of the output of a call, and how its command ended.
func (k *call) end(e *agent.ToolFinished) schema.Meta {
	meta := schema.Meta{}
	var ending map[string]any
	for i := range e.Executions {
		r := e.Executions[i].Result
		if r == nil {
			continue
		}
		if ending = r.Data; isOutput(r) {
			text, _ := tool.DisplayText(r.Display)
			meta = meta.With(k.more(terminal.Text(text)))
		}
	}
	return meta.With(exitOf(k.id, ending, e.Status == agent.Success))
}

// isOutput reports whether a result is the output of a command.
func isOutput(r *tool.Result) bool {
	_, isText := r.Display.(tool.TerminalDisplay)
	return isText && r.Error == nil
}

// exitOf returns how a command ended, by the data of its result. A command that did not end by itself has neither a code nor a signal.
func exitOf(id string, data map[string]any, hasWorked bool) schema.Meta {
	exit := map[string]any{"terminal_id": id, "exit_code": nil, "signal": nil}
	code, hasCode := data["exitCode"].(int)
	signal, hasSignal := data["signal"].(int)
	switch {
	case hasCode:
		exit["exit_code"] = code
	case hasSignal:
		exit["signal"] = signalName(signal)
	case hasWorked && data == nil:
		exit["exit_code"] = 0
	}
	return schema.Meta{"terminal_exit": exit}
}

// signalName returns the name of a signal that has the same number on all systems.
func signalName(n int) string {
	names := map[int]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}
	if name := names[n]; name != "" {
		return name
	}
	return "signal " + strconv.Itoa(n)
}

const (
	maxRewrite = 80      // bytes of a line that is short enough for a line of a terminal
	maxAnchor  = 2 << 10 // bytes of output by which its place in a newer output is found
)

// advance returns the data that makes the terminal show a text. The text usually continues the one before; but its beginning may
// be left out, its last line replaced, and the last line breaks may be missing.
func (w *window) advance(text string) string {
	before := w.shown
	w.shown = text
	if strings.TrimSpace(before) == "" {
		return lineFeeds(text)
	}
	if rest, ok := strings.CutPrefix(text, before); ok {
		return lineFeeds(rest)
	}
	if rest, ok := strings.CutPrefix(text, strings.TrimSpace(before)); ok && (rest == "" || rest[0] == '\n') { // the end of a command
		if strings.HasSuffix(before, "\n") {
			rest = strings.TrimPrefix(rest, "\n")
		}
		return lineFeeds(rest)
	}
	whole := before[:strings.LastIndexByte(before, '\n')+1]
	begin := ""
	if last := before[len(whole):]; last != "" && len(last) <= maxRewrite {
		begin = "\r" + strings.Repeat(" ", len(last)) + "\r"
	} else if last != "" {
		begin = "\r\n"
	}
	if rest, ok := strings.CutPrefix(text, whole); ok {
		return begin + lineFeeds(rest)
	}
	if i := endIn(text, whole); i > 0 {
		return begin + lineFeeds(text[i:])
	}
	return "\r\n" + lineFeeds(text)
}

// endIn returns where the lines of an output end in a newer one that lacks the first of them, 0 if that is not certain.
func endIn(text, lines string) int {
	lines = lines[max(0, len(lines)-maxAnchor):]
	lines = lines[strings.IndexByte(lines, '\n')+1:] // the first one may be a part of a line
	i := strings.LastIndex(text, "\n"+lines)
	if lines == "" || i < 0 {
		return 0
	}
	return i + 1 + len(lines)
}

// lineFeeds returns text for a terminal, of which only the last part is kept if it is long.
func lineFeeds(text string) string {
	return strings.ReplaceAll(kit.Tail(text, 0), "\n", "\r\n")
}
