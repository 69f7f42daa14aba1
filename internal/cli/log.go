package cli

import (
	"io"
	"log/slog"

	"pollux/internal/telemetry"
)

// openLog opens the log of what only debugging needs: on standard error with
// --debug, and in the file that GEMINI_DEBUG_LOG_FILE names. Where there is
// neither, nothing is logged.
func (h *session) openLog() {
	var to []slog.Handler
	if h.debug() {
		to = append(to, slog.NewTextHandler(h.req.Terminal.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if path := h.env.Get("GEMINI_DEBUG_LOG_FILE"); path != "" {
		file, closer, err := telemetry.DebugLog(h.paths.Absolute(path))
		if err != nil {
			h.warn("Warning: GEMINI_DEBUG_LOG_FILE cannot be written: " + err.Error())
		} else {
			h.logFile, h.logClose = slog.New(file), closer
			to = append(to, file)
		}
	}
	h.log = slog.New(slog.DiscardHandler)
	if len(to) > 0 {
		h.log = slog.New(slog.NewMultiHandler(to...))
	}
}

// warn tells the user what the run goes on in spite of.
func (h *session) warn(texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(h.req.Terminal.Err, clean(text)+"\n")
		if h.logFile != nil {
			h.logFile.Warn(text)
		}
	}
}

// close closes the log.
func (h *session) close() {
	if h.logClose != nil {
		_ = h.logClose.Close() // every line is written
	}
}
