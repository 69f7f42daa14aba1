package config

import (
	"os"
	"path/filepath"
	"strings"
)

// InstallWarnings returns the lines of gemini-cli-warnings.txt in the directory for temporary
// files, which installers write for the next start, and removes the file. Anyone can create
// files there, so it reads only a file of the user's own.
func InstallWarnings(env *Env) []string {
	const most = 64 << 10
	path := filepath.Join(tempOf(env), "gemini-cli-warnings.txt")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !isOurs(info) {
		return nil
	}
	data, err := readFile(path, most)
	if err != nil {
		return nil
	}
	_ = os.Remove(path) // if this fails, the lines are shown again
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(data), "\uFFFD")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
