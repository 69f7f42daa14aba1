package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// seenTools are the tools of a session, and a workspace with f.txt, of lines 1 to 20.
type seenTools struct {
	w    *workspace.Workspace
	seen *Seen
	path string
	tool.Conversation
}

func newSeenTools(t *testing.T, files map[string]string) *seenTools {
	t.Helper()
	if files == nil {
		files = map[string]string{}
	}
	files["f.txt"] = twenty
	w := newWorkspace(t, files)
	return &seenTools{w: w, seen: NewSeen(), path: filepath.Join(w.Root(), "f.txt"), Conversation: tool.Conversation{ID: "one"}}
}

var twenty = func() (text string) {
	for i := range 20 {
		text += fmt.Sprintf("line %d\n", i+1)
	}
	return text
}()

func (s *seenTools) ctx() context.Context {
	return tool.WithConversation(context.Background(), s.Conversation)
}

// run runs a call, about which a person is asked first if isAsked. It returns the text of the result or the error.
func (s *seenTools) run(t *testing.T, name string, a args, isAsked bool) (text string, isError bool) {
	t.Helper()
	tools := map[string]tool.Tool{
		"read": NewReadFile(s.w, s.seen), "write": NewWrite(s.w, nil, s.seen), "replace": NewReplace(s.w, nil, s.seen, EditObserver{}),
	}
	if a["file_path"] == nil {
		a["file_path"] = "f.txt"
	}
	call := build(t, tools[name], a)
	if isAsked {
		if _, err := call.Confirmation(s.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	r := call.Run(s.ctx(), tool.Host{})
	if r.Error != nil {
		return r.Error.Message, true
	}
	return llm.PartsText(r.Content), false
}

func TestOverwriteUnread(t *testing.T) {
	t.Parallel()
	for _, isAsked := range []bool{false, true} {
		s := newSeenTools(t, map[string]string{".geminiignore": "hidden.txt\n", "hidden.txt": "a secret\n", "small.txt": "a\nb\n", "empty.txt": " \n"})
		got, isError := s.run(t, "write", args{"content": "x"}, isAsked)
		want := s.path + " exists, and you have not read it: it has 20 lines, 151 bytes. Nothing was written. Repeat this call to replace all of it, or read it first. It begins:\n" +
			"line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10"
		if !isError || got != want || get(t, s.path) != twenty {
			t.Errorf("first call: %q", got)
		}
		if got, isError := s.run(t, "write", args{"content": "x"}, isAsked); isError || get(t, s.path) != "x" {
			t.Errorf("second call: %q", got)
		}
		if got, isError := s.run(t, "write", args{"file_path": "hidden.txt", "content": "x"}, isAsked); !isError || strings.Contains(got, "secret") {
			t.Errorf("hidden file: %q", got)
		}
		if got, isError := s.run(t, "write", args{"file_path": "small.txt", "content": "x"}, isAsked); isError || !strings.HasSuffix(got, " You had not read it. It had:\na\nb") {
			t.Errorf("small file: %q", got)
		}
		for _, path := range []string{"empty.txt", "new.txt"} {
			if got, isError := s.run(t, "write", args{"file_path": path, "content": twenty}, isAsked); isError || strings.Contains(got, "not read") {
				t.Errorf("%s: %q", path, got)
			}
		}
		if got, isError := s.run(t, "write", args{"file_path": "new.txt", "content": "other"}, isAsked); isError || strings.Contains(got, "not read") {
			t.Errorf("own file: %q", got)
		}
	}
}

func TestOverwriteKnown(t *testing.T) {
	t.Parallel()
	// Each prepares the conversation so that the second line may be overwritten.
	for name, prepare := range map[string]func(s *seenTools){
		"read":   func(s *seenTools) { s.run(t, "read", args{}, false) },
		"nearly": func(s *seenTools) { s.run(t, "read", args{"start_line": 3, "end_line": 12}, false) },
		"in parts": func(s *seenTools) {
			s.run(t, "read", args{"start_line": 15}, false)
			s.run(t, "read", args{"end_line": 4}, false)
			s.run(t, "read", args{"start_line": 5, "end_line": 15}, false)
		},
		"in parts, edited between": func(s *seenTools) {
			s.run(t, "read", args{"end_line": 5}, false)
			s.run(t, "replace", args{"old_string": "line 3", "new_string": "3\n3"}, false)
			s.run(t, "read", args{"start_line": 6}, false)
		},
		"link": func(s *seenTools) { s.run(t, "read", args{"file_path": "link"}, false) },
		"edited": func(s *seenTools) {
			s.run(t, "read", args{}, false)
			s.run(t, "replace", args{"old_string": "line 20", "new_string": "20"}, false)
		},
		"continued, edited": func(s *seenTools) {
			s.IsContinued = true
			s.run(t, "replace", args{"old_string": "line 20", "new_string": "20"}, false)
		},
		"continued": func(s *seenTools) { s.IsContinued = true },
		"off":       func(s *seenTools) { s.seen = nil },
		"same":      func(s *seenTools) { put(t, s.path, "x") },
		"mentioned": func(s *seenTools) {
			if _, err := Collect(s.ctx(), s.w, Selection{Include: []string{"f.txt"}, Seen: s.seen}); err != nil {
				t.Error(err)
			}
		},
		"line ends": func(s *seenTools) {
			s.run(t, "read", args{}, false)
			put(t, s.path, strings.ReplaceAll(twenty, "\n", "\r\n"))
		},
		"touched": func(s *seenTools) {
			s.run(t, "read", args{}, false)
			put(t, s.path, "other")
			put(t, s.path, twenty)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSeenTools(t, nil)
			if err := os.Symlink("f.txt", filepath.Join(s.w.Root(), "link")); err != nil {
				t.Skip(err)
			}
			prepare(s)
			if got, isError := s.run(t, "write", args{"content": "x"}, false); isError || strings.Contains(got, "read it") || strings.Contains(got, "had changed") || get(t, s.path) != "x" {
				t.Errorf("%q", got)
			}
		})
	}
	t.Run("other conversation", func(t *testing.T) {
		t.Parallel()
		s := newSeenTools(t, nil)
		s.run(t, "read", args{}, false)
		s.ID = "two"
		if got, isError := s.run(t, "write", args{"content": "x"}, false); !isError {
			t.Error(got)
		}
	})
}

// TestOverwritePart overwrites a file of which the model has got a part.
func TestOverwritePart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prepare func(s *seenTools)
		want    string
	}{
		"range": {func(s *seenTools) { s.run(t, "read", args{"start_line": 3, "end_line": 4}, false) }, "only lines 3-4"},
		"ranges": {func(s *seenTools) {
			s.run(t, "read", args{"start_line": 20}, false)
			s.run(t, "read", args{"end_line": 2}, false)
			s.run(t, "read", args{"start_line": 3, "end_line": 3}, false)
		}, "only lines 1-3, 20-20"},
		"edited": {func(s *seenTools) { s.run(t, "replace", args{"old_string": "line 20", "new_string": "20"}, false) }, "none of them"},
		"range, edited": {func(s *seenTools) {
			s.run(t, "read", args{"start_line": 3, "end_line": 4}, false)
			s.run(t, "replace", args{"old_string": "line 4\n", "new_string": "4\n"}, false)
		}, "only lines 3-4"},
		"mentioned": {func(s *seenTools) {
			if _, err := Collect(s.ctx(), s.w, Selection{Include: []string{"f.txt"}, Seen: s.seen, Room: 20}); err != nil {
				t.Error(err)
			}
		}, "only lines 1-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSeenTools(t, nil)
			tt.prepare(s)
			before := get(t, s.path)
			got, isError := s.run(t, "write", args{"content": "x"}, false)
			if !isError || !strings.HasPrefix(got, s.path+" has 20 lines, and you have read "+tt.want) || get(t, s.path) != before {
				t.Errorf("first call: %q", got)
			}
			if got, isError := s.run(t, "write", args{"content": "x"}, false); isError || get(t, s.path) != "x" {
				t.Errorf("second call: %q", got)
			}
		})
	}
}

func TestOverwriteChanged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		now, content string
		want         string // of the file; "" for no change at first
		says         string
	}{
		"merged": {
			twenty + "theirs\n", "ours\n" + twenty, "ours\n" + twenty + "theirs\n",
			" The file had changed since you last read or wrote it; your content was merged with that. What has changed:\n@@ -20 +20,2 @@\n line 20\n+theirs",
		},
		"both the same": {strings.Replace(twenty, "line 5", "five", 1), strings.Replace(twenty, "line 5", "five", 1), strings.Replace(twenty, "line 5", "five", 1), "Successfully overwrote"},
		"conflict": {
			strings.Replace(twenty, "line 5", "five", 1), strings.Replace(twenty, "line 5", "FIVE", 1), "",
			" has changed since you last read or wrote it, and this content would undo that. Nothing was written. Send the content with these changes in it, or repeat this call to undo them. What has changed:\n@@ -4,3 +4,3 @@\n line 4\n-line 5\n+five\n line 6",
		},
		"adjacent":      {strings.Replace(twenty, "line 5", "five", 1), strings.Replace(twenty, "line 6", "six", 1), "", "@@ -4,3 +4,3 @@"},
		"same place":    {twenty + "theirs\n", twenty + "ours\n", "", "+theirs"},
		"all different": {twenty + "theirs\n", "ours\n", "", "+theirs"},
	} {
		for _, isAsked := range []bool{false, true} {
			t.Run(fmt.Sprint(name, isAsked), func(t *testing.T) {
				t.Parallel()
				s := newSeenTools(t, nil)
				s.run(t, "read", args{}, false)
				put(t, s.path, tt.now)
				got, isError := s.run(t, "write", args{"content": tt.content}, isAsked)
				if isError != (tt.want == "") || !strings.Contains(got, tt.says) {
					t.Errorf("%q", got)
				}
				want := tt.want
				if isError {
					want = tt.now
				}
				if get(t, s.path) != want {
					t.Errorf("the file is %q", get(t, s.path))
				}
				if got, again := s.run(t, "write", args{"content": tt.content}, isAsked); again || isError && get(t, s.path) != tt.content {
					t.Errorf("second call: %q, the file is %q", got, get(t, s.path))
				}
			})
		}
	}
}

// TestChangedBy names the call that has changed a file, unless someone else has changed it since.
func TestChangedBy(t *testing.T) {
	t.Parallel()
	const conflict = "`make 'fmt'` has changed %s since you last read or wrote it, and this content would undo that."
	theirs := strings.Replace(twenty, "line 5", "five", 1)
	for _, tt := range []struct {
		name    string
		tool    string
		args    args
		prepare func(t *testing.T, s *seenTools)
		want    string
	}{
		{"conflict", "write", args{"content": "x"}, nil, conflict},
		{"merged", "write", args{"content": strings.Replace(twenty, "line 15", "15", 1)}, nil, " `make 'fmt'` had changed the file since you last read or wrote it; your content was merged with that."},
		{"replace", "replace", args{"old_string": "line 15", "new_string": "15"}, nil, "\n`make 'fmt'` had changed the file since you last read or wrote it. What has changed:\n"},
		{"changed by others since", "write", args{"content": "x"}, func(t *testing.T, s *seenTools) { put(t, s.path, theirs+"21\n") }, "%s has changed since you last"},
		{"read since", "write", args{"content": "x"}, func(t *testing.T, s *seenTools) { s.run(t, "read", args{}, false); put(t, s.path, theirs+"21\n") }, "%s has changed since you last"},
	} {
		s := newSeenTools(t, nil)
		s.run(t, "read", args{}, false)
		put(t, s.path, theirs)
		info, err := os.Stat(s.path)
		if err != nil {
			t.Fatal(err)
		}
		s.seen.Changed("make\n`fmt`", map[string]Stamp{s.path: {info.Size(), info.ModTime().UnixNano()}, "/other": {}})
		if tt.prepare != nil {
			tt.prepare(t, s)
		}
		want := strings.ReplaceAll(tt.want, "%s", s.path)
		if got, _ := s.run(t, tt.tool, tt.args, false); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
	(*Seen)(nil).Changed("x", map[string]Stamp{"/a": {}}) // switched off
}

func TestReplaceChanged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old   string
		want  string // of the result
		fails bool
	}{
		"exact":   {"line 7", "\nThe file had changed since you last read or wrote it. What has changed:\n@@ -1 +1,2 @@\n+new\n line 1\n@@ -4,3 +5,3 @@\n line 4\n-line 5\n+five of a kind\n line 6", false},
		"changed": {"line 4\nline 5\nline 6", "\nline 6\n\nThe file had changed since you last read or wrote it. What has changed:\n@@ -1", true},
		"similar": {"five of a kinf", "changed. The file had changed", true},
	} {
		for _, isAsked := range []bool{false, true} {
			t.Run(fmt.Sprint(name, isAsked), func(t *testing.T) {
				t.Parallel()
				s := newSeenTools(t, nil)
				s.run(t, "read", args{}, false)
				put(t, s.path, "new\n"+strings.Replace(twenty, "line 5", "five of a kind", 1))
				got, isError := s.run(t, "replace", args{"old_string": tt.old, "new_string": "seven"}, isAsked)
				if isError != tt.fails || !strings.Contains(got, tt.want) {
					t.Errorf("%q", got)
				}
				if got, _ := s.run(t, "replace", args{"old_string": "line 9", "new_string": "nine"}, isAsked); strings.Contains(got, "had changed") {
					t.Errorf("described again: %q", got)
				}
			})
		}
	}
	s := newSeenTools(t, nil)
	if got, isError := s.run(t, "replace", args{"old_string": "line 7", "new_string": "seven"}, false); isError || strings.Contains(got, "changed since") {
		t.Errorf("unread: %q", got)
	}
}

// TestSeenLimits checks that content is kept within limits, and that changes are noticed without it.
func TestSeenLimits(t *testing.T) {
	t.Parallel()
	s := newSeenTools(t, map[string]string{"large.txt": strings.Repeat("0123456\n", maxKept/8+1)})
	s.run(t, "read", args{"file_path": "large.txt"}, false)
	s.run(t, "read", args{}, false)
	put(t, filepath.Join(s.w.Root(), "large.txt"), "other\n")
	if got, isError := s.run(t, "write", args{"file_path": "large.txt", "content": "x"}, false); !isError || !strings.HasSuffix(got, "Read it again to see what has changed.") {
		t.Errorf("%q", got)
	}
	for i := range maxKeptAll/maxKept + 2 {
		s.seen.note(s.ctx(), filepath.Join(s.w.Root(), fmt.Sprint(i)), versionOf(make([]byte, maxKept)))
	}
	if s.seen.size > maxKeptAll || len(s.seen.kept) > maxKeptAll/maxKept+1 {
		t.Errorf("%d bytes of %d files are kept", s.seen.size, len(s.seen.kept))
	}
	put(t, s.path, "other\n")
	if got, isError := s.run(t, "write", args{"content": "x"}, false); !isError || !strings.HasSuffix(got, "Read it again to see what has changed.") {
		t.Errorf("%q", got)
	}
	for range 100 {
		s.seen.note(s.ctx(), s.path, versionOf([]byte("x")))
	}
	if n := len(s.seen.kept); n > 2*len(s.seen.versions)+1 {
		t.Errorf("%d versions are kept", n)
	}
}
