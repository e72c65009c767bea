import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { daemonTimeZone } from '../../../runtime/auth/profile.ts'
import { formatLine, logFile } from '../../log/log.ts'
import type { Environment } from '../environment.ts'
import { command, environmentOf, Failure } from './command.ts'
import { withLocalHost } from './local.ts'

const logs = command({
  usage: 'logs',
  what: 'Show the log of the daemon',
  options: {
    follow: { short: 'f', what: 'Keep printing new lines' },
    lines: { short: 'n', value: 'count', what: 'How many lines', default: '50' },
    json: { what: 'Print the lines as they are stored' },
  },
  async run(_, { lines, follow, json = false }) {
    const environment = environmentOf()
    const file = logFile(environment.data_dir)
    if (!existsSync(file)) throw new Failure(`There is no log yet at ${file}`, { name: 'not_found' })
    const stored = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    const format = json ? (line: string) => line : lineFormat(await profileZone(environment))
    const print = (line: string) => process.stdout.write(`${format(line)}\n`)
    stored.slice(-Number(lines)).forEach(print)
    if (follow) await followFile(file, print)
  },
})

/** The time zone of the profile. The log must be readable when the store is not: then it is the operator's. */
const profileZone = (environment: Environment): Promise<string> =>
  withLocalHost(environment, daemonTimeZone).catch(() => environment.timezone)

function lineFormat(timezone: string): (line: string) => string {
  const colours = process.stdout.isTTY && process.stdout.hasColors()
  return (line) => {
    try {
      return formatLine(JSON.parse(line) as Parameters<typeof formatLine>[0], { colours, timezone })
    } catch {
      return line
    }
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
