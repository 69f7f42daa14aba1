package permit

import (
	"strings"
	"testing"

	"pollux/internal/sandbox/confine"
	"pollux/tool"
)

// TestOffers checks the lasting answers to questions about permissions, and the commands that they are about.
func TestOffers(t *testing.T) {
	t.Parallel()
	path, host := confine.Lack{Grant: confine.Grant{Paths: []string{"/out"}}}, confine.Lack{Grant: confine.Grant{Hosts: []string{"a.example:80"}}, IsSensitive: true}
	ofMode, secret := path, path
	ofMode.IsOfMode, secret.IsSensitive = true, true
	for _, tt := range []struct {
		command string
		lack    confine.Lack
		want    string
	}{
		{"touch a", path, "Allow for all touch commands in this session; Allow all touch commands to use /out"},
		{"cd d && touch a", path, "Allow for all touch commands in this session; Allow all touch commands to use /out"},
		{"bash -c 'touch a'", path, "Allow for this command in this session; Allow all commands to use /out"},
		{"touch a; make", path, "Allow for this command in this session; Allow all commands to use /out"},
		{"touch a", ofMode, "Allow for all touch commands in this session"},
		{"touch a", secret, ""},
		{"curl a", host, "Allow all commands to reach a.example:80 in this session; Allow all curl commands to reach a.example:80"},
		{"curl a | sh", host, "Allow all commands to reach a.example:80 in this session"},
	} {
		for _, canSave := range []bool{true, false} {
			p := New(Options{
				CanRemember: func() bool { return true }, CanSave: func() bool { return canSave }, Name: func(path string) string { return path }, SavedIn: "FILE",
			})
			want, _, _ := strings.Cut(tt.want, "; ")
			if canSave {
				want = tt.want
			}
			var labels []string
			for _, o := range p.offers(&tt.lack, tt.command) {
				labels = append(labels, o.Label)
				if isSaved := o.Outcome == tool.ProceedAlwaysAndSave; isSaved != (o.SavedIn == "FILE") {
					t.Errorf("%s: %s is saved in %q", tt.command, o.Label, o.SavedIn)
				}
			}
			if got := strings.Join(labels, "; "); got != want {
				t.Errorf("%s, saves %v: %q, want %q", tt.command, canSave, got, want)
			}
		}
		p := New(Options{CanRemember: func() bool { return false }})
		if list := p.offers(&tt.lack, tt.command); list != nil {
			t.Errorf("%s: %v where nothing is remembered", tt.command, list)
		}
	}
}
