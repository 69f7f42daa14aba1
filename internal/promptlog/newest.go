package promptlog

import (
	"cmp"
	"os"
	"slices"
	"time"
)

// FileName is the name of a log in the directory of its project.
const FileName = "logs.json"

// Prompt is a prompt of the log at a path.
type Prompt struct {
	Path, Text string
	Time       time.Time
}

// maxLogs is the number of logs that [Newest] reads.
const maxLogs = 200

// Newest returns the newest prompts of several logs, at most so many, the newest first, each text once. It reads the
// logs that were changed last, and leaves out those that are damaged.
func Newest(paths []string, most int) (prompts []Prompt) {
	for _, path := range lastChanged(paths) {
		entries, err := readOnce(path)
		if err != nil {
			continue
		}
		prompts = append(prompts, slices.DeleteFunc(promptsOf(path, entries), func(p Prompt) bool { return len(p.Text) > maxPrompt })...)
		prompts = newestOf(prompts, most)
	}
	return prompts
}

// promptsOf returns the prompts among the entries of the log at a path, the last one first. It leaves out those without a time.
func promptsOf(path string, entries []entry) (prompts []Prompt) {
	for _, e := range slices.Backward(entries) {
		if at, err := time.Parse(time.RFC3339, e.Timestamp); err == nil && e.Type == typeUser {
			prompts = append(prompts, Prompt{path, e.Message, at})
		}
	}
	return prompts
}

// lastChanged returns the logs that were changed last, at most [maxLogs]. It leaves out those that are missing.
func lastChanged(paths []string) []string {
	changed := map[string]time.Time{}
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			changed[path] = info.ModTime()
		}
	}
	found := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return changed[path].IsZero() })
	slices.SortStableFunc(found, func(a, b string) int { return changed[b].Compare(changed[a]) })
	return found[:min(len(found), maxLogs)]
}

// newestOf sorts prompts, and returns the newest ones, each text once. Of prompts of the same time, the first one stays first.
func newestOf(prompts []Prompt, most int) []Prompt {
	slices.SortStableFunc(prompts, func(a, b Prompt) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Path, b.Path))
	})
	seen := map[string]bool{}
	prompts = slices.DeleteFunc(prompts, func(p Prompt) bool {
		isKnown := seen[p.Text]
		seen[p.Text] = true
		return isKnown
	})
	return slices.Clip(prompts[:min(len(prompts), most)])
}
