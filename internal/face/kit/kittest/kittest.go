// Package kittest has questions for the tests of faces.
package kittest

import (
	"pollux/tool"
)

// Approvals returns a confirmation of each kind that is about approval, with everything set that a person
// must read. Every warning of the kit.Question about it is in each face's question.
func Approvals() map[string]tool.Confirmation {
	return map[string]tool.Confirmation{
		"edit": &tool.EditConfirmation{
			Title: "Confirm Write: a.txt", Approval: approval(),
			DiffDisplay: tool.DiffDisplay{FileName: "a.txt", FilePath: "/w/a.txt", After: "x\n", Diff: "@@ -0,0 +1 @@\n+x\n"},
		},
		"exec": &tool.ExecConfirmation{
			Title: "Confirm Shell Command", Command: "make >a 2>b; curl x", Roots: []string{"make", "redirection (>)", "curl"},
			UntrustedFlags: []string{"--evil"}, ModifiedBuildFiles: []string{"Makefile"}, Approval: approval(),
		},
		"info":   &tool.InfoConfirmation{Title: "Confirm Web Fetch", Prompt: "Fetch it.", Approval: approval()},
		"remote": &tool.RemoteConfirmation{Title: "Confirm MCP Tool", Server: "s", Tool: "t", DisplayName: "t", Args: []byte(`{"a":1}`), Approval: approval()},
	}
}

func approval() tool.Approval {
	return tool.Approval{
		Quoted: "README.md", IsRetry: true, Reason: "The sandbox has blocked a write to /usr.",
		Hooked: tool.Hooked{IsRequired: true, IsChanged: true, Message: "Look at this.", Continues: "read_file"},
		Reach: tool.Reach{
			Commands: []tool.ShellCommand{{Program: "make", Text: "make", Times: 1}, {Program: "curl", Text: "curl x", Times: 1}}, Total: 2,
			Writes: []string{"a", "b"}, Outside: []string{"/home/other/file"},
			Servers: []tool.Server{{URL: "http://me@xn--e1awd7f.com", Host: "xn--e1awd7f.com", Readable: "еріс.com", IsLookalike: true, HasUser: true}},
		},
	}
}
