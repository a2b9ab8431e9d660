package session

import (
	"encoding/json"
	"time"

	"wake/domain"
)

// manifestVersion is the schema version of manifests.
const manifestVersion = 1

// NewCheckpoint makes a checkpoint of a session at the state s. lastUserText is the
// text of the last human message; the manifest gets its beginning. The manifest has at
// most [domain.MaxManifest] bytes: the oldest goals are left out until it fits.
func NewCheckpoint(id, sessionID string, trigger domain.Trigger, label string, s *State, lastUserText string, now time.Time) domain.Checkpoint {
	c := domain.Checkpoint{
		ID: id, SessionID: sessionID, Seq: s.LastSeq, Epoch: s.Epoch, Class: trigger.Class(), Trigger: trigger,
		Label: label, CreatedAt: domain.Moment(now), Manifest: manifest(s, lastUserText), StateHash: s.Hash(),
	}
	for {
		data, err := json.Marshal(c)
		c.Size = int64(len(data))
		if err != nil || c.Size <= domain.MaxManifest-512 || len(c.Manifest.Goals) == 0 {
			return c
		}
		c.Manifest.Goals = c.Manifest.Goals[(len(c.Manifest.Goals)+9)/10:]
	}
}

func manifest(s *State, lastUserText string) domain.Manifest {
	return domain.Manifest{
		Title: brief(s.Title), Model: brief(s.Model), Provider: brief(s.Provider), Mode: brief(s.Mode), Task: s.Task,
		Turn: s.Turn, TokenCount: s.Messages.Tokens, WindowTokens: s.Window.Tokens, WindowLimit: s.Window.Limit,
		Messages: s.Messages.Count, UserMessages: s.Users.Count, Goals: s.briefGoals(), Steps: s.Steps.Count,
		Findings: s.Findings.Count, OpenOps: len(s.Open), Compactions: s.Compacted, LastUser: s.LastUser,
		LastUserText: brief(lastUserText), SchemaVersion: manifestVersion,
	}
}

// briefGoals returns the goals with the beginnings of their texts.
func (s *State) briefGoals() []domain.Goal {
	var out []domain.Goal
	for _, g := range s.Goals {
		out = append(out, domain.Goal{ID: brief(g.ID), Text: g.Brief, Status: g.Status})
	}
	return out
}
