package domain

// Todo is an item of the list of things to do that an assistant keeps in its client.
type Todo struct {
	Text   string
	Status TodoStatus
}

// TodoStatus is how far such an item is, in the words that clients use.
type TodoStatus string

// The statuses of an item. Whatever is neither of these is still to be done.
const (
	TodoUnderWay TodoStatus = "in_progress"
	TodoDone     TodoStatus = "completed"
)
