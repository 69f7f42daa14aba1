package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// conflicts returns a usage error if flags contradict each other or the positional prompt, or if
// the session id is invalid.
func conflicts(f *pflag.FlagSet, r *rawFlags, query string) error {
	sessions := 0
	for _, name := range [...]string{"resume", "session-id", "session-file"} {
		if f.Changed(name) {
			sessions++
		}
	}
	message := ""
	switch {
	case r.prompt != "" && query != "":
		message = "Cannot use both a positional prompt and the --prompt (-p) flag together"
	case r.prompt != "" && r.promptInteractive != "":
		message = "Cannot use both --prompt (-p) and --prompt-interactive (-i) together"
	case r.yolo && f.Changed("approval-mode"):
		message = "Cannot use both --yolo (-y) and --approval-mode together. Use --approval-mode=yolo instead."
	case sessions > 1:
		message = "The flags --resume, --session-id, and --session-file are mutually exclusive. Please provide only one."
	case f.Changed("worktree") && (r.listSessions || f.Changed("delete-session")):
		message = "Cannot use --worktree with --list-sessions or --delete-session. Run them in the worktree, or use pollux sessions list --all."
	case f.Changed("session-id") && strings.TrimSpace(r.sessionID) == "":
		message = "The --session-id option cannot be empty."
	case len(r.sessionID) > maxID:
		message = fmt.Sprintf("Invalid session ID %q: It has more than %d characters.", r.sessionID, maxID)
	case f.Changed("session-id") && strings.Trim(r.sessionID, idCharacters) != "":
		message = fmt.Sprintf("Invalid session ID %q: Only alphanumeric characters, dashes, and underscores are allowed.", r.sessionID)
	default:
		return nil
	}
	return &usageError{message: message}
}

// maxID is the maximum length of a session id. It is part of names of files.
const maxID = 128

// idCharacters lists the characters allowed in a session id.
const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
