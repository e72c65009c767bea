import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { PackageError } from '../../runtime/ports/packages.ts'
import { signalGroup } from '../process/programs.ts'

const leash = pathToFileURL(`${import.meta.dirname}/leash.ts`).href

/** Environment variables that npm gets: paths, and the access to the registry. */
const allowedVariables =
  /^(PATH|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|TMPDIR|TEMP|TMP|LANG|LC_ALL|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|cache|userconfig|cafile))$/i

/** Package scripts never run, and nothing is sent to anyone but the registry. */
export const safeFlags = ['--ignore-scripts', '--no-audit', '--no-fund'] as const
const quietFlags = ['--no-update-notifier', '--logs-max=0', '--no-progress', '--no-color', '--omit=dev']
/** A person is waiting, so an unreachable registry is reported soon. Milliseconds. */
const fetchFlags = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000']

interface NpmRun {
  /** Path of npm's script. */
  npm: string
  args: readonly string[]
  /** The folder to work in. */
  prefix: string
  signal: AbortSignal
  onLine?(line: string): void
}

/** Runs npm without a shell, in its own process group. Throws `PackageError` with npm's error lines. */
export async function runNpm({ npm, args, prefix, signal, onLine }: NpmRun): Promise<void> {
  signal.throwIfAborted()
  const flags = [...safeFlags, ...quietFlags, ...fetchFlags, '--prefix', prefix]
  const child = spawn(process.execPath, ['--import', leash, npm, ...args, ...flags], {
    cwd: prefix,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => allowedVariables.test(name))),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: true,
    windowsHide: true,
  })
  const end = () => signalGroup(child)
  signal.addEventListener('abort', end, { once: true })
  const errors: string[] = []
  const onOutput = (line: string) => {
    const text = withoutSecrets(line).trim()
    if (text === '') return
    if (/^npm (error|ERR!)/.test(text)) errors.push(text.replace(/^npm (error|ERR!) ?/, ''))
    onLine?.(text)
  }
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onOutput)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    if (code !== 0) throw new PackageError(reasonOf(errors, code))
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const unreachable = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/

/** The error lines, without log paths, hints for help and stack traces. */
export function reasonOf(errors: readonly string[], code: number | null): string {
  const all = errors.join('\n')
  const cause = unreachable.exec(all)?.[1]
  if (cause) {
    const registry = /request to (https?:\/\/[^/\s]+)/.exec(all)?.[1]
    return `the package registry${registry ? ` ${registry}` : ''} cannot be reached (${cause}); check the connection, the proxy and the registry in npm's configuration`
  }
  const relevant = errors.filter(
    (line) => line !== '' && !/^(A complete log|Log files|code |errno |syscall |\s*at )/.test(line),
  )
  const text = relevant.slice(0, 3).join(' ').slice(0, 500)
  return text || `npm ended with ${code ?? 'a signal'}`
}

/** Removes credentials from registry addresses, and tokens that npm may quote from its configuration. */
export const withoutSecrets = (line: string): string =>
  line
    .replace(/(https?:\/\/)[^/\s@]+@/gi, '$1***@')
    .replace(/(_auth(?:Token)?|_password|otp)(\s*[=:]\s*)\S+/gi, '$1$2***')
    .replace(/\bnpm_[A-Za-z0-9]{36}\b/g, 'npm_***')
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 ***')
