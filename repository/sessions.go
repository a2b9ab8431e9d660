package repository

// SessionReader finds sessions and what is projected from their events.
type SessionReader interface{}

// SessionWriter appends to sessions.
type SessionWriter interface{}
