import type { Secrets } from '../../ports/secrets.ts'
import type { ServerTool } from '../../ports/tool-servers.ts'

/** What vendors take for the name of a tool. */
const longest = 64

/** Names that can be stored, shown on one line and told apart by eye. */
export const isPlainName = (name: string): boolean => /^[\x21-\x7e]{1,128}$/.test(name)

/**
 * `mcp__<server>__<tool>`, as agents call it. A name that had to be changed for the vendors ends with a mark of its
 * own, so that two never become one.
 */
export function agentToolName(server: string, tool: string, secrets: Pick<Secrets, 'sha256'>): string {
  const whole = `mcp__${server}__${tool}`
  const plain = whole.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (plain === whole && plain.length <= longest) return plain
  return `${plain.slice(0, longest - 9)}_${secrets.sha256(whole).slice(0, 8)}`
}

/** Stands for everything that a tool says of itself: another word anywhere is another hash. */
export const hashTool = (tool: ServerTool, secrets: Pick<Secrets, 'sha256'>): string =>
  secrets.sha256(JSON.stringify(sorted(tool)))

/** The order of members is not a change. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
  return Object.fromEntries(members.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
