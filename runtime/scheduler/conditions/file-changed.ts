import type { Context } from '../../context.ts'
import { type FileEntry, PathRefused } from '../../ports/files.ts'
import { toBase64 } from '../../secrets/base64.ts'
import { findMark, setMark } from '../mark-store.ts'
import type { Condition, Question } from './condition.ts'

/** Bytes up to which the content decides; of a larger file its size and its time do. */
const mostHashed = 8 * 1024 * 1024

/**
 * `expression` is a path in the workspace of the job's agent. It holds when the file is other than at the last run that
 * went ahead: written anew with the same content is no change, deleted is one. The first run goes ahead if it exists.
 */
export const fileChanged: Condition = {
  async problem(expression) {
    const path = expression.trim()
    const leaves = path.startsWith('/') || path.includes('\\') || path.split('/').includes('..')
    return leaves ? 'must be a path below the workspace of the agent, such as notes/plan.md' : null
  },
  async check(context, question) {
    const path = question.expression.trim().replace(/^(\.\/)+/, '')
    const before = await findMark(context, question.job.id, 'file')
    const state = `${path}\n${await stateOf(context, question, path)}`
    if (state === before) return { met: false, reason: `${path} has not changed since the last run` }
    if (state.endsWith(missing) && !before?.startsWith(`${path}\n`))
      return { met: false, reason: `${path} does not exist` }
    return { met: true, statements: [setMark(question.job.id, 'file', state)] }
  },
}

const missing = '\nmissing'

async function stateOf(context: Context, { job }: Question, path: string): Promise<string> {
  const root = `workspaces/${job.agent_id}`
  const entry = await allowed(path, () => context.files.stat(root, path))
  if (!entry) return 'missing'
  if (entry.kind === 'folder') return stamp(await context.files.list(root, path))
  const bytes = entry.size_bytes <= mostHashed ? await context.files.read(root, path) : null
  return bytes ? `sha256 ${context.secrets.sha256(toBase64(bytes))}` : stamp([entry])
}

/** Of a folder the names, sizes and times of what lies directly in it. */
const stamp = (entries: FileEntry[]) =>
  entries
    .map(({ path, size_bytes, modified_at }) => `${path} ${size_bytes} ${modified_at}`)
    .sort()
    .join('|')

async function allowed<Result>(path: string, look: () => Promise<Result>): Promise<Result> {
  try {
    return await look()
  } catch (thrown) {
    if (thrown instanceof PathRefused) throw new Error(`${path} is refused: ${thrown.message}`)
    throw thrown
  }
}
