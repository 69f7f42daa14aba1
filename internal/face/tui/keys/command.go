package keys

// Command is the id of an action that keys are bound to, as keybindings.json names it.
type Command string

// Commands of the group Basics.
const (
	BasicConfirm Command = "basic.confirm"
	BasicCancel  Command = "basic.cancel"
	BasicQuit    Command = "basic.quit"
	BasicExit    Command = "basic.exit"
)

// Commands of the group Cursor.
const (
	CursorHome      Command = "cursor.home"
	CursorEnd       Command = "cursor.end"
	CursorUp        Command = "cursor.up"
	CursorDown      Command = "cursor.down"
	CursorLeft      Command = "cursor.left"
	CursorRight     Command = "cursor.right"
	CursorWordLeft  Command = "cursor.wordLeft"
	CursorWordRight Command = "cursor.wordRight"
)

// Commands of the group Editing.
const (
	EditDeleteRightAll  Command = "edit.deleteRightAll"
	EditDeleteLeftAll   Command = "edit.deleteLeftAll"
	EditClear           Command = "edit.clear"
	EditDeleteWordLeft  Command = "edit.deleteWordLeft"
	EditDeleteWordRight Command = "edit.deleteWordRight"
	EditDeleteLeft      Command = "edit.deleteLeft"
	EditDeleteRight     Command = "edit.deleteRight"
	EditUndo            Command = "edit.undo"
	EditRedo            Command = "edit.redo"
	EditYank            Command = "edit.yank"
	EditYankPop         Command = "edit.yankPop"
)

// Commands of the group Scrolling.
const (
	ScrollUp       Command = "scroll.up"
	ScrollDown     Command = "scroll.down"
	ScrollHome     Command = "scroll.home"
	ScrollEnd      Command = "scroll.end"
	ScrollPageUp   Command = "scroll.pageUp"
	ScrollPageDown Command = "scroll.pageDown"
)

// Commands of the group History.
const (
	HistoryPrevious     Command = "history.previous"
	HistoryNext         Command = "history.next"
	HistorySearchStart  Command = "history.search.start"
	HistorySearchSubmit Command = "history.search.submit"
	HistorySearchAccept Command = "history.search.accept"
)

// Commands of the group Lists.
const (
	NavUp             Command = "nav.up"
	NavDown           Command = "nav.down"
	NavDialogUp       Command = "nav.dialog.up"
	NavDialogDown     Command = "nav.dialog.down"
	NavDialogNext     Command = "nav.dialog.next"
	NavDialogPrevious Command = "nav.dialog.previous"
)

// Commands of the group Suggestions.
const (
	SuggestAccept        Command = "suggest.accept"
	SuggestFocusPrevious Command = "suggest.focusPrevious"
	SuggestFocusNext     Command = "suggest.focusNext"
	SuggestExpand        Command = "suggest.expand"
	SuggestCollapse      Command = "suggest.collapse"
)

// Commands of the group Input.
const (
	InputSubmit                       Command = "input.submit"
	InputQueueMessage                 Command = "input.queueMessage"
	InputEditQueued                   Command = "input.editQueued"
	InputSteer                        Command = "input.steer"
	InputNewline                      Command = "input.newline"
	InputOpenExternalEditor           Command = "input.openExternalEditor"
	InputDeprecatedOpenExternalEditor Command = "input.deprecatedOpenExternalEditor"
	InputPaste                        Command = "input.paste"
	InputStash                        Command = "input.stash"
)

// Commands of the group App.
const (
	AppShowErrorDetails        Command = "app.showErrorDetails"
	AppShowFullTodos           Command = "app.showFullTodos"
	AppShowIDEContextDetail    Command = "app.showIdeContextDetail"
	AppCopyCode                Command = "app.copyCode"
	AppToggleMarkdown          Command = "app.toggleMarkdown"
	AppToggleCopyMode          Command = "app.toggleCopyMode"
	AppToggleMouseMode         Command = "app.toggleMouseMode"
	AppToggleYolo              Command = "app.toggleYolo"
	AppCycleApprovalMode       Command = "app.cycleApprovalMode"
	AppShowMoreLines           Command = "app.showMoreLines"
	AppExpandPaste             Command = "app.expandPaste"
	AppFocusShellInput         Command = "app.focusShellInput"
	AppUnfocusShellInput       Command = "app.unfocusShellInput"
	AppClearScreen             Command = "app.clearScreen"
	AppRestart                 Command = "app.restart"
	AppSuspend                 Command = "app.suspend"
	AppShowShellUnfocusWarning Command = "app.showShellUnfocusWarning"
	AppVoiceModePTT            Command = "app.voiceModePTT"
	AppDumpFrame               Command = "app.dumpFrame"
	AppStartRecording          Command = "app.startRecording"
	AppStopRecording           Command = "app.stopRecording"
)

// Commands of the group Background.
const (
	BackgroundToggle         Command = "background.toggle"
	BackgroundToggleList     Command = "background.toggleList"
	BackgroundSelect         Command = "background.select"
	BackgroundEscape         Command = "background.escape"
	BackgroundKill           Command = "background.kill"
	BackgroundUnfocus        Command = "background.unfocus"
	BackgroundUnfocusList    Command = "background.unfocusList"
	BackgroundUnfocusWarning Command = "background.unfocusWarning"
)

// Commands of the group Extensions.
const (
	ExtensionUpdate Command = "extension.update"
	ExtensionLink   Command = "extension.link"
)
