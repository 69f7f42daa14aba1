package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"pollux/agent"
)

// create creates the file of a new session, with the history that Begin has set.
func (j *Journal) create() error {
	s := &j.current
	if j.o.Directories != nil {
		s.header.Directories = j.o.Directories()
	}
	if j.o.SkillFolders != nil {
		s.header.SkillFolders = j.o.SkillFolders()
	}
	s.header.Copied = len(withoutContext(s.history))
	var opening []byte
	if s.note != "" {
		opening = appendNote(opening, s.note, s.header.Start)
	}
	for _, m := range s.history {
		if IsContext(m) {
			m.Time = s.header.Start
			opening = appendMessage(opening, agent.Entry{Message: m})
		}
	}
	opening = append(opening, s.spent...)
	s.spent = nil
	return j.createFile(opening)
}

// createFile creates the file of the session, with the first free one of its names, and writes the
// header and these lines.
func (j *Journal) createFile(lines []byte) error {
	s := &j.current
	dir, err := j.makeDir()
	if err != nil {
		return err
	}
	for _, name := range j.names() {
		if s.log, err = create(filepath.Join(dir, name+".jsonl")); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		s.log = nil
		return err
	}
	return s.log.append(j.o.Mask(append(appendHeader(nil, s.header), lines...)))
}

// names returns the names of the session's file without ".jsonl", in order of preference. They are those
// of Gemini CLI, which ends them with the first eight characters of the id, except for this end: when a
// session was resumed there, its next start removes all files with the first eight characters.
func (j *Journal) names() []string {
	h := &j.current.header
	id := PlainID(h.SessionID)
	if j.o.Kind == Subagent {
		return []string{id}
	}
	end := id
	switch {
	case isUUID(id):
		end = id[len(id)-8:]
	case len(id) <= 8:
		end = id + "-0"
	}
	minute := "session-" + h.Start.UTC().Format("2006-01-02T15-04")
	return []string{minute + "-" + end, fmt.Sprintf("%s-%s-0", minute, id), fmt.Sprintf("session-%d-%s-0", h.Start.UnixNano(), id)}
}

// PlainID returns an id as a part of a file name: "-" stands for characters that can mean something
// else there.
func PlainID(id string) string {
	const most = 100
	id = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, id)
	return id[:min(len(id), most)]
}

func isUUID(id string) bool { return len(id) == 36 && strings.Count(id, "-") == 4 }

// branch continues the session in a new file, with a copy of the history, because the file is
// another program's now, or gone.
func (j *Journal) branch(live []agent.Entry) error {
	s := &j.current
	hasCopies := s.header.Copied > 0 || !s.log.isLost()
	s.close()
	s.header.ForkOf, s.header.SessionID = s.header.SessionID, uuid.NewString()
	s.header.Start, s.header.Updated, s.header.Copied = j.o.Now(), j.o.Now(), 0
	var lines []byte
	for i, e := range live {
		lines = appendMessage(lines, e)
		if hasCopies && i < len(s.live) && s.live[i].ID == e.ID {
			s.header.Copied++ // it is in the other file, too
		}
	}
	lines = append(lines, s.spent...)
	for _, record := range s.running {
		lines = record(lines)
	}
	if err := j.createFile(lines); err != nil {
		return j.stop(err)
	}
	s.live, s.isForeign = live, false
	j.o.Warn(fmt.Sprintf("Another program has changed or removed the record of this session. From here on it is session %s.", s.header.SessionID))
	return nil
}
