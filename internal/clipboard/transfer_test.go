package clipboard

import (
	"strings"
	"testing"
)

// png is the beginning of an image.
const png = "\x89PNG\r\n\x1a\n and so on"

// TestTransfer plays replies of a terminal: statuses, each with a type and data behind spaces.
func TestTransfer(t *testing.T) {
	t.Parallel()
	image := png
	for _, c := range []struct {
		name    string
		replies []string
		asks    string
		want    string // image or text
		err     string
	}{
		{"image", []string{"OK", "DATA|.|text/plain image", "DATA|.|/png", "DONE", "OK", "DATA|image/png|" + image[:5], "DATA|image/png|" + image[5:], "DONE"}, "image/png", image, ""},
		{"text", []string{"OK", "DATA|.|text/html text/plain;charset=utf-8", "DONE", "DATA|text/plain;charset=utf-8|a\r\nb", "DONE"}, "text/plain;charset=utf-8", "a\nb", ""},
		{"neither", []string{"DATA|.|text/html", "DONE"}, "", "", "the clipboard is empty"},
		{"nothing", []string{"OK", "DONE"}, "", "", "the clipboard is empty"},
		{"no image", []string{"DATA|.|image/png", "DONE", "DATA|image/png|text", "DONE"}, "image/png", "", "the clipboard is empty"},
		{"refused", []string{"DATA|.|image/png", "DONE", "EPERM"}, "image/png", "", "the terminal does not let Pollux read the clipboard"},
		{"busy", []string{"EBUSY"}, "", "", "the clipboard is in use; try again"},
		{"unknown", []string{"EX"}, "", "", "the terminal cannot read the clipboard"},
		{"too many types", []string{"DATA|.|" + strings.Repeat("x", maxTypes+1)}, "", "", ErrTooLarge.Error()},
		{"too large", []string{"DATA|.|text/plain", "DONE", "DATA|text/plain|" + strings.Repeat("x", maxContent), "DATA|text/plain|x"}, "text/plain", "", ErrTooLarge.Error()},
		{"of another request", []string{"DATA|text/plain|old", "DATA|.|text/plain", "DONE", "DATA|image/png|old", "DATA|text/plain|new", "DONE"}, "text/plain", "new", ""},
	} {
		var transfer Transfer
		asks := ""
		for i, reply := range c.replies {
			fields := append(strings.SplitN(reply, "|", 3), "", "")
			ask, isDone, got, err := transfer.Take(fields[0], fields[1], []byte(fields[2]))
			asks += ask
			if isDone != (i == len(c.replies)-1) {
				t.Fatalf("%s: reply %d: %v", c.name, i, isDone)
			}
			if isDone && (string(got.Image)+got.Text != c.want || err == nil && c.err != "" || err != nil && err.Error() != c.err) {
				t.Errorf("%s: %.80q %.80q, %v", c.name, got.Image, got.Text, err)
			}
		}
		if asks != c.asks {
			t.Errorf("%s: asks for %q", c.name, asks)
		}
	}
}
