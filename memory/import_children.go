package memory

import (
	"bytes"
	"context"

	"wake/domain"
)

// nameChildren replaces the source's ids of child sessions in operations by wake's.
func (im *importing) nameChildren(ctx context.Context, parent domain.Session, open SessionOpening, events []domain.Event) error {
	for i := range events {
		e := &events[i]
		if e.Type != domain.EventOp || !bytes.Contains(e.Payload, []byte(`"child_session_id"`)) {
			continue
		}
		r, err := e.Op()
		if err != nil || r.ChildSessionID == "" {
			continue // a damaged operation is refused, with the reason, when it is appended
		}
		id, err := im.wakeID(ctx, parent, parent.ClientSessionID, open)
		if err != nil {
			return err
		}
		child := SessionOpening{ParentSessionID: id, ParentOpID: r.OpID, StartedAt: e.At, Away: open.Away}
		if r.ChildSessionID, err = im.wakeID(ctx, parent, r.ChildSessionID, child); err != nil {
			return err
		}
		if err := e.SetPayload(r); err != nil {
			return err
		}
	}
	return nil
}

// wakeID returns wake's id of a session, given the client's. A session not known yet
// is opened to wait for its events, so parents and children may come in any order.
func (im *importing) wakeID(ctx context.Context, near domain.Session, clientID string, open SessionOpening) (string, error) {
	if is := im.sessions[clientID]; is != nil && is.id != "" {
		return is.id, nil
	}
	if id := im.named[clientID]; id != "" {
		return id, nil
	}
	near.ClientSessionID = clientID
	id, err := im.s.sessionOf(ctx, im.req.By, refOf(near), open)
	if err == nil {
		im.named[clientID] = id
	}
	return id, err
}
