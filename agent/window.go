package agent

// window is a model's context window with the next request in it, without its message. Sizes are
// in tokens.
type window struct {
	size int // 0 if it is unknown
	used int
}

func (q *requester) window() window { return window{q.Window(q.model), q.conv.tokens} }

func (w window) left() int { return w.size - w.used }

// isScarce reports whether so little is left that tool results would keep too little of their text.
func (w window) isScarce() bool { return w.size > 0 && w.left() < w.size/4 }

// room returns the tokens that the results of the next message may have, 0 if the size is unknown:
// half of the free part, so that the model can answer and continue.
func (w window) room() int {
	if w.size == 0 {
		return 0
	}
	return max(1, w.left()/2)
}

// windowAfter returns the window as it will be when the results of calls at the end of the history join it: after the
// compression that the history needs anyway, or that longer results cause if little is left.
func (q *requester) windowAfter() window {
	w := q.window()
	if f, ok := q.cfg.Compressor.(Forecaster); ok && w.size > 0 {
		o := CompressRequest{Model: q.model}
		if w.isScarce() {
			o.Force, o.Room = true, w.size/2
		}
		w.used = min(w.used, f.Forecast(q.describe(o)))
	}
	return w
}

// roomOfCall returns [ToolCall.Room] for each of the given number of calls. If little is left,
// the history will be compressed for the results.
func (w window) roomOfCall(calls int) int {
	all := max(w.room(), w.size/8)
	return max(min(all, 1), all/calls)
}
