import { cpus, totalmem } from 'node:os'
import type { Row } from './table.ts'
import { printTable } from './table.ts'

const benchmarks: Record<string, () => Promise<{ run(folder?: string): Promise<Row[]> }>> = {
  start: () => import('./start.ts'),
  http: () => import('./http.ts'),
  sql: () => import('./sql.ts'),
  chat: () => import('./chat.ts'),
  prompts: () => import('./prompts.ts'),
  resident: () => import('./resident.ts'),
  scheduler: () => import('./scheduler.ts'),
  projects: () => import('./projects.ts'),
  workflows: () => import('./workflows.ts'),
  tables: () => import('./tables.ts'),
  growth: () => import('./growth.ts'),
  daemons: () => import('./daemons.ts'),
  homes: () => import('./homes.ts'),
  dispatcher: () => import('./dispatcher.ts'),
  memory: () => import('./memory/quality.ts'),
  embedding: () => import('./memory/embedding.ts'),
  'memory-speed': () => import('./memory/speed.ts'),
  'search-pairs': () => import('./search-pairs.ts'),
  'chat-open': () => import('./chat-open.ts'),
  peers: () => import('./peers/index.ts'),
  browser: () => import('./browser.ts'),
  'browser-stream': () => import('./browser-stream.ts'),
  'browser-endurance': () => import('./browser-endurance.ts'),
}

const words = process.argv.slice(2)
/** `memory` takes the folder of its data behind it. */
const folder = words.find((word) => word.includes('/'))
const asked = words.filter((word) => word !== folder)
const unknown = asked.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`)
  process.exit(1)
}

console.log(`Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`)
for (const [name, load] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n${name}`)
  printTable(await (await load()).run(folder))
}
