import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatLine, logFile } from '../../log/log.ts'
import { command, environmentOf, Failure } from './command.ts'

const logs = command({
  usage: 'logs',
  what: 'Show the log of the daemon',
  options: {
    follow: { short: 'f', what: 'Keep printing new lines' },
    lines: { short: 'n', value: 'count', what: 'How many lines', default: '50' },
    json: { what: 'Print the lines as they are stored' },
  },
  async run(_, { lines, follow, json = false }) {
    const file = logFile(environmentOf().data_dir)
    if (!existsSync(file)) throw new Failure(`There is no log yet at ${file}`, { name: 'not_found' })
    const stored = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    for (const line of stored.slice(-Number(lines))) printLine(line, json)
    if (follow) await followFile(file, (line) => printLine(line, json))
  },
})

function printLine(line: string, json: boolean): void {
  process.stdout.write(`${json ? line : readable(line)}\n`)
}

function readable(line: string): string {
  try {
    return formatLine(JSON.parse(line) as Parameters<typeof formatLine>[0])
  } catch {
    return line
  }
}

const pollEvery = 250

async function followFile(path: string, show: (line: string) => void): Promise<never> {
  let file = openSync(path, 'r')
  let offset = fstatSync(file).size
  let rest = ''
  const chunk = Buffer.alloc(64 * 1024)
  for (;;) {
    const bytes = readSync(file, chunk, 0, chunk.length, offset)
    offset += bytes
    const lines = (rest + chunk.toString('utf8', 0, bytes)).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(show)
    if (bytes > 0) continue
    // The daemon renames a full file and begins another.
    if (existsSync(path) && statSync(path).ino !== fstatSync(file).ino) {
      closeSync(file)
      file = openSync(path, 'r')
      offset = 0
    }
    await sleep(pollEvery)
  }
}

export const commands = [logs]
