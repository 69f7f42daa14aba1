package transfer

import (
	"path"

	"pollux/internal/durable"
)

// The maximum sizes in bytes of a file of a command or a subagent, and of all files of a kind.
const (
	MaxText = 256 << 10
	maxAll  = 4 << 20
)

// Texts reads files with commands or subagents, each of which becomes an item of a part.
type Texts struct {
	Part *Part
	At   Place
	size int // of the files that were read
}

// Add reads the files below a directory of the place whose names end in one of the suffixes. use gets each file, with its name below the
// directory and its item.
func (t *Texts) Add(dir string, suffixes []string, use func(name string, text []byte, item *Item)) {
	names, isWhole := t.At.Find(dir, suffixes...)
	if !isWhole {
		t.Part.Notes = append(t.Part.Notes, dir+" has more files, links or deeper directories than Pollux reads.")
	}
	if len(names) > 0 {
		t.Part.Files = append(t.Part.Files, t.At.Path(dir))
	}
	for _, name := range names {
		t.AddFile(dir, name, use)
	}
}

// AddFile is [Texts.Add] for one file below a directory.
func (t *Texts) AddFile(dir, name string, use func(name string, text []byte, item *Item)) {
	item := t.Part.Add(New(name))
	if t.size > maxAll {
		item.Leave("the files before it are larger than 4 MB")
		return
	}
	text, err := t.At.Read(path.Join(dir, name), MaxText)
	if err != nil {
		item.Leave("%v", durable.Cause(err))
		return
	}
	t.size += len(text)
	use(name, text, item)
}
