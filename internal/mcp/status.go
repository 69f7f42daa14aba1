package mcp

import "pollux/internal/oauth"

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Config: s.config, State: s.state, Err: s.err}
	if source, ok := s.signer.(*oauth.Source); ok {
		st.SignIn = source.State()
	}
	for _, t := range s.offer.Tools {
		if s.config.uses(t.Name) {
			st.Tools = append(st.Tools, ToolInfo{t.Name, t.Description, t.Schema})
		}
	}
	for _, p := range s.offer.Prompts {
		if p != nil {
			st.Prompts = append(st.Prompts, p.Name)
		}
	}
	for _, r := range s.offer.Resources {
		if r != nil {
			st.Resources = append(st.Resources, s.config.Name+":"+r.URI)
		}
	}
	for _, t := range s.offer.Templates {
		if t != nil {
			st.Templates = append(st.Templates, s.config.Name+":"+t.URITemplate)
		}
	}
	return st
}
