import { type Environment, readEnvironment } from '../environment.ts'

/** An option of a command; one without `value` is a flag. */
export interface Option {
  what: string
  /** Placeholder of the value in the help. */
  value?: string
  /** One letter. */
  short?: string
  default?: string
  /** May be given several times. */
  multiple?: boolean
}

export type Options = Readonly<Record<string, Option>>

/** Values as they were typed. */
export type Values<Known extends Options = Options> = {
  [Name in keyof Known]?: (Known[Name] extends { value: string } ? string : boolean) | undefined
}

export interface Command<Known extends Options = Options> {
  /** The words of the command, then its arguments: `backup [file]`, `job run <job>`. */
  usage: string
  what: string
  options: Known
  /** Options whose names are not fixed. */
  optionNamed?(name: string): Option | undefined
  examples?: readonly string[]
  /** Printed below the options. */
  notes?: string
  /** If it returns, or resolves with, a number, that is the exit code. */
  run(args: readonly string[], options: Values<Known>): unknown
}

/** A command whose options are not known yet. */
export interface Entry {
  words: readonly string[]
  /** Read when it is shown, since it takes the schema of the endpoint. */
  readonly usage: string
  what: string
  load(): Command | Promise<Command>
}

export interface Found {
  entry: Entry | undefined
  /** The words after those of the command. */
  rest: readonly string[]
  /** All commands with the same first word. */
  related: readonly Entry[]
}

/** Infers the types of the options from their definition. */
export const command = <const Known extends Options>(definition: Command<Known>): Command => definition

export const jsonOption = { json: { what: 'Print JSON' } } as const
export const addressOptions = {
  port: { value: 'port', what: 'Port to listen on (default 18781, or SERVICE_PORT)' },
  host: { value: 'address', what: 'Address to listen on (default all addresses, or SERVICE_HOST)' },
} as const

/** The words of a command without its arguments. */
export const wordsOf = (usage: string): string[] => usage.split(' ').filter((word) => /^\w/.test(word))

/** An error that is explained in one line. `name` is the `error` of the JSON output. */
export class Failure extends Error {
  override name = 'failed'
  readonly exit_code: number

  constructor(message: string, { name = 'failed', exit_code = 1 } = {}) {
    super(message)
    this.name = name
    this.exit_code = exit_code
  }
}

/** Control characters except tabs and line ends, and marks that reorder text: a model could hide what it asks for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text that changes nothing in a terminal but what it shows. */
export const plain = (text: string): string => text.replace(controls, '')

/** Prints the value as JSON with `--json`, else the text. */
export function print({ json }: { json?: boolean | undefined }, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : plain(text)}\n`)
}

/** The environment, overridden by `--host` and `--port`; an empty `--host` is every address. */
export function environmentOf({ host, port }: { host?: string | undefined; port?: string | undefined } = {}) {
  const values: Record<string, string> = {}
  if (host !== undefined) values.SERVICE_HOST = host
  if (port !== undefined) values.SERVICE_PORT = port
  return readEnvironment({ ...process.env, ...values }) satisfies Environment
}
