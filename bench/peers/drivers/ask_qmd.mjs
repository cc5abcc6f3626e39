// qmd: Markdown files in one collection, asked by `searchLex`, which its README calls "BM25 keyword search (fast, no LLM)".
// A file is a turn or a session, as the option `layout` has it; a hit is told by its file name.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [jobFile, answersFile] = process.argv.slice(2)
const job = JSON.parse(readFileSync(jobFile, "utf8"))
const { createStore } = await import(
  pathToFileURL(join(job.options.package, "node_modules/@tobilu/qmd/dist/index.js")).href
)

function files() {
  const found = new Map()
  for (const turn of job.turns) {
    const key = job.options.layout === "session" ? turn.session : turn.id
    const file = found.get(key) ?? { title: `${turn.day} ${turn.time}`, lines: [], turns: [] }
    file.lines.push(turn.text)
    file.turns.push(turn.id)
    found.set(key, file)
  }
  return [...found.values()]
}

const notes = join(job.folder, "notes")
mkdirSync(notes)
const turnsOf = new Map()
files().forEach((file, number) => {
  const name = `note-${number}.md`
  turnsOf.set(name, file.turns)
  writeFileSync(join(notes, name), `# ${file.title}\n\n${file.lines.join("\n\n")}\n`)
})

async function measured(call) {
  const [wall, cpu] = [performance.now(), process.cpuUsage()]
  const value = await call()
  const spent = process.cpuUsage(cpu)
  return { value, wall: performance.now() - wall, cpu: (spent.user + spent.system) / 1e3 }
}

function turns(hit) {
  const found = turnsOf.get(hit.displayPath.split("/").pop())
  if (!found) throw new Error(`no such file was given: ${hit.displayPath}`)
  return found
}

const collections = { notes: { path: notes, pattern: "**/*.md" } }
const store = await createStore({ dbPath: join(job.folder, "index.sqlite"), config: { collections } })
const index = await measured(() => store.update())
const answers = { hits: [], wall: [], cpu: [] }
for (const { question } of job.questions) {
  const asked = await measured(() => store.searchLex(question, { limit: job.k }))
  answers.hits.push(asked.value.map(turns))
  answers.wall.push(asked.wall)
  answers.cpu.push(asked.cpu)
}
await store.close()
const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024
answers.index = { wall: index.wall / 1e3, cpu: index.cpu / 1e3, peak }
writeFileSync(answersFile, JSON.stringify(answers))
