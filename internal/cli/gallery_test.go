package cli

import (
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/face/tui"
)

// gallery runs "ui-gallery" with these arguments, which are separated by |.
func gallery(args string) *start {
	return (&start{args: strings.Split("ui-gallery|"+args, "|"), env: []string{"TERM=xterm"}, commands: []subcommand{galleryCommand}}).do()
}

func TestGallery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, out, err string
	}{
		{"toast-quit|mode-plan|--width|40", "== toast-quit\nPress Ctrl+C again to exit.\n\n== mode-plan\nplan Shift+Tab to manual\n\n", ""},
		{"--width=30|toast-warning", "== toast-warning\nPress Ctrl+Z again to suspend…\n\n", ""},
		{"--theme|Dracula|toast-quit", "== toast-quit\nPress Ctrl+C again to exit.\n\n", ""},
		{"--width|-3|composer-empty", strings.Repeat("─", 80), ""},
		{"toast-quti", "", "There is no scene \"toast-quti\". Did you mean \"toast-quit\"?\n"},
		{"nonsense", "", "There is no scene \"nonsense\". To list the scenes, run 'pollux ui-gallery --list'.\n"},
		{"--theme|Dracola", "", "There is no theme \"Dracola\". Did you mean \"Dracula\"?\n"},
		{"--theme|x", "", "There is no theme \"x\". The themes are: ANSI, "},
	} {
		s := gallery(c.args)
		wantCode := exit.OK
		if c.err != "" {
			wantCode = exit.General
		}
		isAll := strings.HasSuffix(c.out, "\n\n")
		if s.code != wantCode || isAll && s.out.String() != c.out || !strings.Contains(s.out.String(), c.out) || !strings.HasPrefix(s.err.String(), c.err) || c.err == "" && s.err.Len() > 0 {
			t.Errorf("%s: code %d, %q, %q", c.args, s.code, s.out, s.err)
		}
	}
}

// TestGalleryNames checks the list of the scenes, and that all of them are printed without names.
func TestGalleryNames(t *testing.T) {
	t.Parallel()
	names := strings.Fields(gallery("--list").out.String())
	if len(names) != len(tui.GalleryScenes()) || len(names) < 100 {
		t.Fatalf("%q", names)
	}
	all := gallery("--width|80").out.String()
	for _, name := range names {
		if !strings.Contains(all, "== "+name+"\n") {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestGalleryIsHidden checks that the help of the program does not name the command, although its own help is there.
func TestGalleryIsHidden(t *testing.T) {
	t.Parallel()
	for args, isNamed := range map[string]bool{"--help": false, "help|later": false, "help|ui-gallery": true, "ui-gallery|--help": true} {
		s := (&start{args: strings.Split(args, "|"), commands: []subcommand{galleryCommand}}).do()
		if got := strings.Contains(s.out.String(), "ui-gallery [scene]..."); got != isNamed || strings.Contains(s.out.String(), "ui-gallery:") || s.code != exit.OK {
			t.Errorf("%s: %s", args, s.out)
		}
	}
}
