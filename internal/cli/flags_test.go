package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/terminal"
)

// ownFlags are those that Gemini CLI does not have.
var ownFlags = []string{"output-patch - value"}

// TestFlagSet compares the declared flags with testdata/flags.txt, the flags that existing
// scripts use, and those of Pollux alone.
func TestFlagSet(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	p := &program{env: config.NewEnv()}
	p.watch(&terminal.Terminal{Out: terminal.NewWriter(io.Discard), Err: terminal.NewWriter(io.Discard)})
	root := p.rootCommand()
	root.Flags().AddFlagSet(root.PersistentFlags())
	var got []string
	root.Flags().VisitAll(func(f *pflag.Flag) {
		kind := "value"
		switch {
		case isBool(f):
			kind = "bool"
		case f.Value.Type() == "array":
			kind = "list"
		case f.NoOptDefVal != "":
			kind = "optional"
		}
		got = append(got, fmt.Sprint(f.Name, " ", cmp.Or(f.Shorthand, "-"), " ", kind))
		if f.Usage == "" != f.Hidden || !f.Hidden && f.Annotations[topic] == nil {
			t.Errorf("--%s is not in the help, or in no group of it", f.Name)
		}
	})
	for _, arg := range withValue {
		name := strings.TrimLeft(arg, "-")
		if !slices.ContainsFunc(got, func(flag string) bool {
			return (strings.HasPrefix(flag, name+" ") || strings.Contains(flag, " "+name+" ")) && strings.HasSuffix(flag, " value")
		}) {
			t.Errorf("%s takes no value", arg)
		}
	}
	want = append(want, ownFlags...)
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the flags differ from testdata/flags.txt (-want +got):\n%s", diff)
	}
}
