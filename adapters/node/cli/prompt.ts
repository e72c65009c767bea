import { createInterface } from 'node:readline/promises'
import { Failure, plain } from './command.ts'

/** Lines of a standard input that is not a terminal. */
let piped: AsyncIterator<string> | undefined

export async function ask(question: string, fallback: string): Promise<string> {
  if (!process.stdin.isTTY) return fallback
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [${fallback}]: `)
  terminal.close()
  return answer.trim() || fallback
}

/** Null at the end of the input. */
export async function question(prompt: string): Promise<string | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)))
  try {
    return await Promise.race([terminal.question(prompt), closed])
  } finally {
    terminal.close()
  }
}

/** Asks at a terminal; without one, the command was meant as it is. */
export async function confirmed(what: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return
  if (/^y(es)?$/i.test((await question(`${plain(what)}\nContinue? [y/n] `))?.trim() ?? '')) return
  throw new Failure('Cancelled', { name: 'cancelled', exit_code: 130 })
}

/** Reads a line without echoing it; from a pipe, the first line. */
export async function askHidden(question: string): Promise<string> {
  if (!process.stdin.isTTY) return firstLine(question)
  process.stderr.write(`${question}: `)
  process.stdin.setRawMode(true)
  try {
    return await readRaw()
  } finally {
    process.stdin.setRawMode(false)
    process.stderr.write('\n')
  }
}

const controlC = '\u0003'
const erase = /[\b\u007f]/

async function readRaw(): Promise<string> {
  let typed = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    for (const character of String(chunk)) {
      if (character === controlC) throw new Failure('Cancelled', { name: 'cancelled', exit_code: 130 })
      if (character === '\r' || character === '\n') {
        process.stdin.pause()
        return typed
      }
      typed = erase.test(character) ? typed.slice(0, -1) : typed + character
    }
  }
  return typed
}

async function firstLine(question: string): Promise<string> {
  piped ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  const { value, done } = await piped.next()
  if (done || !value) throw new Failure(`${question}: type it, or pass it as the first line of the standard input`)
  return value
}
