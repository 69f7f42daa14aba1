package records

import (
	"context"

	"pollux/agent"
	"pollux/llm"
)

// Compressor returns the compressor c such that the stream emits [HistoryCompressed] for each summary
// that it makes, unless the run has ended.
func (s *Stream) Compressor(c agent.Compressor) agent.Compressor {
	if s.isEmpty() || c == nil {
		return c
	}
	return &compressor{c, s}
}

type compressor struct {
	agent.Compressor
	stream *Stream
}

func (d *compressor) Compress(ctx context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	history, c := d.Compressor.Compress(ctx, o)
	if ctx.Err() == nil && c.Status != agent.CompressNoOp {
		d.stream.Emit(HistoryCompressed{o.PromptID, c})
	}
	return history, c
}

// Forecast implements [agent.Forecaster], if the compressor does.
func (d *compressor) Forecast(o agent.CompressRequest) int {
	if f, ok := d.Compressor.(agent.Forecaster); ok {
		return f.Forecast(o)
	}
	return o.Tokens
}

// Masker returns the masker m such that the stream emits [HistoryMasked] where it changes the history.
func (s *Stream) Masker(m agent.Masker) agent.Masker {
	if s.isEmpty() || m == nil {
		return m
	}
	return &masker{m, s}
}

type masker struct {
	agent.Masker
	stream *Stream
}

func (d *masker) Mask(ctx context.Context, history []agent.Message, window int) ([]agent.Message, int) {
	masked, saved := d.Masker.Mask(ctx, history, window)
	if saved > 0 {
		d.stream.Emit(HistoryMasked{history, masked, saved})
	}
	return masked, saved
}

// NextSpeaker returns n such that the stream emits [NextSpeakerChecked] for each decision.
func (s *Stream) NextSpeaker(n agent.NextSpeaker) agent.NextSpeaker {
	if s.isEmpty() || n == nil {
		return n
	}
	return &nextSpeaker{n, s}
}

type nextSpeaker struct {
	agent.NextSpeaker
	stream *Stream
}

func (d *nextSpeaker) Next(ctx context.Context, history []agent.Message) llm.Role {
	role := d.NextSpeaker.Next(ctx, history)
	d.stream.Emit(NextSpeakerChecked{role})
	return role
}
