// Tells the model of new errors after it changed files, by lspi (lspi setup opencode --hooks; --undo removes it).
import { spawn } from "node:child_process"

const command = COMMAND
const tools = TOOLS

// ask runs the command with an event and returns what the model is to know; "" when there is nothing, or no answer in time.
function ask(event) {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "ignore"], cwd: event.cwd })
    const timer = setTimeout(() => child.kill(), LIMIT)
    let text = ""
    child.stdout.on("data", (part) => (text += part))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(""))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(text).additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Lspi = async ({ directory }) => {
  ask({ hook_event_name: "SessionStart", session_id: "", cwd: directory, source: "startup" })
  return {
    "tool.execute.after": async (input, output) => {
      if (!tools.test(input.tool)) return
      const text = await ask({
        hook_event_name: "PostToolUse",
        session_id: input.sessionID,
        cwd: directory,
        tool_name: input.tool,
        tool_input: input.args ?? {},
      })
      if (text) output.output += "\n\n" + text
    },
  }
}
