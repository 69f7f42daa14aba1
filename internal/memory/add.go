package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/charset"
	"pollux/internal/durable"
	"pollux/internal/workspace"
)

// heading is the heading of added items. Files that Gemini CLI wrote have it too.
const heading = "## Gemini Added Memories"

// maxItem is the maximum length of an added item, in bytes.
const maxItem = 4096

// Item returns the line that a text becomes in a memory file. The text may come from anyone:
// the line cannot start another item, a heading, an import, a code block or the end of the
// memory. It is an error if nothing is left, or if the text is longer than 4096 bytes.
func Item(text string) (string, error) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	words := strings.Fields(text)
	for len(words) > 0 && strings.Trim(words[0], "-#>*+") == "" {
		words = words[1:]
	}
	for i, word := range words {
		if strings.HasPrefix(word, "@") {
			words[i] = `\` + word
		}
		for strings.Contains(words[i], "```") {
			words[i] = strings.ReplaceAll(words[i], "```", "``")
		}
	}
	text = strings.ReplaceAll(strings.Join(words, " "), "</", "< /")
	switch {
	case text == "":
		return "", errors.New("the text is empty")
	case len(text) > maxItem:
		return "", fmt.Errorf("the text is longer than %d bytes", maxItem)
	}
	return "- " + text, nil
}

// Add appends a text to the section for added items in a memory file, and returns the item. It
// creates the file and the section if necessary, and preserves everything else. added is false
// if the item already exists.
func Add(file, text string) (item string, added bool, err error) {
	item, err = Item(text)
	if err != nil {
		return "", false, err
	}
	if err := durable.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", false, err
	}
	unlock, err := durable.Lock(file)
	if err != nil {
		return "", false, err
	}
	defer unlock()
	before, err := Read(file)
	if err != nil {
		return "", false, err
	}
	after := AppendItem(before, item)
	if after == before {
		return item, false, nil
	}
	if len(after) > maxFile {
		return "", false, fmt.Errorf("%s would be larger than %d KiB", file, maxFile>>10)
	}
	if err := durable.WriteFile(file, []byte(after), 0o600); err != nil {
		return "", false, err
	}
	return item, true, nil
}

// Read returns the content of a memory file, "" if there is none.
func Read(file string) (string, error) {
	real, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	dir, _ := workspace.New(workspace.Options{Root: filepath.Dir(real)})
	f, err := dir.Disk().Open(real)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := readUpTo(f, maxFile)
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d KiB", file, maxFile>>10)
	}
	if e := charset.Detect(data); err == nil && (strings.ContainsRune(string(data), 0) || e.IsText() && !e.IsUTF8()) {
		err = fmt.Errorf("%s is not UTF-8 text", file)
	}
	return string(data), err
}

// AppendItem returns the content of a memory file with an item appended to the section for added
// items.
func AppendItem(content, item string) string {
	newline := "\n"
	if strings.Contains(content, "\r\n") {
		newline = "\r\n"
	}
	start, end, ok := section(content)
	if !ok {
		gap := newline + newline
		body := strings.TrimPrefix(content, "\ufeff")
		switch ended := strings.HasSuffix(body, "\n"); {
		case body == "", ended && strings.TrimSpace(body) == "", strings.HasSuffix(body, gap):
			gap = ""
		case ended:
			gap = newline
		}
		return content + gap + heading + newline + item + newline
	}
	items := strings.Split(content[start:end], "\n")
	if slices.ContainsFunc(items, func(line string) bool { return strings.TrimSpace(line) == item }) {
		return content
	}
	at := start + len(strings.TrimRight(content[start:end], " \t\r\n"))
	rest := content[at:]
	if strings.TrimSpace(rest) == "" {
		rest = newline
	}
	return content[:at] + newline + item + rest
}

// section returns the range of the section for added items: from the end of its heading to the
// next heading of the same or a higher level.
func section(content string) (start, end int, ok bool) {
	end = len(content)
	for at := 0; at < len(content); {
		next := lineEnd(content, at)
		line := strings.TrimRight(content[at:next], " \t\r\n")
		switch {
		case !ok && strings.TrimPrefix(line, "\ufeff") == heading:
			ok, start = true, at+len(strings.TrimRight(content[at:next], "\r\n"))
		case ok && (strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ")):
			return start, at, true
		}
		at = next
	}
	return start, end, ok
}
