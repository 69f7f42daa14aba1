package window

import "strings"

// Titles and headings of notifications.
const (
	AttentionTitle      = "Pollux needs your attention"
	CompleteTitle       = "Pollux session complete"
	ApprovalHeading     = "Approval required"
	AnswerHeading       = "Answer requested by agent"
	ConfirmationHeading = "Confirmation required"
)

// Notice is a notification of the desktop. All but the title may be "".
type Notice struct{ Title, Heading, Body string }

// Method is the way in which a notification is sent.
type Method string

// Methods of notifications.
const (
	OSC9   Method = "osc9"   // one text
	OSC777 Method = "osc777" // title and body
	OSC99  Method = "osc99"  // the protocol of kitty
	ByBell Method = "bell"   // the bell of the terminal, without a text
)

// methods lists the terminals that do not take [OSC777], by a part of their name in lower case.
var methods = [...]struct {
	name   string
	method Method
}{
	{"kitty", OSC99},
	{"iterm", OSC9},
	{"wezterm", OSC9},
	{"ghostty", OSC9},
	{"alacritty", ByBell},
	{"apple_terminal", ByBell},
	{"vscode", ByBell},
	{"windows terminal", ByBell},
}

// Method returns the method that general.notificationMethod selects. Other values than "osc9", "osc777" and "bell"
// select the one that the terminal takes.
func (t Terminal) Method(setting string) Method {
	switch m := Method(setting); m {
	case OSC9, OSC777, ByBell:
		return m
	}
	name := strings.ToLower(t.Name)
	for _, one := range methods {
		if strings.Contains(name, one.name) {
			return one.method
		}
	}
	return OSC777
}

// Notification returns the sequence that shows a notice, by the method that general.notificationMethod selects.
func (t Terminal) Notification(setting string, n Notice) string {
	const mostTitle, mostHeading, mostBody = 48, 64, 180 // characters
	title, heading, body := line(n.Title, mostTitle), line(n.Heading, mostHeading), line(n.Body, mostBody)
	body = join(heading, body)
	switch t.Method(setting) {
	case ByBell:
		return Bell
	case OSC9:
		text := join(title, body)
		if text != "" && text[0] >= '0' && text[0] <= '9' {
			text = " " + text // some terminals take a number for a command, such as the progress
		}
		return t.through(osc("9;" + text))
	case OSC99:
		// The two parts have the same id. The first one is not the last: d=0.
		return t.through(osc("99;i=pollux:d=0:p=title;"+title)) + t.through(osc("99;i=pollux:d=1:p=body;"+body))
	}
	return t.through(osc("777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + body))
}

// join returns two texts with a colon between them.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}
