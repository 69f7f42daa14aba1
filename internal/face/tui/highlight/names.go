package highlight

import (
	"path"
	"strings"
)

// ForName returns the language with a name or alias, such as "golang", "" if it is unknown.
func ForName(name string) string { return nameOf(rowOf(name)) }

// ForFile returns the language of a file by its name, with or without directories, "" if it is unknown.
func ForFile(name string) string {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if i := rowWithFile(name); i >= 0 {
		return nameOf(i)
	}
	// A Dockerfile may have a suffix, as in "Dockerfile.dev".
	if head, _, ok := strings.Cut(name, "."); ok && (head == "dockerfile" || head == "makefile") {
		return head
	}
	return nameOf(rowWithFile(path.Ext(name)))
}

// ForShebang returns the language of a script by its first line, "" if it is unknown or the line is no shebang.
func ForShebang(line string) string {
	command, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	fields := strings.Fields(command)
	if len(fields) > 0 && path.Base(fields[0]) == "env" {
		fields = fields[1:]
		for len(fields) > 0 && (strings.HasPrefix(fields[0], "-") || strings.Contains(fields[0], "=")) {
			fields = fields[1:]
		}
	}
	if len(fields) == 0 {
		return ""
	}
	program := path.Base(fields[0])
	if i := rowOf(program); i >= 0 {
		return nameOf(i)
	}
	return nameOf(rowOf(strings.TrimRight(program, "0123456789.-")))
}

// rowWithFile returns the index of the row with a file name or extension, -1 if there is none.
func rowWithFile(name string) int {
	if name == "" {
		return -1
	}
	for i := range rows {
		if hasWord(rows[i].files, name) {
			return i
		}
	}
	return -1
}

func nameOf(i int) string {
	if i < 0 {
		return ""
	}
	name, _, _ := strings.Cut(rows[i].names, " ")
	return name
}
