import { execFile, spawn } from 'node:child_process'
import { desktopEnvironment } from '../../process/environment.ts'

/** A failure that the person who sent the command should read. */
export class ActionFailed extends Error {
  override name = 'ActionFailed'
}

export interface RunOptions {
  input?: string
  env?: Record<string, string>
  signal?: AbortSignal
}

const maxOutput = 200 * 1024

/** Runs a helper program without a shell and returns its output. Rejects with `ActionFailed`. */
export function runHelper(
  program: string,
  args: readonly string[],
  { input, env = {}, signal }: RunOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      {
        encoding: 'buffer',
        maxBuffer: 32 * 1024 * 1024,
        timeout: 30_000,
        env: { ...desktopEnvironment(), ...env },
        signal,
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        reject(new ActionFailed(stderr.toString('utf8').trim().slice(0, 500) || error.message.slice(0, 500)))
      },
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

/** Milliseconds after which a program that is still running counts as started: `xdg-open` may be the browser itself. */
const startTime = 10_000

/** Starts a program whose children keep running, such as one that owns the clipboard. Rejects if it exits with an error. */
export function startHelper(
  program: string,
  args: readonly string[],
  { input, signal }: Pick<RunOptions, 'input' | 'signal'> = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env: desktopEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
      signal,
    })
    const timer = setTimeout(() => {
      child.unref()
      resolve()
    }, startTime)
    child.once('error', (error) => reject(new ActionFailed(error.message)))
    child.once('exit', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve()
      else reject(new ActionFailed(`${program} failed`))
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

export interface Ran {
  exit_code: number | null
  stdout: string
  stderr: string
  truncated: boolean
}

/** Runs a program that the person at this machine allowed, without a shell. */
export function runAllowed(program: string, args: readonly string[], signal: AbortSignal): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env: desktopEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      signal,
    })
    const parts = { stdout: '', stderr: '' }
    let truncated = false
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        const space = maxOutput - parts[name].length
        parts[name] += text.slice(0, Math.max(0, space))
        truncated ||= text.length > space
      })
    child.once('error', (error) => reject(new ActionFailed(error.message)))
    child.once('close', (exit_code) => resolve({ exit_code, ...parts, truncated }))
  })
}
