package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"wake/domain"
)

// add adds one item to the digest.
func (d *Digest) add(tokens int64, parts ...string) {
	h := sha256.New()
	h.Write([]byte(d.Chain))
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	d.Count++
	d.Tokens += tokens
	d.Chain = hex.EncodeToString(h.Sum(nil)[:16])
}

// hashed is what the hash of a state covers: what a restore sets back, but no places
// in the log, so that a fork has the hash of its origin.
type hashed struct {
	Messages  Digest
	Users     Digest
	Goals     []goalHash
	Reasoning Digest
	Findings  Digest
	Steps     Digest
	UnderWay  []string
	Waiting   []string
	Mode      string
	Task      string
	Skills    []string
	Tools     []string
}

type goalHash struct {
	ID     string
	Status domain.GoalStatus
	Hash   string
}

// Hash is the state hash: sha256, in hex, of what a restore sets back. Epoch, last
// sequence number and costs are left out (I2).
func (s *State) Hash() string {
	v := hashed{
		Messages: s.Messages, Users: s.Users, Reasoning: s.Reasoning, Findings: s.Findings, Steps: s.Steps,
		Mode: s.Mode, Task: s.Task, Skills: s.Skills, Tools: s.Tools,
	}
	for _, g := range s.Goals {
		v.Goals = append(v.Goals, goalHash{g.ID, g.Status, g.Hash})
	}
	for _, step := range s.UnderWay {
		v.UnderWay = append(v.UnderWay, step.ID+"="+string(step.Status))
	}
	for _, sig := range s.Waiting {
		v.Waiting = append(v.Waiting, sig.Name)
	}
	data, err := json.Marshal(v)
	if err != nil { // cannot happen with strings and numbers
		return ""
	}
	return domain.HashBytes(data)
}
