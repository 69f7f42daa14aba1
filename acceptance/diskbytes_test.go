package acceptance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
)

// TestBytesOnDisk checks that a session's file is hardly larger than the conversation: all messages,
// as they are sent, each once. Two kinds of records repeat something, because Gemini CLI reads them: a
// diff, of which 512 bytes are kept, and the messages that a compression has left.
//
// The bound is 1.1, and 0.01 for the durations of calls, which are there if the machine is busy.
func TestBytesOnDisk(t *testing.T) {
	t.Parallel()
	const turns = 60
	page := func(n, size int) string { return strings.Repeat(fmt.Sprintf("line of part %d\n", n), size/16) }
	edit := func(n int) string { return fmt.Sprintf("%q", page(n, 2<<10)) }
	for _, tt := range []struct {
		name     string
		settings string
		runs     int // the first one and those that resume it
		answer   func(n int) []scriptmodel.Step
		most     float64
	}{
		{"talk", "{}", 1, func(n int) []scriptmodel.Step { return says(prose(n, 40<<10)) }, 1.1},
		{"resumed", "{}", 11, func(n int) []scriptmodel.Step { return says(prose(n, 6<<10)) }, 1.1},
		{"reads", "{}", 1, func(n int) []scriptmodel.Step { // S10 of the benchmarks
			return calling(nil, "read_file", "file_path", fmt.Sprintf(`"page%d"`, n))
		}, 1.11},
		{"commands", "{}", 1, func(n int) []scriptmodel.Step {
			return calling(says(strings.Repeat(fmt.Sprint("I run the command ", n, " now. "), 10)), "run_shell_command", "command", fmt.Sprintf(`"cat page%d"`, n))
		}, 1.11},
		{"edits", "{}", 1, func(n int) []scriptmodel.Step {
			return calling(says(fmt.Sprint("Edit ", n)), "replace", "file_path", `"doc"`, "old_string", edit(n-1), "new_string", edit(n))
		}, 2.2}, // the diff, which undo needs, repeats both texts
		{"compressed", `{"model": {"compressionThreshold": 0.02}}`, 1, func(n int) []scriptmodel.Step {
			return append(calling(says(fmt.Sprint("Read ", n)), "read_file", "file_path", fmt.Sprintf(`"page%d"`, n)), scriptmodel.Usage{Prompt: 20_000, Candidates: 50})
		}, 1.4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			said, n, summaries := map[string]bool{}, 0, 0
			var last []scriptmodel.Step
			server := conduct(t, "gemini", func(path string, body []byte) []scriptmodel.Step {
				switch {
				case strings.Contains(string(body), "unproductive_state_confidence"):
					return says(`{"unproductive_state_analysis": "It goes on.", "unproductive_state_confidence": 0.1}`)
				case strings.HasSuffix(path, ":generateContent"):
					summaries++
					return says("<state_snapshot>\n<overall_goal>Read it.</overall_goal>\n</state_snapshot>")
				}
				hear(t, said, body)
				if n++; n >= turns {
					last = says("Done.")
				} else {
					last = tt.answer(n)
				}
				return last
			})
			p := newPerson(t)
			p.environ = append(p.environ, pointing("gemini", server.URL)...)
			p.settings(tt.settings)
			p.write("doc", page(0, 2<<10))
			for i := range turns {
				p.write(fmt.Sprintf("page%d", i), page(i, 4<<10))
			}
			for i := range tt.runs {
				args := []string{"--yolo", "-p", fmt.Sprint("Go on ", i)}
				if i > 0 {
					args = append(args, "--resume", "latest")
				}
				if out, err := p.command("pollux", args...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			written, sum := recorded(t, p.home), 0
			for content := range said {
				sum += len(content)
			}
			for _, step := range last { // it is in no request
				if text, ok := step.(scriptmodel.Text); ok {
					sum += len(text.Text)
				}
			}
			t.Logf("%d bytes of %d that were said: %.3f; %d summaries", written, sum, float64(written)/float64(sum), summaries)
			if float64(written) > tt.most*float64(sum) {
				t.Errorf("%d bytes are too many", written)
			}
			if (tt.name == "compressed") != (summaries > 0) {
				t.Errorf("%d summaries", summaries)
			}
		})
	}
}

// prose returns a text without repetitions.
func prose(n, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Sentence %d of answer %d says %x. ", i, n, i*i*7919+n)
	}
	return b.String()
}

// hear adds the messages of a request to said.
func hear(t *testing.T, said map[string]bool, body []byte) {
	t.Helper()
	var request struct{ Contents []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		t.Error(err)
	}
	for _, c := range request.Contents {
		said[string(c)] = true
	}
}

// recorded returns the number of bytes in the session files below a home directory.
func recorded(t *testing.T, home string) (bytes int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(home, ".gemini", "tmp"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(d.Name(), "session-") || filepath.Ext(path) != ".jsonl" {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			bytes += int(info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
