package journal

import (
	"strconv"
	"time"

	"pollux/llm"
)

// Header is the first record of a file, with the later changes of its members.
type Header struct {
	SessionID   string    `json:"sessionId"`
	ProjectHash string    `json:"projectHash"`
	Start       time.Time `json:"startTime"`
	Updated     time.Time `json:"lastUpdated"`
	Kind        string    `json:"kind,omitempty"` // Main or Subagent
	// Directories are the workspace's directories beside the project's.
	Directories []string `json:"directories,omitempty"`
	// SkillFolders are the directories outside of the workspace whose files may be read since skills were
	// activated, without links.
	SkillFolders []string `json:"skillFolders,omitempty"`
	Summary      string   `json:"summary,omitempty"` // the title of the session
	// Pollux is the version of the format if Pollux has made the file, else 0.
	Pollux int `json:"pollux,omitempty"`
	// ForkOf is the id of the session that this one began as a copy of; "" for none.
	ForkOf string `json:"forkOf,omitempty"`
	// Copied is the number of messages at the beginning that are copies: another session counts
	// their usage.
	Copied int `json:"copied,omitempty"`
}

// The kinds of sessions.
const (
	Main     = "main"
	Subagent = "subagent"
)

// appendHeader appends a header as a line. Each session writes one, and package json would need longer to learn the type
// than to encode the value.
func appendHeader(b []byte, h Header) []byte {
	b = llm.AppendString(append(b, `{"sessionId":`...), h.SessionID)
	b = appendString(b, "projectHash", h.ProjectHash)
	b = appendText(b, "kind", h.Kind)
	b = appendStrings(b, "directories", h.Directories)
	b = appendStrings(b, "skillFolders", h.SkillFolders)
	b = appendText(b, "summary", h.Summary)
	b = appendCount(b, "pollux", h.Pollux)
	b = appendText(b, "forkOf", h.ForkOf)
	b = appendCount(b, "copied", h.Copied)
	b = appendString(b, "startTime", formatTime(h.Start))
	return append(appendString(b, "lastUpdated", formatTime(h.Updated)), "}\n"...)
}

// appendText appends a member, unless its value is empty.
func appendText(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	return appendString(b, key, value)
}

// appendCount appends a member, unless its value is 0.
func appendCount(b []byte, key string, value int) []byte {
	if value == 0 {
		return b
	}
	b = append(append(append(b, ',', '"'), key...), '"', ':')
	return strconv.AppendInt(b, int64(value), 10)
}

// appendStrings appends a member, unless its list is empty.
func appendStrings(b []byte, key string, values []string) []byte {
	for i, value := range values {
		if i == 0 {
			b = append(append(append(b, ',', '"'), key...), '"', ':', '[')
		} else {
			b = append(b, ',')
		}
		b = llm.AppendString(b, value)
	}
	if len(values) > 0 {
		b = append(b, ']')
	}
	return b
}
