package refusals

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLog checks that refusals are kept in their order, that a damaged line costs only itself, and that the oldest ones leave a large file.
func TestLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "log")
	if list, err := Read(path); err != nil || list != nil {
		t.Errorf("%v, %v", list, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := Refusal{Time: at, Session: "s", Command: "git push\n", Reason: "It has no keys.", IsGranted: true}
	if err := Append(path, want); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("{\"reason\": \n[]\n{}\n")
	_ = f.Close()
	if err := Append(path, Refusal{Command: strings.Repeat("x", 2*maxCommand), Reason: "r"}); err != nil {
		t.Fatal(err)
	}
	list, err := Read(path)
	if err != nil || len(list) != 2 || list[0] != want || len(list[1].Command) != maxCommand+3 {
		t.Errorf("%+v, %v", list, err)
	}
	for i := range 600 {
		if err := Append(path, Refusal{Command: strings.Repeat("x", 1000), Reason: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxSize || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	list, err = Read(path)
	if err != nil || len(list) < 100 || list[len(list)-1].Reason != "599" {
		t.Errorf("%d are left, %v", len(list), err)
	}
	for i := range list[1:] {
		if fmt.Sprint(list[i].Reason) >= fmt.Sprint(list[i+1].Reason) && len(list[i].Reason) == len(list[i+1].Reason) {
			t.Errorf("%s is before %s", list[i].Reason, list[i+1].Reason)
		}
	}
}
