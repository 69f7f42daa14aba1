package acp

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/mcp"
	"pollux/internal/sessions"

	"github.com/google/uuid"
)

// place is the place of a session: its directories and its servers.
type place struct {
	dir         string // as the client writes it
	real        string // without links
	directories []string
	servers     []mcp.Config
}

// newPlace returns the place in a request, or why there is none.
func newPlace(p schema.NewRequest) (at place, err *wire.Error) {
	at.dir = filepath.Clean(p.Dir)
	if at.real, err = realDir("cwd", p.Dir); err != nil {
		return at, err
	}
	for i, dir := range p.Directories {
		real, err := realDir("additionalDirectories["+strconv.Itoa(i)+"]", dir)
		if err != nil {
			return at, err
		}
		at.directories = append(at.directories, real)
	}
	for i, server := range p.Servers {
		c, problem := newServer(server)
		if problem != "" {
			return at, invalid("mcpServers["+strconv.Itoa(i)+"]", problem)
		}
		at.servers = append(at.servers, c)
	}
	return at, nil
}

// realDir returns a directory without links in its path.
func realDir(field, dir string) (string, *wire.Error) {
	if !filepath.IsAbs(dir) {
		return "", invalid(field, "It is not an absolute path.")
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(real); err == nil && !info.IsDir() {
			return "", invalid(field, "It is not a directory: "+dir)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", invalid(field, "Directory does not exist: "+dir)
	case err != nil:
		return "", invalid(field, "Cannot open the directory: "+err.Error())
	}
	return real, nil
}

// newServer returns the configuration of a server of the client, or why it has none.
func newServer(s schema.MCPServer) (c mcp.Config, problem string) {
	c = mcp.Config{Name: s.Name}
	switch s.Type {
	case "", "stdio":
		c.Command, c.Args, c.Env = s.Command, s.Args, map[string]string{}
		for _, v := range s.Env {
			c.Env[v.Name] = v.Value
		}
	case "http", "sse":
		c.Type, c.URL, c.Headers = s.Type, s.URL, map[string]string{}
		for _, h := range s.Headers {
			c.Headers[h.Name] = h.Value
		}
	default:
		return c, "The server " + s.Name + " has the type " + s.Type + ", which is not supported."
	}
	switch {
	case s.Name == "":
		return c, "The server has no name."
	case c.Command == "" && c.URL == "":
		return c, "The server " + s.Name + " has neither a command nor a URL."
	}
	return c, ""
}

// newSession opens a session.
func (s *server) newSession(p schema.NewRequest) wire.Answer {
	at, problem := newPlace(p)
	if problem != nil {
		return wire.Fail(problem)
	}
	return func(ctx context.Context) (any, func(), error) {
		c := newChat(s, uuid.NewString(), at)
		if err := c.open(ctx, opening{}); err != nil {
			return nil, nil, s.openError(c.id, err)
		}
		if err := s.add(c); err != nil {
			return nil, nil, err
		}
		state := c.state()
		state.SessionID = c.id
		return state, c.begin, nil
	}
}

// loadSession opens a recorded session, and tells the client all that has happened in it.
func (s *server) loadSession(p schema.NewRequest) wire.Answer {
	return s.openRecorded(p, func(ctx context.Context, c *chat) error { return c.replay(ctx) })
}

// resumeSession opens a recorded session.
func (s *server) resumeSession(p schema.NewRequest) wire.Answer {
	return s.openRecorded(p, func(_ context.Context, c *chat) error {
		c.messages.prefix = uuid.NewString()[:8] // not those of messages that the client has already
		return nil
	})
}

func (s *server) openRecorded(p schema.NewRequest, opened func(ctx context.Context, c *chat) error) wire.Answer {
	at, problem := newPlace(p)
	switch {
	case problem != nil:
		return wire.Fail(problem)
	case p.SessionID == "":
		return wire.Fail(invalid("sessionId", "It is missing."))
	}
	return func(ctx context.Context) (any, func(), error) {
		if before := s.remove(p.SessionID); before != nil {
			before.close() // it is the record that counts
		}
		c := newChat(s, p.SessionID, at)
		if err := c.open(ctx, opening{isResumed: true}); err != nil {
			return nil, nil, s.openError(c.id, err)
		}
		if err := s.add(c); err != nil {
			return nil, nil, err
		}
		if err := opened(ctx, c); err != nil {
			return nil, nil, s.failure(err, noPlace)
		}
		return c.state(), c.begin, nil
	}
}

// closeSession ends a session. Its record stays.
func (s *server) closeSession(p schema.OfSession) wire.Answer {
	return func(context.Context) (any, func(), error) {
		c := s.remove(p.SessionID)
		if c == nil {
			return nil, nil, notFound(p.SessionID)
		}
		c.close()
		return schema.Empty{}, nil, nil
	}
}

// deleteSession ends a session and deletes its record. One that does not exist is deleted already.
func (s *server) deleteSession(p schema.OfSession) wire.Answer {
	return func(ctx context.Context) (any, func(), error) {
		if c := s.remove(p.SessionID); c != nil {
			c.close()
		}
		for _, project := range s.projects() {
			store := sessions.Store{Dir: filepath.Join(project.Temp, "chats")}
			list, err := store.List(ctx)
			i := slices.IndexFunc(list, func(i sessions.Info) bool { return i.ID == p.SessionID })
			if err != nil || i < 0 {
				continue
			}
			if err := store.Delete(ctx, list[i]); err != nil {
				return nil, nil, wire.Errorf(wire.InternalError, "Cannot delete the session: %v.", err)
			}
		}
		return schema.Empty{}, nil, nil
	}
}

// projects returns the directories that have recorded sessions.
func (s *server) projects() []config.Project {
	return config.NewPaths(s.Session.Project.Env, "/").Projects()
}

// pageSize is the number of sessions in an answer to [schema.List].
const pageSize = 100

// listSessions lists the recorded sessions, the one used last first: of one directory, or of all.
func (s *server) listSessions(p schema.ListRequest) wire.Answer {
	first := 0
	if p.Cursor != nil {
		n, err := strconv.Atoi(*p.Cursor)
		if err != nil || n < 0 {
			return wire.Fail(invalid("cursor", "It is none that session/list has returned."))
		}
		first = n
	}
	dir := ""
	if p.Dir != nil {
		if !filepath.IsAbs(*p.Dir) {
			return wire.Fail(invalid("cwd", "It is not an absolute path."))
		}
		if dir = filepath.Clean(*p.Dir); dir != "" {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real
			}
		}
	}
	return func(ctx context.Context) (any, func(), error) {
		all := []schema.SessionInfo{}
		for _, project := range s.projects() {
			if dir != "" && project.Dir != dir {
				continue
			}
			store := sessions.Store{Dir: filepath.Join(project.Temp, "chats")}
			list, err := store.List(ctx)
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx) // an empty list would say that there are none
			}
			if err != nil {
				s.log("Cannot list the sessions of " + project.Dir + ": " + err.Error())
			}
			for _, i := range list {
				all = append(all, schema.SessionInfo{SessionID: i.ID, Dir: project.Dir, Title: i.Title, Updated: i.Updated.UTC()})
			}
		}
		slices.SortFunc(all, func(a, b schema.SessionInfo) int {
			return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.SessionID, b.SessionID))
		})
		page := schema.ListResponse{Sessions: all[min(first, len(all)):min(first+pageSize, len(all))]}
		if first+pageSize < len(all) {
			page.Next = strconv.Itoa(first + pageSize)
		}
		return page, nil, nil
	}
}
