package config

import (
	"os"
	"path/filepath"
	"strings"
)

// InstallWarnings returns the lines of a file that installers leave for the next
// start, gemini-cli-warnings.txt in the directory for temporary files, and removes
// it (spec/cli.md §8.4). In such a directory anybody can leave a file: only the
// user's own is read.
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
	_ = os.Remove(path) // what stays is told once more
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(data), "\uFFFD")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
