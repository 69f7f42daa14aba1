package file

import (
	"context"
	"os"
	"strings"
	"testing"

	"pollux/tool"
)

// TestRehearse checks that the edits of one draft are rehearsed one after the other, that none of them changes the file,
// and that they can run afterwards.
func TestRehearse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		edits   [][2]string // of f.txt
		isAsked bool
		hasRead bool
		want    string // a part of the error of the last one, "" if all succeed
		after   string // a part of the file in the end
	}{
		"edits of two places":       {edits: [][2]string{{"line 3\n", "three\n"}, {"line 9\n", "nine\n"}}, after: "nine\n"},
		"of which a person allowed": {edits: [][2]string{{"line 3\n", "three\n"}, {"line 9\n", "nine\n"}}, isAsked: true, after: "nine\n"},
		"of a file that is known":   {edits: [][2]string{{"line 3\n", "three\n"}, {"line 9\n", "nine\n"}}, hasRead: true, after: "nine\n"},
		"one builds on the other":   {edits: [][2]string{{"line 3\n", "three\n"}, {"three\nline 4\n", "3\n4\n"}}, hasRead: true, after: "3\n4\n"},
		"a place that is similar":   {edits: [][2]string{{"line 3\n", "three\n"}, {"line 8\nline 9\nlime 10\nline 11\n", "line 8\nnine\nlime 10\nline 11\n"}}, hasRead: true, after: "nine\n"},
		"it was asked about before": {edits: [][2]string{{"line 3\n", "three\n"}, {"three\nline 4\n", "3\n4\n"}}, isAsked: true, want: "0 occurrences"},
		"the place is gone":         {edits: [][2]string{{"line 3\n", "three\n"}, {"line 3\n", "four\n"}}, want: "0 occurrences"},
		"the place is not there":    {edits: [][2]string{{"none\n", "one\n"}}, want: "0 occurrences"},
		"a file exists":             {edits: [][2]string{{"", "one\n"}}, want: "File already exists"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSeenTools(t, nil)
			if tt.hasRead {
				s.run(t, "read", args{}, false)
			}
			draft := tool.Draft{}
			var calls []tool.Invocation
			failed := ""
			for _, e := range tt.edits {
				call := build(t, NewReplace(s.w, nil, s.seen, EditObserver{}), args{"file_path": "f.txt", "old_string": e[0], "new_string": e[1]})
				if tt.isAsked {
					if _, err := call.Confirmation(s.ctx()); err != nil {
						t.Fatal(err)
					}
				}
				if failed != "" {
					t.Fatal("failed before:", failed)
				}
				if r := call.(tool.Rehearsable).Rehearse(s.ctx(), draft); r != nil {
					failed = r.Error.Message
				}
				calls = append(calls, call)
			}
			if !strings.Contains(failed, tt.want) || tt.want == "" && failed != "" {
				t.Fatalf("%q, want %q", failed, tt.want)
			}
			if text, err := os.ReadFile(s.path); string(text) != twenty {
				t.Fatal("the file has changed:", err)
			}
			for _, call := range calls {
				if tt.want != "" {
					break
				}
				if r := call.Run(s.ctx(), tool.Host{}); r.Error != nil || strings.Contains(r.Content[0].Text, "had changed") {
					t.Fatalf("%+v", r)
				}
			}
			if text, _ := os.ReadFile(s.path); !strings.Contains(string(text), tt.after) {
				t.Errorf("%s", text)
			}
		})
	}
	s := newSeenTools(t, nil)
	call := build(t, NewReplace(s.w, nil, nil, EditObserver{}), args{"file_path": "new.txt", "old_string": "", "new_string": "x"})
	if r := call.(tool.Rehearsable).Rehearse(context.Background(), tool.Draft{}); r != nil {
		t.Errorf("a new file: %v", r.Error)
	}
}
