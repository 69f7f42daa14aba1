package shellcmd

import (
	"fmt"
	"strings"
	"testing"
)

func TestDistinct(t *testing.T) {
	t.Parallel()
	s, err := Parse(strings.Repeat("echo a; ", 30) + "echo b; cd x; rm -r y; echo a; rm z")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Distinct() {
		got = append(got, fmt.Sprintf("%d %s", c.Times, c.Text))
	}
	if got := strings.Join(got, "|"); got != "31 echo a|1 cd x|1 rm -r y|1 echo b|1 rm z" {
		t.Error(got)
	}
}
