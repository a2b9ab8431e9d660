package mcp

// HTTPHandlerForgetting is [HTTPHandler] with another time after which a silent session
// is forgotten.
var HTTPHandlerForgetting = httpHandler
