package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
)

// LatestTodos gathers the assistant's list of things to do from a log that is read
// backwards. Most clients' tools set the whole list. Claude Code's newer ones change one
// item at a time.
type LatestTodos struct {
	Seq int64 // of the event that changed the list last, 0 if there is none

	whole    []domain.Todo // what a tool set
	complete bool          // it is the whole list; what is older does not count
	items    map[int]*domain.Todo
	failed   []string // ids of calls that changed nothing and are still to come
}

// Called takes in a call of a tool in event seq.
func (l *LatestTodos) Called(seq int64, call domain.ToolCall) {
	if at := slices.Index(l.failed, call.ID); at >= 0 {
		l.failed = slices.Delete(l.failed, at, at+1) // an older call may have the same id
		return
	}
	if l.complete {
		return
	}
	switch name := strings.ReplaceAll(strings.ToLower(call.Name), "_", ""); name {
	case "todowrite", "writetodos", "updateplan":
		l.set(seq, call)
	case "taskupdate":
		l.update(seq, call)
	}
}

// set takes in a call that sets the whole list.
func (l *LatestTodos) set(seq int64, call domain.ToolCall) {
	var args struct{ Todos, Plan []todoItem }
	if json.Unmarshal(call.Arguments, &args) != nil {
		return
	}
	for _, item := range append(args.Todos, args.Plan...) {
		if text := strings.TrimSpace(item.Content + item.Description + item.Step); text != "" {
			l.whole = append(l.whole, domain.Todo{Text: text, Status: item.Status})
		}
	}
	l.complete = true
	l.Seq = max(l.Seq, seq)
}

// todoItem is an item of such a list: Claude Code's and opencode's have a content, Gemini
// CLI's a description, Codex's are steps.
type todoItem struct {
	Content, Description, Step string
	Status                     domain.TodoStatus
}

// update takes in a call of Claude Code's TaskUpdate.
func (l *LatestTodos) update(seq int64, call domain.ToolCall) {
	var args struct {
		TaskID  json.RawMessage // a text, or a number
		Status  domain.TodoStatus
		Subject string
	}
	if json.Unmarshal(call.Arguments, &args) != nil {
		return
	}
	item := l.item(strings.Trim(string(args.TaskID), `"`))
	if item == nil {
		return
	}
	if item.Status == "" {
		item.Status = args.Status
	}
	if item.Text == "" {
		item.Text = args.Subject
	}
	l.Seq = max(l.Seq, seq)
}

// Answered takes in the answer of a tool in event seq: TaskCreate's names the item that it
// made. What a call wanted that failed does not count.
func (l *LatestTodos) Answered(seq int64, m domain.Message) {
	if m.Error != "" {
		l.failed = append(l.failed, m.ToolCallID)
		return
	}
	if l.complete || m.ToolName != "TaskCreate" {
		return
	}
	var told struct{ Task struct{ ID, Subject string } } // to a hook
	number, text := "", ""
	if json.Unmarshal([]byte(m.Content), &told) == nil {
		number, text = told.Task.ID, told.Task.Subject
	} else if rest, ok := strings.CutPrefix(m.Content, "Task #"); ok {
		number, text, _ = strings.Cut(rest, " created successfully: ")
	}
	if item := l.item(number); item != nil {
		if item.Text == "" {
			item.Text = strings.TrimSpace(text)
		}
		l.Seq = max(l.Seq, seq)
	}
}

// item returns the item with a number, nil if that is none.
func (l *LatestTodos) item(number string) *domain.Todo {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	if l.items == nil {
		l.items = map[int]*domain.Todo{}
	}
	if l.items[n] == nil {
		l.items[n] = &domain.Todo{}
	}
	return l.items[n]
}

// List returns the list, without items that were deleted or whose text was not seen.
func (l *LatestTodos) List() []domain.Todo {
	list := slices.Clone(l.whole)
	for _, n := range slices.Sorted(maps.Keys(l.items)) {
		if item := l.items[n]; item.Text != "" && item.Status != "deleted" {
			list = append(list, *item)
		}
	}
	return list
}
