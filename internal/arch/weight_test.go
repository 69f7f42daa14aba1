package arch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestWeight checks that the program does not contain packages that cost each start a millisecond or
// megabytes of memory and that come with other packages.
func TestWeight(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "pollux/cmd/pollux").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	for _, heavy := range []string{"google.golang.org/grpc", "google.golang.org/protobuf/proto", "github.com/google/s2a-go"} {
		if slices.Contains(packages, heavy) {
			t.Errorf("the program contains %s. To find out why, run: go mod why %[1]s", heavy)
		}
	}
}
