package process

import (
	"fmt"
	"path/filepath"
	"strings"
)

// isBatch reports whether Windows runs a file by its command interpreter, as it runs npx.cmd.
func isBatch(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".bat" || ext == ".cmd"
}

// batchLine returns the command line with which cmd.exe runs a batch file with exactly these arguments. The interpreter splits
// it by other rules than programs do: without quotes, & would begin another command, and %NAME% be a variable.
func batchLine(path string, args []string) (string, error) {
	var line strings.Builder
	line.WriteString(`cmd.exe /e:ON /v:OFF /d /c "`)
	for i, word := range append([]string{path}, args...) {
		if strings.ContainsAny(word, "\r\n\x00") {
			return "", fmt.Errorf("run %s: a batch file cannot get an argument of several lines", filepath.Base(path))
		}
		if i > 0 {
			line.WriteByte(' ')
		}
		quoteForBatch(&line, word, i == 0)
	}
	line.WriteByte('"')
	return line.String(), nil
}

// quoteForBatch appends an argument, in quotes if it needs them or mustQuote is set. Both cmd.exe and the program that the
// batch file starts read the quotes, and %cd:~,% is an empty text, which separates the % from the name of a variable.
func quoteForBatch(line *strings.Builder, arg string, mustQuote bool) {
	const plain = `#$*+-./:?@\_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ`
	isPlain := arg != "" && strings.Trim(arg, plain) == "" && !strings.HasSuffix(arg, `\`)
	if isPlain && !mustQuote {
		line.WriteString(arg)
		return
	}
	line.WriteByte('"')
	backslashes := 0
	for _, r := range arg {
		switch r {
		case '\\':
			backslashes++
			line.WriteByte('\\')
			continue
		case '"':
			line.WriteString(strings.Repeat(`\`, backslashes) + `"`)
		case '%':
			line.WriteString(`%%cd:~,`)
		}
		backslashes = 0
		line.WriteRune(r)
	}
	line.WriteString(strings.Repeat(`\`, backslashes) + `"`)
}
