package keys

import "slices"

// Info describes a command for a list of shortcuts.
type Info struct {
	Command     Command
	Group       string // the title of the group that the command belongs to
	Description string
}

// row is a command with its default keys, separated by a comma and a space.
type row struct{ id, group, keys, text string }

// table has all commands, by group, in the order of a list of shortcuts.
var table = [...]row{
	{"basic.confirm", "Basics", "enter", "Confirm the selection"},
	{"basic.cancel", "Basics", "escape, ctrl+[", "Close, or cancel the turn"},
	{"basic.quit", "Basics", "ctrl+c", "Cancel the turn; press twice to quit"},
	{"basic.exit", "Basics", "ctrl+d", "Quit, if the input is empty; press twice"},
	{"cursor.home", "Cursor", "ctrl+a, home", "Go to the start of the line"},
	{"cursor.end", "Cursor", "ctrl+e, end", "Go to the end of the line"},
	{"cursor.up", "Cursor", "up", "Go up a line"},
	{"cursor.down", "Cursor", "down", "Go down a line"},
	{"cursor.left", "Cursor", "left", "Go left"},
	{"cursor.right", "Cursor", "right, ctrl+f", "Go right"},
	{"cursor.wordLeft", "Cursor", "ctrl+left, alt+left, alt+b", "Go left a word"},
	{"cursor.wordRight", "Cursor", "ctrl+right, alt+right, alt+f", "Go right a word"},
	{"edit.deleteRightAll", "Editing", "ctrl+k", "Delete to the end of the line"},
	{"edit.deleteLeftAll", "Editing", "ctrl+u", "Delete to the start of the line"},
	{"edit.clear", "Editing", "ctrl+c", "Clear the input"},
	{"edit.deleteWordLeft", "Editing", "ctrl+backspace, alt+backspace, ctrl+w", "Delete the word to the left"},
	{"edit.deleteWordRight", "Editing", "ctrl+delete, alt+delete, alt+d", "Delete the word to the right"},
	{"edit.deleteLeft", "Editing", "backspace, ctrl+h", "Delete to the left"},
	{"edit.deleteRight", "Editing", "delete, ctrl+d", "Delete to the right"},
	{"edit.undo", "Editing", "alt+z, cmd+z, ctrl+z, ctrl+_", "Undo the last edit"},
	{"edit.redo", "Editing", "ctrl+shift+z, cmd+shift+z, alt+shift+z", "Redo the last undone edit"},
	{"edit.yank", "Editing", "", "Insert the text deleted last"},
	{"edit.yankPop", "Editing", "", "Replace inserted text with text deleted earlier"},
	{"scroll.up", "Scrolling", "shift+up", "Scroll up"},
	{"scroll.down", "Scrolling", "shift+down", "Scroll down"},
	{"scroll.home", "Scrolling", "ctrl+home, shift+home", "Scroll to the top"},
	{"scroll.end", "Scrolling", "ctrl+end, shift+end", "Scroll to the bottom"},
	{"scroll.pageUp", "Scrolling", "pageup", "Scroll up a page"},
	{"scroll.pageDown", "Scrolling", "pagedown", "Scroll down a page"},
	{"history.previous", "History", "ctrl+p", "Show the previous prompt"},
	{"history.next", "History", "ctrl+n", "Show the next prompt"},
	{"history.search.start", "History", "ctrl+r", "Search earlier prompts"},
	{"history.search.submit", "History", "enter", "Send the prompt found"},
	{"history.search.accept", "History", "tab", "Edit the prompt found"},
	{"nav.up", "Lists", "up", "Go to the item above"},
	{"nav.down", "Lists", "down", "Go to the item below"},
	{"nav.dialog.up", "Lists", "up, k", "Go to the choice above"},
	{"nav.dialog.down", "Lists", "down, j", "Go to the choice below"},
	{"nav.dialog.next", "Lists", "tab", "Go to the next question or tab"},
	{"nav.dialog.previous", "Lists", "shift+tab", "Go to the previous question or tab"},
	{"suggest.accept", "Suggestions", "tab, enter", "Insert the suggestion"},
	{"suggest.focusPrevious", "Suggestions", "up, ctrl+p", "Go to the suggestion above"},
	{"suggest.focusNext", "Suggestions", "down, ctrl+n", "Go to the suggestion below"},
	{"suggest.expand", "Suggestions", "right", "Show a long suggestion in full"},
	{"suggest.collapse", "Suggestions", "left", "Shorten a long suggestion"},
	{"input.submit", "Input", "enter", "Send the prompt"},
	{"input.queueMessage", "Input", "tab", "Send the prompt after the current turn"},
	{"input.editQueued", "Input", "alt+up", "Edit the last queued prompt"},
	{"input.steer", "Input", "alt+s", "Send the prompt to the current turn"},
	{"input.newline", "Input", "ctrl+enter, cmd+enter, alt+enter, shift+enter, ctrl+j", "Insert a line break"},
	{"input.openExternalEditor", "Input", "ctrl+g, ctrl+shift+g, ctrl+x ctrl+e", "Edit the prompt in an external editor"},
	{"input.deprecatedOpenExternalEditor", "Input", "ctrl+x", "Open the external editor (old key)"},
	{"input.paste", "Input", "ctrl+v, cmd+v, alt+v", "Paste text or an image"},
	{"input.stash", "Input", "", "Put the input aside, or bring it back"},
	{"app.showErrorDetails", "App", "f12", "Show error details"},
	{"app.showFullTodos", "App", "ctrl+t", "Show all to-dos"},
	{"app.showIdeContextDetail", "App", "f4", "Show the files that the IDE shares"},
	{"app.copyCode", "App", "alt+c", "Copy the last code block of the answer"},
	{"app.toggleMarkdown", "App", "alt+m", "Turn Markdown rendering on or off"},
	{"app.toggleCopyMode", "App", "f9", "Freeze the view to select text"},
	{"app.toggleMouseMode", "App", "ctrl+s", "Turn the mouse on or off"},
	{"app.toggleYolo", "App", "ctrl+y", "Turn YOLO mode on or off: no approvals"},
	{"app.cycleApprovalMode", "App", "shift+tab", "Switch the approval mode"},
	{"app.showMoreLines", "App", "ctrl+o", "Show the last turn in full, or shorten it"},
	{"app.expandPaste", "App", "ctrl+o", "Show pasted text in full, or shorten it"},
	{"app.focusShellInput", "App", "tab", "Type into the running command"},
	{"app.unfocusShellInput", "App", "shift+tab", "Return from the running command"},
	{"app.clearScreen", "App", "ctrl+l", "Clear the screen; in settings, reset the value"},
	{"app.restart", "App", "r, shift+r", "Restart to apply a setting"},
	{"app.suspend", "App", "ctrl+z", "Suspend to the shell; press twice"},
	{"app.showShellUnfocusWarning", "App", "tab", "Show how to return from a running command"},
	{"app.voiceModePTT", "App", "space", "Hold to talk, in voice mode"},
	{"app.dumpFrame", "App", "", "Save the current frame (not available)"},
	{"app.startRecording", "App", "", "Start to record frames (not available)"},
	{"app.stopRecording", "App", "", "Stop recording frames (not available)"},
	{"background.toggle", "Background", "ctrl+b", "Send a command to the background, or show it"},
	{"background.toggleList", "Background", "ctrl+l", "Show the background commands"},
	{"background.select", "Background", "enter", "Open the background command"},
	{"background.escape", "Background", "escape", "Close the background view"},
	{"background.kill", "Background", "ctrl+k", "Stop the background command"},
	{"background.unfocus", "Background", "shift+tab", "Return to the input"},
	{"background.unfocusList", "Background", "tab", "Return to the input from the list"},
	{"background.unfocusWarning", "Background", "tab", "Show how to return to the input"},
	{"extension.update", "Extensions", "i", "Install or update the extension"},
	{"extension.link", "Extensions", "l", "Link the extension"},
}

// Commands returns all commands, by group, in the order of a list of shortcuts.
func Commands() []Info {
	all := make([]Info, len(table))
	for i, r := range table {
		all[i] = Info{Command: Command(r.id), Group: r.group, Description: r.text}
	}
	return all
}

// isKnown reports whether the command exists.
func (c Command) isKnown() bool {
	return slices.ContainsFunc(table[:], func(r row) bool { return r.id == string(c) })
}

// defaultKeys returns the default keys of a row of the table on an operating system, as in [runtime.GOOS].
func (r row) defaultKeys(goos string) string {
	if r.id == string(EditUndo) {
		switch goos {
		case "darwin":
			return "cmd+z, alt+z, ctrl+_"
		case "windows":
			return "ctrl+z, alt+z, ctrl+_"
		}
	}
	return r.keys
}
