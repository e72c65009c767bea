import { z } from 'zod'
import { type DocumentRead, readDocument } from '../documents/read.ts'
import { isTextType, readAttachments } from '../files/index.ts'
import { iso } from '../time.ts'
import { keepChange } from '../tools/file-changes.ts'
import { rememberVersion, seenVersion, versionOf } from '../tools/file-versions.ts'
import { clearTainted, markTainted, taintedAmong } from '../tools/store.ts'
import { clipped, cut } from '../tools/text.ts'
import { type FileChange, ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { rootOf, Workspace } from '../tools/workspace.ts'
import { findAttachment } from './message-store.ts'

const Input = z.object({
  action: z.enum(['list', 'read', 'write', 'append', 'edit', 'search']),
  path: z
    .string()
    .max(1_000)
    .optional()
    .describe('Below the workspace, such as notes/plan.md; a folder for list and search'),
  content: z.string().max(1_000_000).optional().describe('For write: the whole new text; for append: the lines to add'),
  find: z.string().max(100_000).optional().describe('For edit: the exact text to replace, wherever it occurs'),
  replace: z.string().max(100_000).optional().describe('For edit: the new text; empty deletes it'),
  version: z
    .string()
    .max(64)
    .optional()
    .describe('For changes: the version that read returned, if the file must still have it'),
  overwrite: z
    .boolean()
    .optional()
    .describe('For write: whatever the file contains now; only if the person asked for that'),
  query: z.string().max(1_000).optional().describe('For search: the text to find, case ignored'),
})
type Input = z.output<typeof Input>
type Action = Input['action']

const maxEntries = 500
/** Characters of a file that one call returns. */
const maxCharacters = 100_000
/** Characters of a text as JSON that reach the model with the rest of an output: see `maxSent` of turns. */
const maxShown = 99_000
const maxMatches = 100
export const attachmentScheme = 'attachment:'

type Change = 'write' | 'append' | 'edit'

const changes = (action: Action): action is Change => ['write', 'append', 'edit'].includes(action)
const phrases: Record<Action, string> = {
  list: 'List files in',
  read: 'Read',
  write: 'Write',
  append: 'Append to',
  edit: 'Edit',
  search: 'Search files in',
}

/** Part of the output for a file that was written after untrusted text. */
const Marked = z.object({ untrusted: z.literal(true) })

export const files = tool({
  name: 'files',
  description:
    'Text files in your own workspace folder, kept between conversations. Use it for notes, drafts, data and results ' +
    'that are too long for an answer. To add or change something use append and edit: they keep the rest, also what ' +
    'others write at the same time. write creates a file, or replaces one that you have read and nobody has changed ' +
    'since. read also takes attachment:NAME, a file sent by the person, and returns the text of PDF and office files.',
  input: Input,
  effect: ({ action }) => (changes(action) ? 'write' : 'read'),
  untrusted: (output) => Marked.safeParse(output).success,
  risk: ({ action }) => (changes(action) ? 'medium' : 'low'),
  summary: ({ action, path, query }) =>
    `${phrases[action]} ${clipped(path || 'the workspace', 200)}${query ? `: ${clipped(query, 80)}` : ''}`,
  async change(input, scope) {
    if (!changes(input.action)) return null
    const workspace = new Workspace(scope.context.files, await rootOf(scope), scope.signal)
    const path = need(input, 'path')
    return changeOf(input, input.action, await textOf(workspace, path))
  },
  async run(input, scope) {
    if (input.action === 'read' && input.path?.startsWith(attachmentScheme)) return readAttachment(scope, input.path)
    const root = await rootOf(scope)
    const workspace = new Workspace(scope.context.files, root, scope.signal)
    const { action } = input
    if (changes(action)) return applyChange(workspace, input, { action, scope, root })
    return markOutput(input, await reading[action](workspace, input, { scope, root }), { scope, root })
  },
})

interface Running {
  scope: ToolScope
  root: string
}

/**
 * Changes a file while nobody else does. A file that is changed in a conversation with untrusted text is marked, and
 * reading it is reading untrusted text. The mark is removed when a conversation without such text writes the whole
 * file. It is set before the change: a crash in between leaves an unnecessary mark, never a missing one.
 */
function applyChange(workspace: Workspace, input: Input, call: Running & { action: Change }) {
  const { action, scope, root } = call
  const { context, tainted } = scope
  const path = need(input, 'path')
  return workspace.change(path, async (file) => {
    const before = await textOf({ readWhole: file.read, documentKind: (at) => workspace.documentKind(at) }, path)
    const { after, replacements } = changeOf(input, action, before)
    const current = textVersion(context, before)
    const seen = await seenVersion(scope, root, path, current)
    if (before !== null) refuseStale(input, { action, path, before, current: current ?? '', seen, scope })
    else if (input.version !== undefined) throw new ToolError(`There is no file ${path} any more`)
    const mark = tainted ? [markTainted(root, path, iso(context.clock.now()))] : []
    await keepChange(scope, { root, path, before: bytesOf(before), after: bytesOf(after) }, mark)
    const size_bytes = await file.write(after)
    const version = textVersion(context, after) ?? ''
    const knows = action === 'write' || before === null || seen === 'same'
    await context.commit([
      ...(knows ? [rememberVersion(scope, root, path, version)] : []),
      ...(action === 'write' && !tainted ? [clearTainted(root, path)] : []),
    ])
    return action === 'edit' ? { path, replacements, version } : { path, size_bytes, version }
  })
}

const textVersion = (context: ToolScope['context'], text: string | null): string | null =>
  versionOf(context, bytesOf(text))

const bytesOf = (text: string | null) => (text === null ? null : new TextEncoder().encode(text))

interface Replaced {
  action: Change
  path: string
  before: string
  current: string
  seen: Awaited<ReturnType<typeof seenVersion>>
  scope: ToolScope
}

/** Refuses a change that would undo what somebody else has written since this conversation read the file. */
function refuseStale({ version, overwrite }: Input, { action, path, before, current, seen, scope }: Replaced): void {
  const changed =
    `${path} was changed by somebody else after you read it (its version is ${current} now), and nothing was written; ` +
    'use the action read again and keep what is there now'
  if (version !== undefined && version !== current) throw new ToolError(changed)
  if (action !== 'write' || overwrite) return
  if (!isShownWhole(scope, before))
    throw new ToolError(`${path} cannot be shown completely, so it is not replaced; use append or edit`)
  if (version !== undefined || seen === 'same') return
  if (seen === 'changed') throw new ToolError(changed)
  throw new ToolError(
    `${path} exists already, and this conversation has not read it; use the action read before write, or append or edit`,
  )
}

/** Whether one read shows a text completely: models get longer results cut, and secrets replaced. */
const isShownWhole = ({ context }: Pick<ToolScope, 'context'>, text: string): boolean =>
  text.length <= maxCharacters &&
  JSON.stringify(text).length <= maxShown &&
  context.process.redaction.text(text) === text

/** The text of a file; null if there is none. Throws for files that this tool does not change. */
async function textOf(file: Pick<Workspace, 'documentKind' | 'readWhole'>, path: string): Promise<string | null> {
  if (await file.documentKind(path)) throw new ToolError(`${path} is a document; this tool writes text files only`)
  return file.readWhole(path)
}

/** The text of a file before and after a change. */
function changeOf(input: Input, action: Change, before: string | null): FileChange & { replacements: number } {
  const path = need(input, 'path')
  return { path, before, replacements: 0, ...newText[action]({ ...input, path }, before) }
}

const newText: Record<Change, (input: Input, before: string | null) => { after: string; replacements?: number }> = {
  write({ content }) {
    if (content === undefined) throw new ToolError('write needs `content`: the whole new text')
    return { after: content }
  },

  append(input, before) {
    const content = need(input, 'content')
    const joint = !before || before.endsWith('\n') ? '' : '\n'
    const end = content.endsWith('\n') ? '' : '\n'
    return { after: `${before ?? ''}${joint}${content}${end}` }
  },

  edit(input, before) {
    const find = need(input, 'find')
    if (before === null) throw new ToolError(`There is no file ${input.path}; use the action list to see what there is`)
    const pieces = before.split(find)
    if (pieces.length === 1)
      throw new ToolError(`${input.path} does not contain that text; read it and copy the text exactly`)
    return { after: pieces.join(input.replace ?? ''), replacements: pieces.length - 1 }
  },
}

const reading: Record<
  Exclude<Action, Change>,
  (workspace: Workspace, input: Input, call: Running) => Promise<object>
> = {
  async list(workspace, { path }) {
    const entries = await workspace.list(folderOf(path))
    return { entries: entries.slice(0, maxEntries), ...cutMark(entries, maxEntries) }
  },

  async read(workspace, input, { scope, root }) {
    const path = need(input, 'path')
    const kind = await workspace.documentKind(path)
    if (kind) return documentOutput(path, await readDocument(scope.context, kind, await workspace.bytes(path)))
    const { text, partial } = await workspace.read(path)
    const content = cut(text, maxCharacters)
    const output = { path, content: content.text, truncated: content.truncated || partial }
    const version = partial ? null : textVersion(scope.context, text)
    if (version === null) return output
    if (isShownWhole(scope, text)) await scope.context.commit([rememberVersion(scope, root, path, version)])
    return { ...output, version }
  },

  async search(workspace, input) {
    const matches = await workspace.search(folderOf(input.path), need(input, 'query'), maxMatches)
    return { matches: matches.slice(0, maxMatches), ...cutMark(matches, maxMatches) }
  },
}

const cutMark = (items: readonly unknown[], max: number) => (items.length > max ? { truncated: true } : {})

/** Models write `.` and `/` for the workspace itself. */
function folderOf(path = ''): string {
  const folder = path.replace(/^(\.\/)+|(?<!\/)\/+$/g, '')
  return folder === '.' ? '' : folder
}

function need(input: Input, field: 'path' | 'content' | 'find' | 'query'): string {
  const value = input[field]
  if (!value) throw new ToolError(`${input.action} needs \`${field}\``)
  return field === 'path' ? value.replace(/^(\.\/)+/, '') : value
}

/** A document came from elsewhere, since agents write text only. */
function documentOutput(path: string, read: DocumentRead): object {
  if ('why' in read) throw new ToolError(`${path} cannot be read: ${read.why}`)
  return { path, content: read.text, truncated: read.truncated, untrusted: true }
}

/** The file sent in this conversation that `attachment:` names, by its name or id; also from a compacted message. */
export async function requireAttachment({ context, conversation_id }: ToolScope, path: string) {
  const id = path.slice(attachmentScheme.length)
  const attachment = await findAttachment(context, conversation_id, id)
  if (!attachment) throw new ToolError(`No file ${id} was sent in this conversation`)
  return attachment
}

async function readAttachment(scope: ToolScope, path: string): Promise<unknown> {
  const id = path.slice(attachmentScheme.length)
  const attachment = await requireAttachment(scope, path)
  const file = (await readAttachments(scope.context, [attachment])).get(attachment.file_id)
  if (!file || file.omitted !== undefined) throw new ToolError(`${id} cannot be read: ${file?.omitted}`)
  if (!isTextType(file.mime_type)) throw new ToolError(`${id} is not text but ${file.mime_type}`)
  return { path, content: new TextDecoder().decode(file.data), untrusted: true }
}

/** Marks the output if it contains text of a marked file. */
async function markOutput({ action, path = '' }: Input, output: object, { scope, root }: Running) {
  const read = action === 'read' ? [path] : pathsFound(output)
  if (read.length === 0) return output
  const marked = await taintedAmong(scope.context, root, read)
  return marked.length === 0 ? output : { ...output, untrusted: true }
}

const Found = z.object({ matches: z.array(z.object({ path: z.string() })) })
const pathsFound = (output: unknown): string[] => Found.safeParse(output).data?.matches.map(({ path }) => path) ?? []
