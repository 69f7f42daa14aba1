package keys

import "time"

// Event is input from the terminal: [Key], [Paste], [Focus], [Mouse], or a reply to a query: [BackgroundColor],
// [KittyFlags], [ModifyOtherKeys], [DeviceAttributes], [TerminalName], [ColorScheme], [ModeReport],
// [ClipboardData].
//
// The field At of each is the time at which its last byte arrived.
type Event interface{ isEvent() }

// Key is a key that was pressed, or that repeats because it is held down.
type Key struct {
	Chord    Chord
	Text     string // the text that the key types; "" for a command such as Enter, or a chord with Ctrl, Alt or Cmd
	At       time.Time
	IsRepeat bool // only terminals that send kitty's event types report repeats
}

// Paste is text inserted at once. Its lines end with "\n"; it may contain tabs and other control characters.
type Paste struct {
	Text        string
	At          time.Time
	IsCut       bool // the text is incomplete: too large, or its end did not arrive
	IsClipboard bool // the terminal's reply to an OSC 52 query; ignore it unless you sent one
}

// ClipboardData is a part of the reply to a request of the clipboard in kitty's protocol, OSC 5522.
type ClipboardData struct {
	Status string // OK, DATA, DONE, or the name of an error such as EPERM
	Type   string // the MIME type of the data, "." for the list of all types
	Data   []byte
	At     time.Time
}

// Focus reports that the terminal window gained or lost the focus.
type Focus struct {
	IsFocused bool
	At        time.Time
}

// Mouse is an action of the mouse. Columns and rows count from 0.
type Mouse struct {
	Kind        MouseKind
	Button      MouseButton
	Mods        Mods
	Column, Row int
	At          time.Time
}

// MouseKind is the kind of an action of the mouse.
type MouseKind uint8

// Kinds of actions of the mouse.
const (
	MousePress MouseKind = iota
	MouseRelease
	MouseMotion
	MouseWheel
)

// MouseButton is a button of the mouse or a direction of its wheel.
type MouseButton uint8

// Buttons of the mouse. ButtonNone stands for motion without a button, and for a release of an unknown button.
const (
	ButtonNone MouseButton = iota
	ButtonLeft
	ButtonMiddle
	ButtonRight
	WheelUp
	WheelDown
	WheelLeft
	WheelRight
)

// BackgroundColor is the reply to OSC 11: the background color of the terminal.
type BackgroundColor struct {
	R, G, B uint8
	At      time.Time
}

// KittyFlags is the reply to CSI ? u. Terminals without kitty's keyboard protocol do not send it.
type KittyFlags struct {
	Flags int
	At    time.Time
}

// ModifyOtherKeys is the reply to CSI > 4 ; ? m: the active level of xterm's modifyOtherKeys.
type ModifyOtherKeys struct {
	Level int
	At    time.Time
}

// DeviceAttributes is the reply to CSI c, which all terminals send: after it, no reply to an earlier query follows.
type DeviceAttributes struct {
	Attributes []int
	At         time.Time
}

// AttributeSixel is the attribute of terminals that show sixels.
const AttributeSixel = 4

// TerminalName is the reply to XTVERSION (CSI > q), such as "tmux 3.5a". It has no control characters.
type TerminalName struct {
	Name string
	At   time.Time
}

// ColorScheme reports that the terminal uses dark or light colors: the reply to CSI ? 996 n, and with mode 2031 a
// notification of changes.
type ColorScheme struct {
	IsDark bool
	At     time.Time
}

// Private modes that Pollux asks terminals about; see [ModeReport].
const (
	ModeBracketedPaste     = 2004
	ModeSynchronizedOutput = 2026
	ModeColorScheme        = 2031
	ModeClipboard          = 5522 // events of kitty's protocol for the clipboard: the terminal has the protocol if it has the mode
)

// ModeReport is the reply to a query of a private mode (DECRQM), such as [ModeSynchronizedOutput].
type ModeReport struct {
	Mode        int
	IsSupported bool // the terminal has the mode and can turn it on
	IsSet       bool
	At          time.Time
}

// Size is the reply to CSI 18 t: the columns and rows of the terminal.
type Size struct {
	Width, Height int
	At            time.Time
}

func (Key) isEvent()              {}
func (Paste) isEvent()            {}
func (Focus) isEvent()            {}
func (Mouse) isEvent()            {}
func (BackgroundColor) isEvent()  {}
func (KittyFlags) isEvent()       {}
func (ModifyOtherKeys) isEvent()  {}
func (DeviceAttributes) isEvent() {}
func (TerminalName) isEvent()     {}
func (ColorScheme) isEvent()      {}
func (ModeReport) isEvent()       {}
func (ClipboardData) isEvent()    {}
func (Size) isEvent()             {}
