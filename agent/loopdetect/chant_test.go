package loopdetect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
)

// said returns n different sentences.
func said(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

const sentence = "I will now look at the configuration file to see what is in it. "

// Text with and without loops, and the rules for Markdown.
func TestChanting(t *testing.T) {
	t.Parallel()
	fifty := strings.Repeat("abcdefghij", 5)[:49] + "."
	r := rand.New(rand.NewPCG(1, 7))
	gap := func(n int) string { // text of n characters, different each time
		return strings.Map(func(rune) rune { return 'a' + r.Int32N(26) }, strings.Repeat("x", n))
	}
	apart := func(hits, distance int) string {
		var b strings.Builder
		for range hits {
			b.WriteString(fifty + gap(distance-50))
		}
		return b.String()
	}
	prose, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text string
		loop bool
	}{
		"nothing":                          {"", false},
		"a sentence nine times":            {strings.Repeat(sentence, 9), false},
		"a sentence, and again":            {strings.Repeat(sentence, 11), true},
		"a line, and again":                {strings.Repeat(sentence+"\n", 11), true},
		"a paragraph of three lines":       {strings.Repeat("Let me check the tests first.\nThe tests fail, so I fix them.\nNow I run them again.\n\n", 11), true},
		"fifty characters ten times":       {strings.Repeat(fifty, 10), true},
		"fifty characters nine times":      {strings.Repeat(fifty, 9), false},
		"forty-nine characters, and again": {strings.Repeat(fifty[:49], 11), true},
		"one character":                    {strings.Repeat("a", 59), true},
		"one character, too few":           {strings.Repeat("a", 58), false},
		"line breaks":                      {strings.Repeat("\n", 60), true},
		"blanks":                           {strings.Repeat(" ", maxHead+60), true},
		"dashes that are no divider":       {strings.Repeat("-", maxHead+60), true},
		"in Chinese":                       {strings.Repeat("我现在要查看配置文件，看看里面有什么内容。", 30), true},
		"in emoji":                         {strings.Repeat("🙂🚀", 35), true},
		"250 apart":                        {apart(10, 250), false}, // the texts between are all different
		"250 apart, the same between":      {strings.Repeat(fifty+gap(200), 10), true},
		"251 apart, the same between":      {strings.Repeat(fifty+gap(201), 10), false},
		"five texts between, in turn":      {strings.Repeat(said(5, sentence+"Step %d. "), 4), true},
		"six texts between, in turn":       {strings.Repeat(said(6, sentence+"Step %d. "), 4), false},
		"progress with a shared prefix":    {said(60, "projects/acme-production-12345/locations/europe-west4/services/api-%d is healthy. "), false},
		"items with a shared prefix":       {said(60, "- projects/acme-production-12345/locations/europe-west4/services/%d\n"), false},
		"the same item":                    {strings.Repeat("- "+sentence+"\n", 30), false},
		"the same numbered item":           {said(30, "%d. "+sentence+"\n"), false},
		"the same item in a quotation":     {strings.Repeat("> "+sentence+"\n", 30), false},
		"the same below headings":          {said(30, "## Step %d\n"+sentence+"\n\n"), false},
		"a table":                          {"| name | state |\n|------|-------|\n" + strings.Repeat("| projects/acme-production-12345/services/api | healthy |\n", 40), false},
		"a table with wide columns":        {"| a | b |\n|" + strings.Repeat("-", 100) + "|" + strings.Repeat("-", 100) + "|\n", false},
		"a table in boxes":                 {strings.Repeat("│ projects/acme-production-12345/services/api │ healthy │\n", 40), false},
		"a table of plain text":            {strings.Repeat("-", 70) + "  " + strings.Repeat("-", 70) + "\n", false},
		"dividers":                         {said(40, "Part %d of the report.\n"+strings.Repeat("-", 80)+"\n"), false},
		"dividers with titles":             {strings.Repeat(strings.Repeat("=", 70)+" test session starts\n", 20), false},
		"code":                             {"```go\n" + strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"read settings: %w\", err)\n\t}\n", 40) + "```\n", false},
		"code in an item":                  {"1. ```sh\n" + strings.Repeat("   go test ./... && go vet ./... && staticcheck ./...\n", 40) + "   ```\n", false},
		"code in a quotation":              {"> ~~~\n" + strings.Repeat("> go test ./... && go vet ./... && staticcheck ./...\n", 40) + "> ~~~\n", false},
		"code that holds fences":           {"````md\n```\n" + strings.Repeat("the same line, many times over\n", 40) + "```\n````\n", false},
		"around code":                      {strings.Repeat(sentence+"\n```go\nx := 1\n```\n", 30), false},
		"behind code":                      {"```go\nx := 1\n```\n" + strings.Repeat(sentence, 11), true},
		"behind code within a line":        {"```x```\n" + strings.Repeat(sentence, 11), true},
		"behind a table":                   {"| a |\n|---|\n\n" + strings.Repeat(sentence, 11), true},
		"with words in bold":               {strings.Repeat("***Now*** "+sentence+"\n", 11), true},
		"with code in backticks":           {strings.Repeat("`main.go` "+sentence+"\n", 11), true},
		"with a year in front":             {strings.Repeat("2026 is when "+sentence+"\n", 11), true},
		"with a hash in front":             {strings.Repeat("#1 "+sentence+"\n", 11), true},
		"real prose":                       {string(prose), false},
		"a long text over and over":        {strings.Repeat(gap(260), 19), false},
		"not UTF-8":                        {strings.Repeat("\xff\xfe", 40), true},
		"NULs":                             {strings.Repeat("\x00", 60), true},
		"a list of files":                  {said(300, "internal/app/testdata/golden/projects/service/%d.json is unchanged\n"), false},
		"a refrain":                        {apart(12, 300), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 3, 50, 4096, 1 << 20} {
				d := New(Options{})
				if got := chant(d, tt.text, size); (got.Kind == Chanting) != tt.loop {
					t.Errorf("in pieces of %d: loop = %v", size, got)
				}
			}
			n := naive{o: Options{}.orDefault()}
			if got := n.find(string([]rune(tt.text))+"\n") >= 0; got != tt.loop {
				t.Errorf("the rules in the long form: loop = %v", got)
			}
		})
	}
}

// chanted reports whether d finds a loop in text, in pieces of size characters.
func chanted(d *Detector, text string, size int) bool { return chant(d, text, size).Kind != "" }

// chant returns the loop that d finds in text, in pieces of size characters.
func chant(d *Detector, text string, size int) agent.Loop {
	for rs := []rune(text); len(rs) > 0; {
		n := min(size, len(rs))
		if loop, found := d.Observe(agent.Text{Text: string(rs[:n])}); found {
			return loop
		}
		rs = rs[n:]
	}
	return agent.Loop{}
}

func TestChantDetail(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	got := chant(d, strings.Repeat("say \"this\"\nand that\n", 40), 7).Detail
	want := `the answer says the same again and again: "say \"this\" and that say \"this\" and that say \"this\""`
	if got != want {
		t.Errorf("detail = %s", got)
	}
}

// A loop may span several responses, but not tool calls, discarded responses or prompts.
func TestChantingBetweenAnswers(t *testing.T) {
	t.Parallel()
	five := agent.Text{Text: strings.Repeat(sentence, 6)}
	tests := map[string]struct {
		between func(*Detector)
		loop    bool
	}{
		"nothing":   {func(*Detector) {}, true},
		"a turn":    {func(d *Detector) { d.CheckTurn(t.Context(), nil) }, true},
		"a thought": {func(d *Detector) { d.Observe(agent.Thinking{Text: "```"}) }, true},
		"open code": {func(d *Detector) {
			d.Observe(agent.Text{Text: "\n```\n"})
			d.CheckTurn(t.Context(), nil)
			d.Observe(five)
		}, true},
		"a call":     {func(d *Detector) { d.Observe(request("read", `{}`)) }, false},
		"a prompt":   {func(d *Detector) { d.Reset("next") }, false},
		"a retry":    {func(d *Detector) { d.Observe(agent.Retried{}) }, false},
		"turned off": {func(d *Detector) { d.o.IsOff = func() bool { return true } }, false},
	}
	for name, tt := range tests {
		d := New(Options{})
		d.Observe(five)
		tt.between(d)
		if _, found := d.Observe(five); found != tt.loop {
			t.Errorf("%s: loop = %v", name, found)
		}
	}
}

// Other thresholds than the defaults work.
func TestChantOptions(t *testing.T) {
	t.Parallel()
	o := Options{Chunk: 10, Hits: 3, Spacing: 40, Periods: 1, Memory: 60}
	for text, want := range map[string]bool{
		strings.Repeat("0123456789", 3):                                      true,
		strings.Repeat("0123456789", 2):                                      false,
		strings.Repeat("0123456789abcde", 3):                                 true,
		"0123456789a0123456789b0123456789":                                   false, // two texts between
		"0123456789abcdefghijklmnopqrst0123456789abcdefghijklmnopqrst012345": false, // forgotten
	} {
		if got := chanted(New(o), text, 1); got != want {
			t.Errorf("%s: loop = %v", text, got)
		}
	}
}

// chantFinder finds the same loops as the naive implementation, at the same line, however the
// text is split.
func FuzzChant(f *testing.F) {
	for _, s := range []string{sentence, sentence + "\n", "ab\n", "- item one\n", "| a | b |\n", "```\ncode\n", "```\n", "> > - 1. ```x``` y\n", "----", "=== x\n", "##\n", "#  x \r\n", "12) x", "•\t", "~~~~ a ~\n~~~\n~~~~~ \n", "─┼─\n", "\u00e9\u4e2d\U0001f642", "+--+--|\n", "- - -\n-\n", "    "} {
		f.Add("intro\n", s, "outro\n", uint8(40), uint8(1), uint8(3))
		f.Add("", s, sentence, uint8(3), uint8(13), uint8(7))
	}
	f.Fuzz(func(t *testing.T, before, unit, after string, times, again, cut uint8) {
		if len(before)+len(after)+len(unit)*int(times) > 1<<10 || again > 40 {
			t.Skip()
		}
		text := strings.ToValidUTF8(strings.Repeat(before+strings.Repeat(unit, int(times))+after, 1+int(again)), "\uFFFD") + "\n"
		n := naive{o: Options{}.orDefault()}
		want := n.find(text)

		d, line := New(Options{}), -1
		for i, l := range strings.SplitAfter(text, "\n") {
			if chanted(d, l, 1) {
				line = i
				break
			}
		}
		if line != want {
			t.Fatalf("found in line %d, by the rules in %d: %q", line, want, text)
		}
		if got := chanted(New(Options{}), text, int(cut)+1); got != (want >= 0) {
			t.Fatalf("in pieces of %d: %v, by the rules in line %d: %q", int(cut)+1, got, want, text)
		}
	})
}

// BenchmarkText measures a long response, in the pieces in which models send it.
func BenchmarkText(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the model reads a file and then it says what is in there, if anything is at all; so far nothing has been found\n")
	var prose strings.Builder
	for prose.Len() < 1<<20 {
		prose.WriteString(words[r.IntN(len(words))] + " ")
		if r.IntN(20) == 0 {
			prose.WriteByte('\n')
		}
	}
	// A text that comes as close to a loop as it may: each chunk is one of many,
	// the texts between are just too many.
	brink := strings.Repeat(said(6, sentence+"%d"), 1<<20/(6*(len(sentence)+1)))
	for name, text := range map[string]string{
		"prose":   prose.String()[:1<<20],
		"code":    "```\n" + prose.String()[:1<<20],
		"chinese": shuffled(r, []rune("模型读取文件然后说出其中的内容如果有任何东西"), 1<<20/3),
		"hostile": brink,
	} {
		for _, size := range []int{4, 4096} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				d := New(Options{})
				for b.Loop() {
					d.Reset("")
					for rest := text; rest != ""; {
						n := min(size, len(rest))
						if loop := d.inspect(agent.Text{Text: rest[:n]}); loop.Kind != "" {
							b.Fatal("a loop: ", loop.Detail)
						}
						rest = rest[n:]
					}
				}
			})
		}
	}
}

func shuffled(r *rand.Rand, of []rune, n int) string {
	rs := make([]rune, n)
	for i := range rs {
		rs[i] = of[r.IntN(len(of))]
	}
	return string(rs)
}
