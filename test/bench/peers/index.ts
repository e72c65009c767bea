import { errorMessage } from '../../../runtime/thrown.ts'
import type { Row } from '../table.ts'
import { hearthd } from './hearthd.ts'
import { inngest } from './inngest.ts'
import { type Figures, measure } from './measure.ts'
import { n8n } from './n8n.ts'
import { nodeRed } from './node-red.ts'
import { openClaw } from './openclaw.ts'
import type { Peer } from './peer.ts'
import { restate } from './restate.ts'

const peers: Peer[] = [hearthd, nodeRed, restate, inngest, n8n, openClaw]

const columns: [string, (figures: Figures) => number | null][] = [
  ['install, MB', ({ install_mb }) => install_mb],
  ['start, ms', ({ start_ms }) => start_ms],
  ['idle, MB', ({ idle_mb }) => idle_mb],
  ['flows/s', ({ per_second }) => per_second],
  ['p50, ms', ({ p50_ms }) => p50_ms],
  ['p99, ms', ({ p99_ms }) => p99_ms],
  ['under load, MB', ({ loaded_mb }) => loaded_mb],
  ['accepted', ({ acknowledged }) => acknowledged],
  ['lost', ({ lost }) => lost],
  ['doubled', ({ doubled }) => doubled],
]

/** One table of all peers, as Markdown; `ONLY=n8n` measures one. */
export async function run(): Promise<Row[]> {
  const selected = peers.filter(({ name }) => !process.env.ONLY || process.env.ONLY === name)
  const lines: string[] = []
  for (const peer of selected) {
    console.log(`  ${peer.name} …`)
    const name = [peer.name, peer.packages[0]?.split('@').at(-1)].filter(Boolean).join(' ')
    try {
      const figures = await measure(peer)
      lines.push(`| ${name} | ${columns.map(([, of]) => shown(of(figures))).join(' | ')} |`)
    } catch (thrown) {
      lines.push(`| ${name} | does not run here: ${reasonOf(errorMessage(thrown))} |`)
    }
  }
  console.log(`\n| | ${columns.map(([title]) => title).join(' | ')} |\n|${' --- |'.repeat(columns.length + 1)}`)
  console.log(lines.join('\n'))
  return []
}

/** The line of an error, which may be all that npm wrote, that says why. */
function reasonOf(message: string): string {
  const lines = message.trim().split('\n')
  return (lines.find((line) => /failed, reason|notarget|^Error/.test(line)) ?? lines[0] ?? '').slice(0, 200)
}

function shown(value: number | null): string {
  if (value === null) return '–'
  return value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1)
}
