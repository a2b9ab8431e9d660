package mcp

// HTTPHandlerForgetting is [HTTPHandler] with another time after which an idle session
// is dropped.
var HTTPHandlerForgetting = httpHandler

// Watched reports whether a client that may be there watches a resource.
func (s *Server) Watched() bool { return s.watched() }
