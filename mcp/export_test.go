package mcp

// HTTPHandlerForgetting is [HTTPHandler] with another time after which an idle session
// is dropped.
var HTTPHandlerForgetting = httpHandler
