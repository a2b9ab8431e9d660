package memory

import (
	"time"

	"wake/domain"
)

// SaveRequest is a context to save. Only Content is required.
type SaveRequest struct {
	By           Caller
	Content      string
	Project      string
	Summary      string // if empty, wake makes one
	Tags         []string
	Source       string // defaults to "unknown" (002-01); MCP says "mcp", the command line "cli"
	ActionType   domain.ActionType
	Rationale    string
	CausedBy     string
	Dependencies []string
	Supersedes   string
	Kind         domain.Kind
	Origin       domain.Origin  // defaults to assistant
	Metadata     map[string]any // actionType, causedBy, rationale, dependencies and sessionId in it are read, as in the seed
	Pinned       bool
	Timestamp    time.Time // when it happened; zero is now
	SessionID    string
}

// SaveAnswer says what was saved.
type SaveAnswer struct {
	ID             string            `json:"id"`
	Project        string            `json:"project"`
	Summary        string            `json:"summary"`
	Tags           []string          `json:"tags"`
	Tier           domain.Tier       `json:"tier"`
	Timestamp      time.Time         `json:"timestamp"`
	Causality      *domain.Causality `json:"causality,omitempty"`
	Links          []domain.Link     `json:"links"`           // found by wake itself, with reasons
	NearDuplicates []domain.Hit      `json:"near_duplicates"` // contexts with nearly the same content
	Superseded     string            `json:"superseded,omitempty"`
	Existing       bool              `json:"existing,omitempty"` // the same content was stored already; nothing was saved
	SessionID      string            `json:"session_id,omitempty"`
	Seq            int64             `json:"seq,omitempty"`
	Notes          []string          `json:"notes,omitempty"`

	Origin  domain.Origin `json:"-"` // with SavedAt: for the label of a quotation
	SavedAt time.Time     `json:"-"`
}

// Filter narrows a reading request. Its fields are the filter arguments of the
// tools.
type Filter struct {
	Tiers       []domain.Tier
	ActionTypes []domain.ActionType
	Tags        []string // all of them
	Since       time.Time
	Until       time.Time
	AsOf        time.Time
}

// Mode is the order in which a load lists contexts.
type Mode string

// The modes of loading.
const (
	ModeRecent    Mode = "recent"    // newest first
	ModeLikely    Mode = "likely"    // most likely needed next first
	ModeForgotten Mode = "forgotten" // longest untouched first
)

// LoadRequest asks for contexts by their ids, or for those of a project.
type LoadRequest struct {
	By             Caller
	IDs            []string
	Project        string
	Mode           Mode
	Filter         Filter
	Limit          int   // 1 to 100, default 10
	TokenBudget    int   // of the answer as JSON; 0 is no budget
	IncludeContent *bool // nil: only with IDs
	Cursor         string
}

// LoadAnswer is a list of contexts.
type LoadAnswer struct {
	Contexts   []domain.ContextSnapshot `json:"contexts"`
	Missing    []string                 `json:"missing,omitempty"`
	NextCursor string                   `json:"next_cursor,omitempty"`
	Notes      []string                 `json:"notes,omitempty"`
	Shortened  bool                     `json:"-"` // the only context was cut to the token budget

	behind func(domain.ContextSnapshot) string // the cursor to what follows a context; nil if there is none
}

// SearchRequest is a question in plain words, with filters.
type SearchRequest struct {
	By          Caller
	Query       string
	Project     string
	In          string // all, contexts or messages; "" is all
	Filter      Filter
	Limit       int // 1 to 100, default 10
	TokenBudget int // as in a LoadRequest
	Cursor      string
	Explain     bool
}

// SearchAnswer is a ranked list of hits.
type SearchAnswer struct {
	Hits       []domain.Hit `json:"hits"`
	NextCursor string       `json:"next_cursor,omitempty"`
	Searched   int          `json:"searched,omitempty"` // candidates looked at, with Explain
	Notes      []string     `json:"notes,omitempty"`

	list   pages
	before given
}

// ChainRequest asks why a context came to be, or what followed from it.
type ChainRequest struct {
	By        Caller
	ID        string
	Direction domain.Direction
	MaxDepth  int // 1 to 1000, default 20
	Limit     int // contexts in each direction, default 200
	AsOf      time.Time
	Format    string // text, json, mermaid or dot; "" is text
	Room      int    // bound of the answer in tokens of JSON, 0 for none; the nearest contexts are kept
}

// ChainNode is one context of a chain.
type ChainNode struct {
	ID           string            `json:"id"`
	Depth        int               `json:"depth"` // negative towards causes, positive towards effects, 0 the asked one
	Project      string            `json:"project"`
	Summary      string            `json:"summary"`
	ActionType   domain.ActionType `json:"action_type,omitempty"`
	Rationale    string            `json:"rationale,omitempty"`
	Timestamp    time.Time         `json:"timestamp"`
	Tier         domain.Tier       `json:"tier"`
	SupersededBy string            `json:"superseded_by,omitempty"`
}

// ChainAnswer is a chain, told and drawn.
type ChainAnswer struct {
	ID        string        `json:"id"`
	Nodes     []ChainNode   `json:"nodes"`
	Edges     []domain.Link `json:"edges"`
	Reasoning string        `json:"reasoning"`
	Rendered  string        `json:"rendered,omitempty"` // in the requested format
	Cycles    [][]string    `json:"cycles,omitempty"`
	Lost      []string      `json:"lost_parents,omitempty"`
	Truncated bool          `json:"truncated,omitempty"`
	Notes     []string      `json:"notes,omitempty"`
	Crowded   bool          `json:"-"` // contexts were left out for lack of room
}

// PredictRequest asks what will be needed next.
type PredictRequest struct {
	By       Caller
	Project  string
	After    string // id of a context: predict what usually follows it
	Limit    int    // 1 to 100, default 5
	MinScore float64
	Horizon  time.Duration // 1 minute to 90 days, default 24 h
}

// Prediction is one context that may be needed next.
type Prediction struct {
	ID                  string      `json:"id"`
	Project             string      `json:"project"`
	Summary             string      `json:"summary"`
	Score               float64     `json:"score"`                          // 0 to 1, for ranking
	Probability         float64     `json:"probability"`                    // that it is used within the horizon
	PredictedNextAccess time.Time   `json:"predicted_next_access,omitzero"` // the median
	SpreadHours         float64     `json:"spread_hours,omitempty"`         // between the quartiles around it; 0 with the seed's formula
	Reasons             []string    `json:"reasons"`
	Why                 string      `json:"why,omitempty"` // the reasons in words
	Opened              bool        `json:"opened"`        // already used in this session or, where it is not known, since the last half hour of rest
	Tier                domain.Tier `json:"tier"`
	Timestamp           time.Time   `json:"timestamp"`

	Origin  domain.Origin `json:"-"` // with SavedAt: for the label of a quotation
	SavedAt time.Time     `json:"-"`
	EvenBy  time.Time     `json:"-"` // when Probability would be one half; zero if that is further ahead than [foreseeable]
}

// PredictAnswer is a ranked list of predictions, with how well past ones did.
type PredictAnswer struct {
	Predictions []Prediction     `json:"predictions"`
	Horizon     string           `json:"horizon"`
	Formula     string           `json:"formula"`
	Record      PredictionRecord `json:"record"`
	Notes       []string         `json:"notes,omitempty"`
}

// UpdateRequest changes what can be changed about a context. Nil and empty fields
// change nothing.
type UpdateRequest struct {
	ID              string
	Pinned          *bool
	AddTags         []string
	RemoveTags      []string
	CausedBy        *string // pointer to "" removes the cause
	AddDependencies []string
	SupersededBy    *string // pointer to "" removes the supersession
}

// ForgetRequest asks to forget contexts by ids, or a project's expired ones.
type ForgetRequest struct {
	By      Caller
	IDs     []string
	Project string
	Expired bool
	DryRun  bool // only report what would be forgotten; mcp and cmd default it to true
	Undo    bool // bring forgotten contexts back instead
	Limit   int  // expired contexts per call, default 100
}

// ForgetItem is a context that is forgotten, brought back, or kept for a reason.
type ForgetItem struct {
	ID        string    `json:"id"`
	Summary   string    `json:"summary"`
	Timestamp time.Time `json:"timestamp"`
	Why       string    `json:"why,omitempty"`

	Origin  domain.Origin `json:"-"` // with SavedAt: for the label of a quotation
	SavedAt time.Time     `json:"-"`
}

// ForgetAnswer says what was forgotten, or with DryRun what would be.
type ForgetAnswer struct {
	DryRun    bool         `json:"dry_run"`
	Forgotten []ForgetItem `json:"forgotten"`
	Protected []ForgetItem `json:"protected"`
	Restored  []ForgetItem `json:"restored,omitempty"`
	Missing   []string     `json:"missing,omitempty"`
	UndoUntil time.Time    `json:"undo_until,omitzero"`
	Notes     []string     `json:"notes,omitempty"`
}

// StatsAnswer is the state of the memory, with advice.
type StatsAnswer struct {
	domain.Stats
	Learning LearningRecord `json:"learning"` // how good past predictions were
	Health   []Advice       `json:"health"`
}

// Advice is a remark on the health of the memory, with the action that helps if there
// is one.
type Advice struct {
	Level  string `json:"level"` // ok, note or warning
	Text   string `json:"text"`
	Action string `json:"action,omitempty"`
}

// RecalculateRequest asks for periodic work to be done now.
type RecalculateRequest struct {
	Project  string
	What     string // tiers, predictions, summaries or all; "" is all
	Progress func(what string, done, total int)
	Patience time.Duration // the model starts no further summary after it; 0 is no bound
}

// RecalculateAnswer counts what changed.
type RecalculateAnswer struct {
	Project     string   `json:"project,omitempty"`
	Tiers       int      `json:"tiers"`
	Predictions int      `json:"predictions"`
	Summaries   int      `json:"summaries"`
	Queued      int      `json:"summaries_queued"` // still waiting for the model
	Notes       []string `json:"notes,omitempty"`
}

// PurgeAnswer says what was erased and where copies remain.
type PurgeAnswer struct {
	ID      string   `json:"id"`
	Hash    string   `json:"content_hash"`
	Backups []string `json:"backups,omitempty"` // files beside the database that still hold the context
	Notes   []string `json:"notes,omitempty"`
}

// EventToPurge is an event that may be purged.
type EventToPurge struct {
	EventPlace
	Line TimelineItem
	Text string // all that the message says, for those who look for copies of it
}

// PurgedEvent is what remains of an erased event, and what was erased with it.
type PurgedEvent struct {
	domain.Event
	Places   []EventPlace `json:"places"`             // of the event and its copies in forks
	Contexts []string     `json:"contexts,omitempty"` // ids of contexts that were distilled from it
	Backups  []string     `json:"backups,omitempty"`  // files beside the database that still hold the event
	Notes    []string     `json:"notes,omitempty"`
	IDs      []string     `json:"-"` // of the event and its copies

	said  string          // the text that was erased
	texts map[string]bool // all of them, with titles made of them
}

// EventPlace says where an event is.
type EventPlace struct {
	SessionID string `json:"session_id"`
	Seq       int64  `json:"seq"`
}
