package journal

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// upgrade opens a new file with the session of a file of one object, as Gemini CLI does: its name ends in
// ".jsonl" instead of ".json". The old file stays.
func upgrade(old *log, s *Session) (*Resumed, error) {
	defer old.close()
	base := strings.TrimSuffix(old.path, filepath.Ext(old.path))
	var l *log
	err := error(fs.ErrExist)
	for _, path := range [...]string{base + ".jsonl", base + "-1.jsonl", base + "-2.jsonl"} {
		if l, err = create(path); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	s.Pollux = version
	lines := appendHeader(nil, s.Header)
	for _, e := range s.recorded {
		lines = appendMessage(lines, e)
	}
	if err := l.append(lines); err != nil {
		l.close()
		return nil, err
	}
	s.Path, s.isExact = l.path, true
	return &Resumed{s, l}, nil
}
