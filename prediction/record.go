package prediction

// Record is how well past predictions did.
type Record struct{}
