// Written by wake setup opencode.
//
// The plugin tells wake what is said and done in opencode, and opencode's models what wake
// remembers. If wake is gone or slow, opencode goes on without it.
import { spawn } from "node:child_process"

const [program, ...args] = ["wake", "hook", "opencode"]
const patience = 5000 // milliseconds

// hook reports one moment and returns what the model should be told.
const hook = (moment) =>
  new Promise((done) => {
    let text = ""
    const wake = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], timeout: patience, windowsHide: true })
    wake.on("error", () => done("")).on("close", () => done(text.trim()))
    wake.stdout.setEncoding("utf8").on("data", (more) => (text += more))
    wake.stdin.on("error", () => {}).end(JSON.stringify(moment))
  }).catch(() => "")

// quiet keeps what goes wrong from opencode.
const quiet = (fn) => async (...given) => {
  try {
    await fn(...given)
  } catch {}
}

// words are what a message says, or has a sub-agent asked, without hidden parts.
const words = (parts) =>
  parts
    .filter((part) => part.type === "subtask" || (part.type === "text" && !part.synthetic))
    .map((part) => part.prompt ?? part.text)
    .join("\n")

// files are the pictures and files of a message. Large ones are only named: no client should
// wait for them.
const files = (parts) =>
  parts
    .filter((part) => part.type === "file")
    .slice(0, 10)
    .map(({ mime, filename, url }) => ({ mime, filename, url: url?.length < 1e6 ? url : undefined }))

const paragraphs = (...texts) => texts.filter(Boolean).join("\n\n")

export const Wake = async ({ directory }) => {
  const parents = new Map() // the parent sessions of sub-agents' sessions
  const titles = new Map() // the names of sub-agents' sessions
  const commands = new Map() // what was typed, by what opencode made of it
  const replies = new Map() // messages of models that are being written
  const compactions = new Map() // what is known of the latest of each session
  const compacted = new Set() // sessions whose model has not been told again since
  const owed = new Map() // what a session's model is to be told and no message has yet
  const going = new Map() // what it is told after a compaction as long as it goes on by itself
  const tasks = new Set() // what models asked sub-agents to do
  const removed = new Map() // messages that were undone in a session and wake has not been told of
  const fresh = new Set() // sessions that began and in which nobody spoke: a fork gets copies of messages then
  const talked = new Set() // sessions in which somebody spoke
  let queue = Promise.resolve()

  const owe = (id, text) => text && owed.set(id, paragraphs(owed.get(id), text))

  // tell reports a moment when those before it have been, and waits for that, in reason.
  const tell = (name, id, more, answered = owe) => {
    queue = queue.then(async () => {
      const removed_messages = removed.get(id)
      removed.delete(id)
      answered(id, await hook({ hook_event_name: name, session_id: id, parent_session_id: parents.get(id), session_title: titles.get(id), cwd: directory, removed_messages, ...more }))
    })
    return Promise.race([queue, new Promise((done) => setTimeout(done, patience).unref())])
  }

  // source says of a prompt whether a model wrote it.
  const source = (prompt) => (tasks.has(prompt) ? "task" : undefined)

  const updated = {
    text: ({ sessionID, messageID, text, time, synthetic }) => {
      const reply = replies.get(messageID)
      if (!reply && text && !synthetic && fresh.has(sessionID)) {
        // What the model was told with the original is copied, too.
        tell("UserPromptSubmit", sessionID, { prompt: commands.get(text) ?? text, message_id: messageID, source: source(text) }, () => {})
      }
      if (!reply || !time?.end || !text) return
      if (!reply.summary) return tell("Stop", sessionID, { last_assistant_message: text, model: reply.modelID })
      compactions.set(sessionID, { ...compactions.get(sessionID), compact_summary: text })
      if (fresh.has(sessionID)) tell("PostCompact", sessionID, compactions.get(sessionID))
    },
    tool: ({ sessionID, id, tool, state }) => {
      const call = { tool_use_id: id, tool_name: tool, tool_input: state.input }
      const exit = state.metadata?.exit // of a command
      const failed = (error) => tell("PostToolUseFailure", sessionID, { ...call, error })
      if (state.status === "error") failed(state.error)
      if (state.status !== "completed" || state.time.compacted) return
      if (exit) failed(`exit code ${exit}\n${state.output}`)
      else tell("PostToolUse", sessionID, { ...call, tool_response: state.output })
    },
    compaction: ({ sessionID, auto }) => {
      const known = { trigger: auto ? "auto" : "manual" }
      compactions.set(sessionID, known)
      if (!fresh.has(sessionID)) tell("PreCompact", sessionID, known)
    },
  }

  const subagent = ({ id, parentID, title }) => parentID && parents.set(id, parentID) && titles.set(id, title)

  const events = {
    "session.created": ({ info }) => {
      if (!subagent(info)) {
        fresh.add(info.id)
        tell("SessionStart", info.id, { source: "startup" })
      }
    },
    "session.updated": ({ info }) => subagent(info),
    // A sub-agent that has answered is done. If it is asked again, its session goes on.
    "session.idle": ({ sessionID }) => parents.has(sessionID) && tell("SessionEnd", sessionID, { reason: "idle" }),
    "session.compacted": ({ sessionID }) => {
      tell("PostCompact", sessionID, compactions.get(sessionID))
      compacted.add(sessionID)
    },
    "session.deleted": ({ info }) => talked.delete(info.id) && tell("SessionEnd", info.id, { reason: "deleted" }),
    "message.updated": ({ info }) => {
      const written = info.role === "assistant" && (!info.time.completed || fresh.has(info.sessionID))
      written ? replies.set(info.id, info) : replies.delete(info.id)
    },
    // What is undone is removed with the next message; until then it can be brought back.
    "message.removed": ({ sessionID, messageID }) => {
      removed.set(sessionID, [...(removed.get(sessionID) ?? []), messageID])
      going.delete(sessionID) // the compaction may be undone, too; if not, the next message takes the text along
    },
    "message.part.updated": ({ part }) => updated[part.type]?.(part),
  }

  return {
    event: quiet(({ event }) => events[event.type]?.(event.properties)),

    // A command of the user's own becomes a prompt that they did not type.
    "command.execute.before": quiet(async ({ command, arguments: more }, { parts }) => {
      const made = words(parts)
      if (made) commands.set(made, `/${command} ${more}`.trim())
    }),

    "tool.execute.before": quiet(async ({ tool }, { args }) => tool === "task" && tasks.add(args.prompt)),

    // A message takes along what the model is to be told. A sub-agent is asked by a model, and
    // a person may speak to it.
    "chat.message": quiet(async ({ sessionID }, { message, parts }) => {
      const said = words(parts)
      const prompt = commands.get(said) ?? said
      const shown = files(parts)
      if (!prompt && !shown.length) return
      const asked = parents.has(sessionID) ? source(said) : undefined
      fresh.delete(sessionID)
      if (!asked) {
        talked.add(sessionID)
        compacted.delete(sessionID)
      }
      await tell("UserPromptSubmit", sessionID, { prompt, files: shown, message_id: message.id, model: message.model?.modelID, source: asked })
      const text = owed.get(sessionID) ?? going.get(sessionID)
      if (!text || parts.every((part) => part.type === "subtask")) return
      parts.push({ id: "prt_wake_" + message.id, sessionID, messageID: message.id, type: "text", synthetic: true, text })
      owed.delete(sessionID)
      going.delete(sessionID)
    }),

    // A model that goes on by itself after a compaction gets no message. There may be one system
    // prompt only: some models' templates refuse a second.
    "experimental.chat.system.transform": quiet(async ({ sessionID }, { system }) => {
      if (compacted.delete(sessionID)) await tell("SessionStart", sessionID, { source: "compact" }, (id, text) => going.set(id, text))
      const text = paragraphs(going.get(sessionID), owed.get(sessionID))
      if (text) system.push(paragraphs(system.pop(), text))
    }),

    dispose: quiet(() => Promise.all([...talked].map((id) => tell("SessionEnd", id, { reason: "exit" })))),
  }
}
