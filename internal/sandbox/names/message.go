package names

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"

	"pollux/internal/sandbox/network"
)

// MaxQuery is the size of the largest question that a program may ask: a name, and room for the options that resolvers send.
const MaxQuery = 2048

// Answer returns the reply to a question of a program, nil for a message that is none.
func (s *Server) Answer(ctx context.Context, query []byte, c Client) []byte {
	if len(query) > MaxQuery {
		return nil
	}
	var p dnsmessage.Parser
	header, err := p.Start(query)
	if err != nil || header.Response {
		return nil
	}
	question, err := p.Question()
	if err == nil {
		if _, more := p.Question(); !errors.Is(more, dnsmessage.ErrSectionDone) {
			err = errors.New("more than one question")
		}
	}
	switch {
	case err != nil:
		return reply(header, nil, nil, dnsmessage.RCodeFormatError)
	case header.OpCode != 0:
		return reply(header, &question, nil, dnsmessage.RCodeNotImplemented)
	case question.Class != dnsmessage.ClassINET:
		return reply(header, &question, nil, dnsmessage.RCodeRefused)
	}
	isAddress := question.Type == dnsmessage.TypeA || question.Type == dnsmessage.TypeAAAA
	name := strings.ToLower(strings.TrimSuffix(question.Name.String(), "."))
	allowed := s.options.Hosts.Named(name)
	switch {
	case !network.IsName(name), len(allowed) == 0:
		if isAddress && network.IsName(name) {
			c.Log.Add(name)
		}
		if addrs := s.standInFor(name, c); addrs != nil {
			return reply(header, &question, addrs, dnsmessage.RCodeSuccess)
		}
		return reply(header, &question, nil, dnsmessage.RCodeNameError)
	case !isAddress: // the name may exist, but has no such records
		return reply(header, &question, nil, dnsmessage.RCodeSuccess)
	}
	addrs, err := s.lookup(ctx, wanted{name: name, hosts: allowed})
	if errors.Is(err, ErrPrivate) {
		c.Log.Add(network.Host{Name: name, MayBePrivate: true}.String())
		if addrs = s.standInFor(name, c); addrs != nil {
			err = nil
		}
	}
	return reply(header, &question, addrs, codeOf(err))
}

// codeOf returns the code of a reply by the error of a look-up.
func codeOf(err error) dnsmessage.RCode {
	var dns *net.DNSError
	switch {
	case err == nil:
		return dnsmessage.RCodeSuccess
	case errors.Is(err, errNoHost), errors.Is(err, ErrPrivate), errors.As(err, &dns) && dns.IsNotFound:
		return dnsmessage.RCodeNameError
	}
	return dnsmessage.RCodeServerFailure
}

// reply returns the reply to a question with those of the addresses that it asks for, nil if there is none.
func reply(h dnsmessage.Header, q *dnsmessage.Question, addrs []netip.Addr, code dnsmessage.RCode) []byte {
	b := dnsmessage.NewBuilder(make([]byte, 0, 512), dnsmessage.Header{
		ID: h.ID, Response: true, OpCode: h.OpCode, RecursionDesired: h.RecursionDesired, RecursionAvailable: true, RCode: code,
	})
	b.EnableCompression()
	err := b.StartQuestions()
	if q != nil {
		err = errors.Join(err, b.Question(*q))
	}
	err = errors.Join(err, b.StartAnswers())
	for _, a := range addrs {
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: uint32(keep.Seconds())}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			err = errors.Join(err, b.AResource(head, dnsmessage.AResource{A: a.As4()}))
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			err = errors.Join(err, b.AAAAResource(head, dnsmessage.AAAAResource{AAAA: a.As16()}))
		}
	}
	message, finish := b.Finish()
	if err != nil || finish != nil {
		return nil
	}
	return message
}
