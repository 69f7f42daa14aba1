package tool

import "context"

// Conversation is the conversation with a model in which a call is made.
type Conversation struct {
	ID string
	// IsContinued reports that the conversation has messages of an earlier process.
	IsContinued bool
}

type conversationKey struct{}

// WithConversation returns a context for the calls of a conversation.
func WithConversation(ctx context.Context, c Conversation) context.Context {
	return context.WithValue(ctx, conversationKey{}, c)
}

// ConversationOf returns the conversation of the call for which ctx was made, false for a call that no
// model made.
func ConversationOf(ctx context.Context) (Conversation, bool) {
	c, ok := ctx.Value(conversationKey{}).(Conversation)
	return c, ok
}
