import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { forPeople } from '../../log/log.ts'
import { type Command, Failure, type Options } from './command.ts'
import { logFile } from './foreground.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'logs',
  what: 'Show what the daemon has logged',
  options: [
    ['-f, --follow', 'Go on with what comes'],
    ['-n, --lines', 'How many lines', 50],
    ['--json', 'Print the lines as they are stored'],
  ],
  async run(_, options) {
    const file = logFile(environmentOf({}).data_dir)
    if (!existsSync(file)) throw new Failure(`There is no log yet at ${file}`)
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    for (const line of lines.slice(-Number(options.lines))) show(line, options)
    if (options.follow) await follow(file, options)
  },
}

const every = 250

async function follow(file: string, options: Options): Promise<never> {
  let open = openSync(file, 'r')
  let offset = fstatSync(open).size
  let rest = ''
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024)
    const bytes = readSync(open, chunk, 0, chunk.length, offset)
    offset += bytes
    const lines = (rest + chunk.toString('utf8', 0, bytes)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) show(line, options)
    if (bytes > 0) continue
    if (turnedOver(file, open)) {
      closeSync(open)
      open = openSync(file, 'r')
      offset = 0
    }
    await sleep(every)
  }
}

/** The daemon renames a full file and begins another. */
const turnedOver = (file: string, open: number) =>
  statSync(file, { throwIfNoEntry: false })?.ino !== fstatSync(open).ino && existsSync(file)

function show(line: string, options: Options): void {
  process.stdout.write(`${options.json ? line : readable(line)}\n`)
}

function readable(line: string): string {
  try {
    return forPeople(JSON.parse(line) as Parameters<typeof forPeople>[0])
  } catch {
    return line
  }
}
