package acceptance

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestDesign runs a script for each section of the design documents that can be run. A script begins with the document
// and the section that it is about, and has a row for each sentence that it checks:
//
//	#: SECTION | the document says | Pollux does | the setting for the other way
func TestDesign(t *testing.T) {
	t.Parallel()
	run(t, "design", "", func(*testscript.Env) error { return nil })
}

// designSections are the sections of the documents, in their order: each must have a row.
var designSections = []struct{ document, title, sections string }{
	{"000", "Compression of the history", "1 2.1 2.2 2.3 2.4 2.5 3"},
	{"001", "How the context is handed over", "1.1 1.2 1.3 2.1 2.2 2.3 3.1 3.2 3.3 4.1 4.2 4.3 5 6 7.1 7.2"},
	{"002", "The core", "1 2.1 2.2 3 4.1 4.2 4.3 4.4 5.1 5.2 5.3 5.4 6.1 6.2 6.3 7.1 7.2 7.3 7.4 8.1 8.2 9 10 11"},
	{"003", "The agent", "1 2.1 2.2 2.3 3.1 3.2 3.3 4.1.1 4.1.2 4.1.3 4.1.4 4.1.5 4.1.6 4.1.7 4.1.8 4.1.9 4.1.10 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 6 7 8.1 8.2 8.3 8.5 9"},
	{"004", "The management of the context", "1 2 3 4 5 6 7 8 9 data parameters flow principles"},
}

// designRow is a sentence of a document, and how Pollux does it.
type designRow struct{ section, says, how, other, proof string }

// designRows returns the rows of a document: those of its scripts, and those of rows.txt, which name a proof of
// another kind.
func designRows(t *testing.T, document string) []designRow {
	t.Helper()
	var rows []designRow
	add := func(text, proof string, fields int) {
		for line := range strings.Lines(text) {
			row, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "#: ")
			if !ok {
				continue
			}
			parts := strings.Split(row, " | ")
			if len(parts) != fields {
				t.Fatalf("%s: %q has %d fields, want %d", proof, row, len(parts), fields)
			}
			r := designRow{section: parts[0], says: parts[1], how: parts[2], other: parts[3], proof: proof}
			if fields == 6 {
				if parts[0] != document {
					continue
				}
				r = designRow{section: parts[1], says: parts[2], how: parts[3], other: parts[4], proof: parts[5]}
			}
			rows = append(rows, r)
		}
	}
	scripts, err := filepath.Glob(filepath.Join("design", document+"_*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatal(document, err)
	}
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		before := len(rows)
		add(string(archive.Comment), "["+strings.TrimSuffix(filepath.Base(script), ".txtar")+"](../acceptance/"+filepath.ToSlash(script)+")", 4)
		if len(rows) == before {
			t.Errorf("%s has no row", script)
		}
	}
	other, err := os.ReadFile(filepath.Join("design", "rows.txt"))
	if err != nil {
		t.Fatal(err)
	}
	add(string(other), "", 6)
	return rows
}

// TestDesignDocuments checks that docs/design-documents.md has the rows of the scripts, that each section of the
// documents has one, and that the files named as proofs exist; -update rewrites the page.
func TestDesignDocuments(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(designIntroduction)
	for _, d := range designSections {
		sections := strings.Fields(d.sections)
		rows := designRows(t, d.document)
		slices.SortStableFunc(rows, func(a, b designRow) int {
			return cmp.Compare(slices.Index(sections, a.section), slices.Index(sections, b.section))
		})
		fmt.Fprintf(&b, "\n## %s: %s\n\n| Section | The document says | Pollux | The other way | Proof |\n| --- | --- | --- | --- | --- |\n", d.document, d.title)
		has := map[string]bool{}
		for _, r := range rows {
			if !slices.Contains(sections, r.section) {
				t.Errorf("document %s has no section %q: %s", d.document, r.section, r.says)
			}
			has[r.section] = true
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.section, r.says, r.how, r.other, r.proof)
			for _, link := range regexp.MustCompile(`\]\(\.\./([^)#]+)\)`).FindAllStringSubmatch(r.proof, -1) {
				if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(link[1]))); err != nil {
					t.Errorf("%s %s: %v", d.document, r.section, err)
				}
			}
		}
		for _, s := range sections {
			if !has[s] {
				t.Errorf("section %s of document %s has no row", s, d.document)
			}
		}
	}
	page := filepath.Join("..", "docs", "design-documents.md")
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != b.String() {
		t.Errorf("%s is not made of the scripts; run go test ./acceptance -run TestDesignDocuments -update: %v", page, err)
	}
}

const designIntroduction = `# The design documents

Pollux is built after five documents that describe the agent of Gemini CLI, of which they have read different versions. They
contradict each other in places, and today's Gemini CLI in others. Where they do, today's Gemini CLI is the default, and a
setting gives the other way. This page has a row for each statement: what the document says, how Pollux does it, the setting
that gives the other way, and the script or test that proves it. A row without another way does what the document says.

The documents: 000 describes the compression of the history, 001 how the context is handed over to models, 002 the core, 003
the whole agent in nine chapters (3.2 is the second part of chapter three), and 004 the management of long conversations.
`
