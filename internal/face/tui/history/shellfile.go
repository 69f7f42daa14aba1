package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/secret"
)

// The limits of the file of shell commands, in bytes.
const (
	maxFile    = 16 << 20
	maxCommand = 64 << 10
)

// lockWait is the time to wait for another process that writes the file.
const lockWait = 10 * time.Second

// ReadShell returns the shell commands in a file, at most 100, the newest first, each one once. A missing file has
// none.
//
// The file has a command in each line, the newest last. A line that ends in an odd number of backslashes continues in
// the next one.
func ReadShell(path string) ([]string, error) {
	commands, err := readCommands(path)
	slices.Reverse(commands)
	return commands, err
}

// AddShell adds a shell command to the end of a file, and removes older copies of it. It leaves out commands that
// contain an API key, and those of more than 64 KB. The directory must exist. AddShell waits for the disk, and for
// other processes that write the file.
func AddShell(path, command string) error {
	command = tidy(command)
	if strings.TrimSpace(command) == "" || len(command) > maxCommand || slices.ContainsFunc(strings.Fields(command), secret.IsKey) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err := durable.LockContext(ctx, path)
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, durable.Cause(err))
	}
	defer unlock()
	commands, err := readCommands(path)
	if err != nil {
		return err
	}
	data := encode(latest(append(commands, command)))
	if err := durable.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, durable.Cause(err))
	}
	return nil
}

// readCommands returns the commands in a file, the newest last.
func readCommands(path string) ([]string, error) {
	data, err := durable.ReadFile(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, durable.Cause(err))
	}
	return latest(decode(data)), nil
}

// latest returns the last 100 commands, each one once.
func latest(commands []string) (kept []string) {
	seen := map[string]bool{}
	for _, c := range slices.Backward(commands) {
		if !seen[c] && len(kept) < maxCommands {
			seen[c] = true
			kept = append(kept, c)
		}
	}
	slices.Reverse(kept)
	return kept
}

// lineBreak stands for a line break in a command. A backslash with a line end is a part of the command, as a shell
// reads it. Two of them would be as well, but no one types them: the second line would be empty.
const lineBreak = "\\\n\\\n"

// decode returns the commands in the content of a file.
func decode(data []byte) (commands []string) {
	command := ""
	add := func() {
		if command = tidy(strings.ReplaceAll(command, lineBreak, "\n")); strings.TrimSpace(command) != "" {
			commands = append(commands, command)
		}
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimRight(line, "\r")
		switch {
		case strings.TrimSpace(line) == "":
		case continues(command):
			command += "\n" + line
		default:
			add()
			command = line
		}
	}
	add()
	return commands
}

// tidy returns a command without line breaks at its end, and without a backslash that would continue it.
func tidy(command string) string {
	for {
		command = strings.TrimRight(command, "\r\n")
		if !continues(command) {
			return command
		}
		command = command[:len(command)-1]
	}
}

// continues reports whether a text ends in an odd number of backslashes.
func continues(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// encode returns the content of a file with these commands, which are tidy.
func encode(commands []string) []byte {
	var out strings.Builder
	for _, command := range commands {
		lines := strings.Split(command, "\n")
		for i, line := range lines {
			if i == len(lines)-1 || continues(line) {
				out.WriteString(line + "\n")
			} else {
				out.WriteString(line + lineBreak)
			}
		}
	}
	return []byte(out.String())
}
