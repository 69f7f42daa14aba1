package clipboard

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/process"
)

// Write puts a text into the clipboard. It returns [ErrNone] if there is no program for that.
func (p Programs) Write(ctx context.Context, text string) error {
	for _, words := range p.writers() {
		path := p.find(words[0])
		if path == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, shellWait)
		defer cancel()
		c := p.command(path, words[1:])
		c.Stdin, c.Detach = strings.NewReader(text), true // on Linux a background process keeps serving the clipboard text
		status, err := p.Launcher.Run(ctx, c)
		switch {
		case err != nil:
			return fmt.Errorf("cannot run %s: %w", words[0], err)
		case status != process.Status{}:
			return fmt.Errorf("%s: %s", words[0], status)
		}
		return nil
	}
	return ErrNone
}

// writers returns the commands that can set the clipboard, in order of preference.
func (p Programs) writers() (commands [][]string) {
	switch {
	case p.isRemote():
		return nil
	case p.isWSL():
		commands = append(commands, psWrite("powershell.exe"))
	case p.GOOS == "windows":
		return [][]string{psWrite("powershell")}
	case p.GOOS == "darwin":
		return [][]string{{"pbcopy"}}
	}
	if p.isWayland() {
		commands = append(commands, []string{"wl-copy"})
	}
	if p.hasX() {
		commands = append(commands, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	return commands
}

// psWrite returns the command with which PowerShell copies its input, which is UTF-8.
func psWrite(program string) []string {
	return []string{program, "-NoProfile", "-NonInteractive", "-Command", "[Console]::InputEncoding=[Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())"}
}
