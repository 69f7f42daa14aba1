package about

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/docs"
)

func TestJoinLines(t *testing.T) {
	t.Parallel()
	const page = `# A title
A paragraph
of two lines.

<!-- not run: asks for a key,
     and more -->
` + "```sh\npollux -p \\\n  'hi'\n\n- no item\n```" + `
| a | b |
| --- | --- |
| 1 | 2 |

1. An item
   that goes on.
2. Another one
   - with an item below
     that goes on
- and one more
> A quote
> of two lines

Indented:

    code
    more code
The end
`
	const want = `# A title
A paragraph of two lines.

` + "```sh\npollux -p \\\n  'hi'\n\n- no item\n```" + `
| a | b |
| --- | --- |
| 1 | 2 |

1. An item that goes on.
2. Another one
   - with an item below that goes on
- and one more
> A quote
> of two lines

Indented:

    code
    more code
The end
`
	if diff := cmp.Diff(want, joinLines(page)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJoinPages checks that no word of a page is lost.
func TestJoinPages(t *testing.T) {
	t.Parallel()
	entries, err := docs.Pages.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := docs.Pages.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		if strings.Contains(page, "<!--") {
			continue
		}
		joined := joinLines(page)
		if diff := cmp.Diff(strings.Fields(page), strings.Fields(joined)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Name(), diff)
		}
	}
}
