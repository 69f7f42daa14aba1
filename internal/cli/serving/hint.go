package serving

import (
	"log/slog"

	"pollux/internal/config"
	"pollux/internal/sandbox/private"
)

// warnOfAgent warns a user who starts the agent.
func warnOfAgent(log *slog.Logger, env *config.Env, hasToken bool) {
	if env.Get("GCS_BUCKET_NAME") != "" {
		log.Warn("GCS_BUCKET_NAME has no effect: Pollux keeps tasks in memory, and their sessions on the disk of this machine.")
	}
	if !hasToken {
		who := "All programs and users of this machine can use the agent"
		if !private.Holds {
			who += ", commands in the sandbox too"
		}
		log.Warn(who + ". To restrict it, set " + TokenVariable + ".")
	}
}
