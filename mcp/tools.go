package mcp

// contextTools are the tools that save, find and explain contexts.
func (s *Server) contextTools() []tool {
	return []tool{
		define(s, about{
			name: "save_context", title: "Save a context", core: true, always: true,
			text: "Keep one fact for later sessions: a decision with its rationale, a finding, a fix, a preference. Give caused_by or supersedes when it follows from or replaces an earlier one.",
		}, s.save, s.tellSave),
		define(s, about{
			name: "load_context", title: "Load contexts", core: true, readOnly: true,
			text: "Open contexts by ids (whole content), or list a project's: recent, likely needed next, or longest untouched (forgotten).",
		}, s.load, s.tellLoad),
		define(s, about{
			name: "search_context", title: "Search memory", core: true, always: true, readOnly: true,
			text: "Find contexts and messages by a plain question; it may say when, as in 'last week'. Ask before deciding or redoing something.",
		}, s.search, s.tellSearch),
		define(s, about{
			name: "causal_chain", title: "Explain why", core: true, readOnly: true,
			text: "Why a context came to be (causes) or what followed from it (effects), told step by step.",
		}, s.chain, tellChain),
		define(s, about{
			name: "predict", title: "Predict what is needed next", core: true, readOnly: true,
			text: "What will probably be needed next, with reasons. Good at the start of work.",
		}, s.predict, tellPredict),
	}
}

// upkeepTools are the tools that maintain contexts: change, forget, count,
// recalculate.
func (s *Server) upkeepTools() []tool {
	return []tool{
		define(s, about{
			name: "update_context", title: "Change a context", idempotent: true,
			text: "Pin, retag, link or mark as superseded; content never changes.",
		}, s.update, tellUpdate),
		define(s, about{
			name: "forget_context", title: "Forget contexts", destructive: true, idempotent: true,
			text: "Hide contexts by ids, a project's expired ones, or a session. Shows what would go unless dry_run is false; undo for 30 days.",
		}, s.forget, tellForget),
		define(s, about{
			name: "memory_stats", title: "State of memory", readOnly: true,
			text: "Counts by tier, causality, prediction record, bytes, and health with suggested actions.",
		}, s.stats, tellStats),
		define(s, about{
			name: "recalculate", title: "Recalculate now", idempotent: true,
			text: "Do the periodic work now, which otherwise runs by itself.",
		}, s.recalculate, tellRecalculate),
	}
}

// sessionTools are the tools that record a session and set it back.
func (s *Server) sessionTools() []tool {
	return []tool{
		define(s, about{
			name: "record", title: "Record what happens",
			text: "Append events to a session's log; client + client_session_id opens one. Answers how full the context window is.",
		}, s.record, tellRecord),
		define(s, about{
			name: "checkpoint", title: "Checkpoints of a session",
			text: "Mark a place in a session before something risky; list, diff, fork, or set the session back to one (restore; files are not touched, undo is kept).",
		}, s.checkpoint, tellCheckpoint),
		define(s, about{
			name: "handoff", title: "Hand work over",
			text: "What one mode or agent leaves to the next: last messages, skills, tools, task, findings.",
		}, s.handoff, tellHandoff),
	}
}

// recoveryTools are the tools that show the state of a session.
func (s *Server) recoveryTools() []tool {
	return []tool{
		define(s, about{
			name: "resume", title: "Resume work", core: true, readOnly: true,
			text: "The working context back after a compaction, crash or new day: last messages, goals, findings, what is open. Changes nothing.",
		}, s.resume, tellResume),
		define(s, about{
			name: "session_report", title: "Report on a session", readOnly: true,
			text: "Status, timeline, operation tree, totals or window usage of a session.",
		}, s.report, tellReport),
	}
}
