import { z } from 'zod'
import { ownerOf } from '../auth/owner.ts'
import { Fault } from '../fault.ts'
import { KeyedLock } from '../keyed-lock.ts'
import { PathRefused } from '../ports/files.ts'
import { SandboxError } from '../ports/sandbox.ts'
import { processState } from '../process-state.ts'
import { readSection } from '../sections/section.ts'
import { iso } from '../time.ts'
import { keepChange } from '../tools/file-changes.ts'
import { rememberVersion, seenVersion, versionOf } from '../tools/file-versions.ts'
import { markTainted, taintedAmong, wholeWorkspace } from '../tools/store.ts'
import { clipped, cut } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { rootOf } from '../tools/workspace.ts'
import { addContainer, requireContainer } from './containers.ts'
import { chooseEngine } from './engine.ts'
import { commandResult } from './run.ts'
import { NewContainer, sandboxConfig } from './schema.ts'
import { findAgentContainer, type StoredContainer } from './store.ts'

/** Characters of each output that the model reads. */
const maxOutput = 20_000
/** Bytes of a file that is copied. */
const maxFile = 20 * 1024 * 1024

const Paths = z.array(z.string().min(1).max(1_000)).max(50).default([])

export const shell = tool({
  name: 'shell',
  description:
    'Runs a shell command in your own isolated container: no network unless the person allows it, no access to the ' +
    'machine. Its folder /workspace is kept between commands and is not that of the tool files: `put` copies files from ' +
    'there into /workspace before the command, `take` copies files back after it, unless somebody else has changed them ' +
    'since you put or read them (`not_taken`). Use it for programs, conversions and tests. Returns stdout, stderr and the ' +
    'exit code.',
  input: z.object({
    command: z.string().trim().min(1).max(100_000).describe('For sh -c; it starts in /workspace'),
    timeout_seconds: z.int().min(1).max(3_600).default(120),
    put: Paths.describe('Paths of the tool files, copied to the same paths in /workspace'),
    take: Paths.describe('Paths in /workspace, copied to the same paths of the tool files'),
  }),
  effect: () => 'write',
  risk: () => 'medium',
  untrusted: (output) => (output as { untrusted?: boolean }).untrusted === true,
  summary: ({ command }) => `Run ${clipped(command, 200)}`,
  timeout_seconds: 3_660,
  async offered({ agent, host, unattended }) {
    if (agent.sandbox.mode === 'off' || (agent.sandbox.mode === 'unattended' && !unattended)) return false
    return 'engine' in (await chooseEngine(host, await readSection(host, sandboxConfig)))
  },
  async run({ command, timeout_seconds, put, take }, scope) {
    const { context, signal } = scope
    try {
      const container = await containerOf(scope)
      const files = await rootOf(scope)
      const tainted = await taints(scope, { container, files, put })
      for (const path of put) await copyIn(scope, { container, files, path })
      const request = { command, timeout_seconds, stdin: '', env: {} }
      const ran = await commandResult({ ...context, signal }, container, request)
      const { exit_code, error, timed_out, duration_ms } = ran
      const not_taken: { path: string; reason: string }[] = []
      for (const path of take) {
        const reason = await copyOut(scope, { container, files, path, tainted })
        if (reason !== null) not_taken.push({ path, reason })
      }
      const [stdout, stderr] = [cut(ran.stdout, maxOutput), cut(ran.stderr, maxOutput)]
      return {
        exit_code,
        stdout: stdout.text,
        stderr: stderr.text,
        duration_ms,
        ...(error !== null && { error, timed_out }),
        ...((ran.truncated || stdout.truncated || stderr.truncated) && { truncated: true }),
        ...(not_taken.length > 0 && { not_taken }),
        ...(tainted && { untrusted: true }),
      }
    } catch (thrown) {
      if (thrown instanceof Fault || thrown instanceof SandboxError) throw new ToolError(thrown.message)
      if (thrown instanceof PathRefused) throw new ToolError(`Refused: ${thrown.message}`)
      throw thrown
    }
  },
})

const opening = processState(() => new KeyedLock())

/** The container of the agent for this owner. Commands at once wait for the first of them to create it. */
const containerOf = (scope: ToolScope): Promise<StoredContainer> =>
  opening(scope.context).run(`${scope.agent.id} ${ownerOf(scope.context)}`, () => findOrCreate(scope))

async function findOrCreate({ context, agent }: ToolScope): Promise<StoredContainer> {
  const existing = await findAgentContainer(context, agent.id, ownerOf(context))
  if (existing) return existing
  const name = clipped(`Commands of ${agent.name}`, 100)
  const { id } = await addContainer(context, NewContainer.parse({ name }), agent.id)
  return requireContainer(context, id)
}

/**
 * Whether outputs and files of the container may contain untrusted text. They may for ever once they could: a later command,
 * also of another conversation, can print what an earlier one left in the workspace.
 */
async function taints(
  { context, tainted }: ToolScope,
  { container, files, put }: Omit<Copied, 'path'> & { put: readonly string[] },
): Promise<boolean> {
  if ((await taintedAmong(context, container.id, [wholeWorkspace])).length > 0) return true
  const isTainted = tainted || container.network === 'full' || (await taintedAmong(context, files, put)).length > 0
  if (isTainted) await context.commit([markTainted(container.id, wholeWorkspace, iso(context.clock.now()))])
  return isTainted
}

interface Copied {
  container: StoredContainer
  /** Root of the tool files. */
  files: string
  path: string
}

async function copyIn(scope: ToolScope, { container, files, path }: Copied): Promise<void> {
  const { context } = scope
  const bytes = await context.files.read(files, path, { max_bytes: maxFile + 1 })
  if (!bytes) throw new ToolError(`There is no file ${path} to put; use the tool files to see what there is`)
  await context.sandbox.files.write(container.id, path, whole(path, bytes))
  const version = versionOf(context, bytes)
  if (version !== null) await context.commit([rememberVersion(scope, files, path, version)])
}

/** Why a file was not copied, because that would undo what somebody else has written; else null. */
async function copyOut(
  scope: ToolScope,
  { container, files, path, tainted }: Copied & { tainted: boolean },
): Promise<string | null> {
  const { context } = scope
  const bytes = await context.sandbox.files.read(container.id, path, { max_bytes: maxFile + 1 })
  if (!bytes) throw new ToolError(`The command left no file ${path} in /workspace`)
  const version = versionOf(context, whole(path, bytes))
  return context.files.change(files, path, async (file) => {
    const old = await context.files.read(files, path, { max_bytes: maxFile + 1 })
    const before = versionOf(context, old)
    const seen = await seenVersion(scope, files, path, before)
    if (before !== null && before !== version && seen !== 'same') return staleReasons[seen]
    const mark = tainted ? [markTainted(files, path, iso(context.clock.now()))] : []
    await keepChange(scope, { root: files, path, before: old, after: bytes }, mark)
    await file.write(bytes)
    if (version !== null) await context.commit([rememberVersion(scope, files, path, version)])
    return null
  })
}

const staleReasons = {
  changed: 'It was changed by somebody else meanwhile: put it again, and repeat the command on what is there now',
  never: 'It exists already, and this conversation has not put or read it: put it first, or take another name',
}

function whole(path: string, bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength > maxFile) throw new ToolError(`${path} is larger than ${maxFile / 1024 / 1024} MB`)
  return bytes
}
