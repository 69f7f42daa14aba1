package tool

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChangesString(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Changes{
		"1 file created":                                          {Created: 1, Files: []FileChange{{Path: "a"}}},
		"2 files changed (+12, -0)":                               {Changed: 2, Added: 12},
		"3 files deleted (+0, -7)":                                {Deleted: 3, Removed: 7},
		"1 file created, 20 deleted":                              {Created: 1, Deleted: 20},
		"2 files created, 1 taken back":                           {Created: 2, TakenBack: 1},
		"1 file taken back":                                       {TakenBack: 1},
		"repository changed":                                      {Repository: FileChanged},
		"4 files changed, 1 deleted, repository deleted (+1, -1)": {Changed: 4, Deleted: 1, Repository: FileDeleted, Added: 1, Removed: 1},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestChangesPlus(t *testing.T) {
	t.Parallel()
	a := &Changes{Operation: 1, Created: 1, Changed: 2, Deleted: 3, TakenBack: 1, Added: 4, Removed: 5, Uncounted: 6, Lost: 7, Repository: FileDeleted, Files: []FileChange{{Path: "a"}}, Beside: []string{"x"}, Report: "r"}
	b := &Changes{Operation: 2, Created: 10, Changed: 20, Deleted: 30, TakenBack: 2, Added: 40, Removed: 50, Uncounted: 60, Lost: 70, Files: []FileChange{{Path: "b"}}, Beside: []string{"y"}, Report: "s"}
	want := &Changes{Operation: 2, Created: 11, Changed: 22, Deleted: 33, TakenBack: 3, Added: 44, Removed: 55, Uncounted: 66, Lost: 77, Repository: FileDeleted, Files: []FileChange{{Path: "a"}, {Path: "b"}}, Beside: []string{"x", "y"}}
	if diff := cmp.Diff(want, a.Plus(b)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if a.Created != 1 || len(a.Files) != 1 || a.Plus(nil) != a || (*Changes)(nil).Plus(b) != b || (*Changes)(nil).Plus(nil) != nil {
		t.Errorf("%+v", a)
	}
	if n := [...]int{a.Restorable(), (&Changes{Deleted: 3, Lost: 1}).Restorable(), (*Changes)(nil).Restorable()}; n != [...]int{0, 2, 0} {
		t.Errorf("restorable: %v", n)
	}
	many := &Changes{Files: slices.Repeat([]FileChange{{Path: "a"}}, MaxChangedFiles)}
	if n := len(many.Plus(b).Files); n != MaxChangedFiles {
		t.Errorf("%d files", n)
	}
}
