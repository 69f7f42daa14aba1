package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
)

func openBase(t *testing.T, s *Store) *Base {
	t.Helper()
	b, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// add adds an operation that changes a file, whose content is shared with others if it is "".
func add(t *testing.T, b *Base, title, text string) *Operation {
	t.Helper()
	w := b.Begin()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	name, kept, err := w.Take(t.Context(), path, int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	o := &Operation{
		Header: Header{Kind: Call, Session: "s", Title: title},
		Changes: []Change{
			{Path: path, Before: Version{State: kept.State, Content: name, Way: kept.Way, Sum: kept.Sum}},
			{Path: "/b\xffd\nname", After: Version{State: state.State{Kind: state.Link, Mode: 0o777}, Target: "../\xff"}},
		},
	}
	if err := w.Commit(o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	want := add(t, openBase(t, s), "first\n<&> \xe2\x80\xa8", "text")
	got, err := s.Read(1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Operation{})); diff != "" {
		t.Errorf("operation (-want +got):\n%s", diff)
	}
	if want.Created != 1 || want.Deleted != 1 || want.Bytes != 4 {
		t.Errorf("header %+v", want.Header)
	}
}

// TestDamage cuts a record at each byte, and flips each byte of it. Reading it returns the operation or an error.
func TestDamage(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	b := openBase(t, s)
	add(t, b, "first", "one")
	want := add(t, b, "second", "two")
	whole, err := os.ReadFile(s.path(2))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(s.path(2), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if o, err := s.Read(2); err == nil {
			t.Errorf("%s: no error, and operation %+v", what, o)
		} else if !strings.Contains(err.Error(), "operation 2 is damaged") {
			t.Errorf("%s: error %v", what, err)
		}
		list, damaged, err := s.List()
		if err != nil || len(list)+len(damaged) != 2 || list[0].Title != "first" {
			t.Fatalf("%s: list %+v, damaged %v, error %v", what, list, damaged, err)
		}
		if len(list) == 2 && !cmp.Equal(list[1], want.Header) {
			t.Errorf("%s: header %+v", what, list[1])
		}
		if _, err := s.Read(1); err != nil {
			t.Errorf("%s: the other operation: %v", what, err)
		}
	}
	for n := range whole {
		check(fmt.Sprintf("cut at %d", n), whole[:n])
		for _, bit := range []byte{1, 0x20, 0x80} {
			flipped := slices.Clone(whole)
			flipped[n] ^= bit
			check(fmt.Sprintf("bit %#x of byte %d", bit, n), flipped)
		}
	}
	check("doubled", append(slices.Clone(whole), whole...))
	check("a long line", bytes.Repeat([]byte("x"), maxHeader+1))
}

// TestDamagedDirectory has things in the log that are no operations.
func TestDamagedDirectory(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	b := openBase(t, s)
	add(t, b, "first", "one")
	for _, dir := range []string{s.path(2), filepath.Join(s.operations(), "-3"), filepath.Join(s.operations(), "x"), s.File(4, recordFile)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.path(5), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list, damaged, err := s.List()
	if err != nil || len(list) != 1 || len(damaged) != 2 || damaged[0].Number != 4 || damaged[1].Number != 5 {
		t.Errorf("list %+v, damaged %v, error %v", list, damaged, err)
	}
	if o := add(t, openBase(t, s), "next", "two"); o.Number < 5 {
		t.Errorf("number %d", o.Number)
	}
}

// FuzzParse checks that a record that can be read is written as the same record.
func FuzzParse(f *testing.F) {
	o := &Operation{Header: Header{Kind: Undo, Undoes: []int{1}}, Changes: []Change{
		{Path: "/a", Before: Version{State: state.State{Kind: state.Regular, Size: 3}, Content: "0+4", Way: content.Copied, Sum: content.Sum{1}}},
		{Path: "/\xff", After: Version{State: state.State{Kind: state.Link}, Target: "x", Lost: "y"}},
	}}
	data, err := o.format([]byte("one\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, false)
	f.Add([]byte(`{"kind":"call","bytes":0}`+"\n"+`{"p":"/a/../b","b":{"k":9}}`+"\n"), true)
	f.Add([]byte(`{"kind":"call","bytes":0}`+"\n"+`{"p":"/a","b":{"k":1,"c":"../x","h":"AA=="}}`+"\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, isSigned bool) {
		if isSigned { // past the sums
			data = sign(data)
		}
		o, err := parse(data)
		if err != nil {
			return
		}
		for _, c := range o.Changes {
			if !isAbsolute(c.Path) || strings.Contains(c.Before.Content+c.After.Content, "/") {
				t.Errorf("change %+v", c)
			}
		}
		small := data[o.small.At:][:o.small.Size]
		again, err := o.format(small)
		if err != nil {
			t.Fatal(err)
		}
		same, err := parse(again)
		if err != nil || !cmp.Equal(o, same, cmp.AllowUnexported(Operation{})) {
			t.Errorf("error %v, and\n%s", err, cmp.Diff(o, same, cmp.AllowUnexported(Operation{})))
		}
		if got := again[same.small.At:][:same.small.Size]; !bytes.Equal(got, small) {
			t.Errorf("contents %q, want %q", got, small)
		}
	})
}

// sign adds the sums to a record without them.
func sign(data []byte) []byte {
	header, rest, _ := bytes.Cut(data, []byte("\n"))
	return signed(append(append(slices.Clone(header), headerSum(header)+"\n"...), rest...))
}
