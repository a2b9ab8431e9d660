package memory

import (
	"time"

	"wake/domain"
)

// SaveRequest is what a caller gives to keep. Only Content is required.
type SaveRequest struct {
	By           Caller
	Content      string
	Project      string
	Summary      string // if given, it is kept instead of one that wake makes
	Tags         []string
	Source       string // defaults to "unknown" (002-01); MCP says "mcp", the command line "cli"
	ActionType   domain.ActionType
	Rationale    string
	CausedBy     string
	Dependencies []string
	Supersedes   string
	Kind         domain.Kind
	Origin       domain.Origin  // defaults to assistant
	Metadata     map[string]any // the seed's actionType, causedBy, rationale, dependencies, sessionId in it are honoured
	Pinned       bool
	Timestamp    time.Time // when it happened; zero is now
	SessionID    string
}

// SaveAnswer tells what was kept.
type SaveAnswer struct {
	ID             string            `json:"id"`
	Project        string            `json:"project"`
	Summary        string            `json:"summary"`
	Tags           []string          `json:"tags"`
	Tier           domain.Tier       `json:"tier"`
	Timestamp      time.Time         `json:"timestamp"`
	Causality      *domain.Causality `json:"causality,omitempty"`
	Links          []domain.Link     `json:"links"`           // found by wake itself, with reasons
	NearDuplicates []domain.Hit      `json:"near_duplicates"` // what says nearly the same
	Superseded     string            `json:"superseded,omitempty"`
	Existing       bool              `json:"existing,omitempty"` // the same content was there already; nothing was saved
	SessionID      string            `json:"session_id,omitempty"`
	Seq            int64             `json:"seq,omitempty"`
	Notes          []string          `json:"notes,omitempty"`

	Origin  domain.Origin `json:"-"` // who said it and when it was saved, for whom it is quoted to
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

// Mode says which contexts a load hands back first.
type Mode string

// The modes of loading.
const (
	ModeRecent    Mode = "recent"    // newest first
	ModeLikely    Mode = "likely"    // most likely needed next first
	ModeForgotten Mode = "forgotten" // longest untouched first
)

// LoadRequest asks for contexts by id, or for a project's.
type LoadRequest struct {
	By             Caller
	IDs            []string
	Project        string
	Mode           Mode
	Filter         Filter
	Limit          int   // 1 to 100, default 10
	TokenBudget    int   // of the answer as JSON; 0 is no budget
	IncludeContent *bool // nil: with IDs yes, else no
	Cursor         string
}

// LoadAnswer is a list of contexts.
type LoadAnswer struct {
	Contexts   []domain.ContextSnapshot `json:"contexts"`
	Missing    []string                 `json:"missing,omitempty"`
	NextCursor string                   `json:"next_cursor,omitempty"`
	Notes      []string                 `json:"notes,omitempty"`
	Shortened  bool                     `json:"-"` // the only context is not whole: it had no room
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
}

// ChainRequest asks why a context came to be, or what followed from it.
type ChainRequest struct {
	By        Caller
	ID        string
	Direction domain.Direction
	MaxDepth  int // 1 to 1000, default 20
	Limit     int // contexts a direction, default 200
	AsOf      time.Time
	Format    string // text, json, mermaid or dot; "" is text
	Room      int    // tokens that the answer may take as JSON; the nearest contexts stay. 0 is no bound
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

// ChainAnswer is a chain, in words and drawn.
type ChainAnswer struct {
	ID        string        `json:"id"`
	Nodes     []ChainNode   `json:"nodes"`
	Edges     []domain.Link `json:"edges"`
	Reasoning string        `json:"reasoning"`
	Rendered  string        `json:"rendered,omitempty"` // in the asked format
	Cycles    [][]string    `json:"cycles,omitempty"`
	Lost      []string      `json:"lost_parents,omitempty"`
	Truncated bool          `json:"truncated,omitempty"`
	Notes     []string      `json:"notes,omitempty"`
	Crowded   bool          `json:"-"` // there was no room for more of it
}

// PredictRequest asks what will be needed next.
type PredictRequest struct {
	By       Caller
	Project  string
	After    string // a context id: what usually follows it
	Limit    int    // 1 to 100, default 5
	MinScore float64
	Horizon  time.Duration // 1 minute to 90 days, default 24 h
}

// Prediction is one context that may be needed next.
type Prediction struct {
	ID                  string      `json:"id"`
	Project             string      `json:"project"`
	Summary             string      `json:"summary"`
	Score               float64     `json:"score"`       // 0 to 1, for ranking
	Probability         float64     `json:"probability"` // that it is used within the horizon
	PredictedNextAccess time.Time   `json:"predicted_next_access,omitzero"`
	SpreadHours         float64     `json:"spread_hours,omitempty"`
	Reasons             []string    `json:"reasons"`
	Why                 string      `json:"why,omitempty"` // the reasons in words
	Opened              bool        `json:"opened"`        // used in this session already
	Tier                domain.Tier `json:"tier"`
	Timestamp           time.Time   `json:"timestamp"`

	Origin   domain.Origin `json:"-"` // who said it and when it was saved, for whom it is quoted to
	SavedAt  time.Time     `json:"-"`
	Expected time.Time     `json:"-"` // PredictedNextAccess, zero where it is farther ahead than [foreseeable]
}

// PredictAnswer is a ranked list with the record of earlier ones.
type PredictAnswer struct {
	Predictions []Prediction     `json:"predictions"`
	Horizon     string           `json:"horizon"`
	Formula     string           `json:"formula"`
	Record      PredictionRecord `json:"record"`
	Notes       []string         `json:"notes,omitempty"`
}

// UpdateRequest changes what may change about a context.
type UpdateRequest struct {
	ID              string
	Pinned          *bool
	AddTags         []string
	RemoveTags      []string
	CausedBy        *string // pointer to "" takes the cause away
	AddDependencies []string
	SupersededBy    *string // pointer to "" removes the supersession
}

// ForgetRequest asks to forget contexts by ids, or a project's expired ones.
type ForgetRequest struct {
	By      Caller
	IDs     []string
	Project string
	Expired bool
	DryRun  bool // only say what would go; the doors default it to true
	Undo    bool // bring back instead
	Limit   int  // expired contexts at a time, default 100
}

// ForgetItem is one context that goes, or stays for a reason.
type ForgetItem struct {
	ID        string    `json:"id"`
	Summary   string    `json:"summary"`
	Timestamp time.Time `json:"timestamp"`
	Why       string    `json:"why,omitempty"`

	Origin  domain.Origin `json:"-"` // who said it and when it was saved, for whom it is quoted to
	SavedAt time.Time     `json:"-"`
}

// ForgetAnswer tells what was forgotten, or with DryRun what would be.
type ForgetAnswer struct {
	DryRun    bool         `json:"dry_run"`
	Forgotten []ForgetItem `json:"forgotten"`
	Protected []ForgetItem `json:"protected"`
	Restored  []ForgetItem `json:"restored,omitempty"`
	Missing   []string     `json:"missing,omitempty"`
	UndoUntil time.Time    `json:"undo_until,omitzero"`
	Notes     []string     `json:"notes,omitempty"`
}

// StatsAnswer is the state of memory and what to do about it.
type StatsAnswer struct {
	domain.Stats
	Learning LearningRecord `json:"learning"` // how right predictions were
	Health   []Advice       `json:"health"`
}

// Advice is one remark on the health of the memory, with the action that helps.
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
	Patience time.Duration // after which the model begins no further summary; 0 is none
}

// RecalculateAnswer counts what changed.
type RecalculateAnswer struct {
	Project     string   `json:"project,omitempty"`
	Tiers       int      `json:"tiers"`
	Predictions int      `json:"predictions"`
	Summaries   int      `json:"summaries"`
	Queued      int      `json:"summaries_queued"` // that wait for the model still
	Notes       []string `json:"notes,omitempty"`
}

// PurgeAnswer tells what was erased and where copies remain.
type PurgeAnswer struct {
	ID      string   `json:"id"`
	Hash    string   `json:"content_hash"`
	Backups []string `json:"backups,omitempty"` // files beside the database that still hold it
	Notes   []string `json:"notes,omitempty"`
	Text    string   `json:"-"` // what it said, for whoever looks for copies
}

// PurgedEvent is what is left of an erased event, and what went with it.
type PurgedEvent struct {
	domain.Event
	Places   []EventPlace `json:"places"`             // it and its copies in forks
	Contexts []string     `json:"contexts,omitempty"` // that were distilled from it
	Backups  []string     `json:"backups,omitempty"`  // files beside the database that still hold it
	Notes    []string     `json:"notes,omitempty"`
	IDs      []string     `json:"-"` // of it and its copies
	Texts    []string     `json:"-"` // what they said, for whoever looks for copies
}

// EventPlace says where an event is.
type EventPlace struct {
	SessionID string `json:"session_id"`
	Seq       int64  `json:"seq"`
}
