import sade from 'sade'
import { defaultConfig } from '../../../runtime/config.ts'
import { type Command, Failure, type Options } from './command.ts'
import { loadCommands } from './commands.ts'
import { variablesHelp } from './variables-help.ts'

/** Errors that say all there is to say; a stack would only hide it. */
const plain = new Set([
  'Failure',
  'CannotListen',
  'FolderInUse',
  'StoreDamaged',
  'WrongEncryptionKey',
  'NewerSchema',
  'WrongVariable',
  'StoreUnavailable',
  'Fault',
])

/** Runs one command line. Exit codes: 0 done, 1 not done, 130 given up at the keyboard. */
export async function main(argv: string[]): Promise<void> {
  try {
    const program = await build()
    const called = program.parse(argv.map(plainWord), { lazy: true, unknown: refuseUnknown } as never)
    if (called) process.exitCode = Number((await called.handler(...called.args)) ?? 0)
    else if (argv[2] === 'start') process.stdout.write(variablesHelp())
  } catch (thrown) {
    process.exitCode = explain(thrown)
  }
}

async function build() {
  const program = sade('hearthd').version(defaultConfig.version)
  for (const command of await loadCommands()) add(program, command)
  return program
}

function add(program: sade.Sade, { usage, what, options = [], examples = [], run }: Command): void {
  program.command(usage, what)
  for (const [flags, explanation, fallback] of options) program.option(flags, explanation, fallback)
  for (const example of examples) program.example(example)
  program.action((...all: unknown[]) => {
    const given = all.pop() as Options
    return run(all as (string | undefined)[], given)
  })
}

function refuseUnknown(flag: string): string {
  return `Unknown option: ${flag}`
}

/** A bare `help` as people type it. */
const plainWord = (word: string, index: number) => (index === 2 && word === 'help' ? '--help' : word)

function explain(thrown: unknown): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  process.stderr.write(`hearthd: ${plain.has(error.name) ? error.message : error.stack}\n`)
  return thrown instanceof Failure ? thrown.code : 1
}
