import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { PackageError } from '../../runtime/ports/packages.ts'
import { withoutSecrets } from './redact.ts'

const leash = pathToFileURL(`${import.meta.dirname}/leash.ts`).href

/** What npm may know of our environment: where things are, and the way to the registry. */
const kept =
  /^(PATH|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|TMPDIR|TEMP|TMP|LANG|LC_ALL|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|cache|userconfig|cafile))$/i

/** Always: scripts of packages never run, and nothing is told to anybody but the registry. */
export const safeFlags = ['--ignore-scripts', '--no-audit', '--no-fund'] as const
const quietFlags = ['--no-update-notifier', '--logs-max=0', '--no-progress', '--no-color', '--omit=dev']
/** Somebody waits for the answer, so a registry that is away is told soon. Milliseconds. */
const patience = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000']

export interface NpmRun {
  /** Path of npm's script. */
  npm: string
  args: readonly string[]
  /** The folder that it works on. */
  prefix: string
  signal: AbortSignal
  onLine?(line: string): void
}

/** Runs npm to its end, without a shell, in a process group of its own. Throws `PackageError` with what it complained of. */
export async function runNpm({ npm, args, prefix, signal, onLine }: NpmRun): Promise<void> {
  signal.throwIfAborted()
  const flags = [...safeFlags, ...quietFlags, ...patience, '--prefix', prefix]
  const child = spawn(process.execPath, ['--import', leash, npm, ...args, ...flags], {
    cwd: prefix,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name))),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: true,
    windowsHide: true,
  })
  const end = () => endGroup(child)
  signal.addEventListener('abort', end, { once: true })
  const complaints: string[] = []
  const hear = (line: string) => {
    const text = withoutSecrets(line).trim()
    if (text === '') return
    if (/^npm (error|ERR!)/.test(text)) complaints.push(text.replace(/^npm (error|ERR!) ?/, ''))
    onLine?.(text)
  }
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', hear)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    if (code !== 0) throw new PackageError(reasonOf(complaints, code))
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const unreachable = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/

/** The lines that say what is wrong; npm adds where its log lies and how to ask for help, and where it threw. */
export function reasonOf(complaints: readonly string[], code: number | null): string {
  const all = complaints.join('\n')
  const cause = unreachable.exec(all)?.[1]
  if (cause) {
    const registry = /request to (https?:\/\/[^/\s]+)/.exec(all)?.[1]
    return `the package registry${registry ? ` ${registry}` : ''} cannot be reached (${cause}); look at the connection, the proxy and the registry that npm is set to`
  }
  const telling = complaints.filter(
    (line) => line !== '' && !/^(A complete log|Log files|code |errno |syscall |\s*at )/.test(line),
  )
  const said = telling.slice(0, 3).join(' ').slice(0, 500)
  return said || `npm ended with ${code ?? 'a signal'}`
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}
