import type { NewServer, ServerChanges, ToolServer } from '../../../api/tool-servers.ts'

/** What the drawer holds: lists as lines, as people paste them. */
export interface Form {
  name: string
  transport: ToolServer['transport']
  command: string
  args: string
  env: string
  url: string
  headers: string
  timeout_seconds: number
  /** Names of variables or headers to forget. */
  removed: string[]
}

export const formOf = (server: ToolServer | null): Form => ({
  name: server?.name ?? '',
  transport: server?.transport ?? 'stdio',
  command: server?.command ?? '',
  args: (server?.args ?? []).join('\n'),
  env: '',
  url: server?.url ?? '',
  headers: '',
  timeout_seconds: server?.timeout_seconds ?? 60,
  removed: [],
})

/** Takes a new server and a change alike. */
export function bodyOf({ removed, ...form }: Form): NewServer & ServerChanges {
  const { name, transport, timeout_seconds } = form
  const gone = Object.fromEntries(removed.map((one) => [one, null])) as Record<string, never>
  if (transport === 'stdio') {
    const env = { ...gone, ...pairs(form.env, '=') }
    return { name, transport, timeout_seconds, command: form.command || null, args: lines(form.args), env }
  }
  const headers = { ...gone, ...pairs(form.headers, ':') }
  return { name, transport, timeout_seconds, url: form.url || null, headers }
}

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** A line without the sign is a name without a value, and the daemon says what it thinks of that. */
const pairs = (text: string, sign: string): Record<string, string> =>
  Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf(sign)
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
