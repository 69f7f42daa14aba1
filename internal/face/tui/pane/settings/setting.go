package settings

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/config"
)

// setting is a setting in the list.
type setting struct {
	key   *config.Key
	label string
}

// first are the groups of settings at the top of the list.
var first = [...]string{"general", "ui", "model", "context", "tools", "security"}

// settings returns the settings that have an effect, or will have one, by groups.
func settings() (all []setting) {
	table := config.Keys()
	for i := range table {
		if table[i].Support != config.Inert {
			all = append(all, setting{&table[i], label(table[i].Path)})
		}
	}
	place := func(s setting) int {
		group, _, _ := strings.Cut(s.key.Path, ".")
		if i := slices.Index(first[:], group); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(all, func(a, b setting) int { return place(a) - place(b) })
	return all
}

// kind returns the first word of the type of the value, such as "enum".
func (s *setting) kind() string {
	kind, _, _ := strings.Cut(s.key.Type, " ")
	return kind
}

// next returns the value after another one of a setting with a list of values.
func (s *setting) next(value any) string {
	values := strings.Fields(s.key.Type)[1:]
	text, _ := value.(string)
	return values[(slices.Index(values, text)+1)%len(values)]
}

// inJSON returns a text of the user as a value in JSON. It returns false if the text itself is the value.
func (s *setting) inJSON(text string) (string, bool) {
	switch kind := s.kind(); {
	case kind == "number":
		return strings.TrimSpace(text), true
	case kind == "string", kind == "string|strings" && !strings.HasPrefix(text, "["):
		return "", false
	case strings.HasPrefix(strings.TrimSpace(text), "["):
		return strings.TrimSpace(text), true
	}
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	list, _ := json.Marshal(items) // cannot fail
	return string(list), true
}

// label returns a name for people of a setting: "Session retention: max age" for general.sessionRetention.maxAge.
func label(path string) string {
	parts := strings.Split(path, ".")
	if len(parts) > 1 && slices.Contains([]string{"general", "ui", "pollux"}, parts[0]) {
		parts = parts[1:]
	}
	for i, part := range parts {
		parts[i] = strings.Join(words(part), " ")
	}
	text := strings.Join(parts, ": ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// spelled returns a word of a key as people write it.
func spelled(word string) string {
	switch word {
	case "ai", "api", "http", "ide", "mcp", "osc", "url", "yolo":
		return strings.ToUpper(word)
	case "git", "vertex":
		return strings.ToUpper(word[:1]) + word[1:]
	case "github":
		return "GitHub"
	case "env":
		return "environment"
	}
	return word
}

// words returns the words of a part of a key: "hide", "CWD" for "hideCWD".
func words(part string) (all []string) {
	letters := []rune(part)
	start := 0
	for i := 1; i <= len(letters); i++ {
		if i < len(letters) && !startsWord(letters, i) {
			continue
		}
		word := string(letters[start:i])
		if strings.ToUpper(word) != word || i-start == 1 {
			word = strings.ToLower(word)
		}
		all, start = append(all, spelled(word)), i
	}
	return all
}

// startsWord reports whether a word of a name such as "useOSC52Copy" begins at i.
func startsWord(letters []rune, i int) bool {
	if !unicode.IsUpper(letters[i]) {
		return false
	}
	return !unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])
}
