/** Values of the options as they were typed; a flag is `true`. */
export type Options = Record<string, string | number | boolean | string[] | undefined>

export interface Command {
  /** As sade reads it, for example `backup [file]`. */
  usage: string
  what: string
  options?: readonly [flags: string, what: string, fallback?: string | number][]
  examples?: readonly string[]
  /** Arguments by position, then the options. Returns the exit code; default 0. */
  run(args: (string | undefined)[], options: Options): Promise<number | undefined> | number | undefined
}

/** Ends a command with one line for the person who typed it. */
export class Failure extends Error {
  override name = 'Failure'
  readonly code: number

  constructor(message: string, code = 1) {
    super(message)
    this.code = code
  }
}

/** Prints an object as JSON with `--json`, else the text. */
export function print(options: Options, json: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(json) : text}\n`)
}

/** The text of an option; a number that was typed counts as text, a missing value as a mistake. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name]
  if (value === undefined) return undefined
  if (typeof value === 'boolean' || Array.isArray(value)) throw new Failure(`--${name} needs one value`)
  return String(value)
}
