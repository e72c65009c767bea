import { z } from 'zod'
import { findAttachment } from '../chat/message-store.ts'
import { readAttachments } from '../files/attachments.ts'
import { type DocumentRead, readDocument } from '../files/documents/read.ts'
import { isTextType } from '../files/sniff.ts'
import { iso } from '../time.ts'
import { clearTainted, markTainted, taintedAmong } from './store.ts'
import { clipped, cut } from './text.ts'
import { type FileChange, ToolError, type ToolScope, tool } from './tool.ts'
import { rootOf, Workspace } from './workspace.ts'

const Input = z.object({
  action: z.enum(['list', 'read', 'write', 'append', 'edit', 'search']),
  path: z
    .string()
    .max(1_000)
    .optional()
    .describe('Below the workspace, such as notes/plan.md; a folder for list and search'),
  content: z
    .string()
    .max(1_000_000)
    .optional()
    .describe('For write: the whole new text; for append: the lines to add'),
  find: z
    .string()
    .max(100_000)
    .optional()
    .describe('For edit: the exact text to replace, wherever it occurs'),
  replace: z.string().max(100_000).optional().describe('For edit: the new text; empty deletes it'),
  query: z.string().max(1_000).optional().describe('For search: text to find in the files, case ignored'),
})
type Input = z.output<typeof Input>
type Action = Input['action']

const maxEntries = 500
/** Characters of a file that one call returns. */
const maxCharacters = 100_000
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
    'that are too long for an answer. list shows a folder, read a file, write creates or replaces one, append adds ' +
    'lines at the end, edit replaces a piece of text everywhere in a file, search finds lines. To add or change ' +
    'something use append and edit: they keep the rest. read also takes attachment:NAME, a file ' +
    'sent by the person, and returns the text of PDF and office files.',
  input: Input,
  effect: ({ action }) => (changes(action) ? 'write' : 'read'),
  untrusted: (output) => Marked.safeParse(output).success,
  risk: ({ action }) => (changes(action) ? 'medium' : 'low'),
  summary: ({ action, path, query }) =>
    `${phrases[action]} ${clipped(path || 'the workspace', 200)}${query ? `: ${clipped(query, 80)}` : ''}`,
  async change(input, scope) {
    const workspace = new Workspace(scope.context.files, await rootOf(scope), scope.signal)
    return changes(input.action) ? changeOf(workspace, input, input.action) : null
  },
  async run(input, scope) {
    const { context, signal } = scope
    if (input.action === 'read' && input.path?.startsWith(attachmentScheme))
      return readAttachment(scope, input.path)
    const workspace = new Workspace(context.files, await rootOf(scope), signal)
    const { action } = input
    if (!changes(action)) return markAfter(input, await reading[action](workspace, input, context), scope)
    await markBefore(input, scope)
    const { path, after, replacements } = await changeOf(workspace, input, action)
    const size_bytes = await workspace.write(path, after)
    return markAfter(input, action === 'edit' ? { path, replacements } : { path, size_bytes }, scope)
  },
})

/**
 * The text of a file before and after a change. Only files that `read` can show completely are replaced: an agent must
 * not replace a file that it could not have read.
 */
async function changeOf(
  workspace: Workspace,
  input: Input,
  action: Change,
): Promise<FileChange & { replacements: number }> {
  const path = need(input, 'path')
  if (await workspace.documentKind(path))
    throw new ToolError(`${path} is a document; this tool writes text files only`)
  const before = await workspace.readWhole(path)
  return { path, before, replacements: 0, ...newText[action]({ ...input, path }, before) }
}

const newText: Record<
  Change,
  (input: Input, before: string | null) => { after: string; replacements?: number }
> = {
  write({ path, content }, before) {
    if (content === undefined) throw new ToolError('write needs `content`: the whole new text')
    if (before !== null && before.length > maxCharacters)
      throw new ToolError(`${path} is longer than one read shows, so it is not replaced; use append or edit`)
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
    if (before === null)
      throw new ToolError(`There is no file ${input.path}; use the action list to see what there is`)
    const pieces = before.split(find)
    if (pieces.length === 1)
      throw new ToolError(`${input.path} does not contain that text; read it and copy the text exactly`)
    return { after: pieces.join(input.replace ?? ''), replacements: pieces.length - 1 }
  },
}

const reading: Record<
  Exclude<Action, Change>,
  (workspace: Workspace, input: Input, context: ToolScope['context']) => Promise<object>
> = {
  async list(workspace, { path }) {
    const entries = await workspace.list(folderOf(path))
    return { entries: entries.slice(0, maxEntries), ...cutMark(entries, maxEntries) }
  },

  async read(workspace, input, context) {
    const path = need(input, 'path')
    const kind = await workspace.documentKind(path)
    if (kind) return documentOutput(path, await readDocument(context, kind, await workspace.bytes(path)))
    const { text, partial } = await workspace.read(path)
    const content = cut(text, maxCharacters)
    return { path, content: content.text, truncated: content.truncated || partial }
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
  const wanted = path.slice(attachmentScheme.length)
  const attachment = await findAttachment(context, conversation_id, wanted)
  if (!attachment) throw new ToolError(`No file ${wanted} was sent in this conversation`)
  return attachment
}

/** The text of a file that a person sent. */
async function readAttachment(scope: ToolScope, path: string): Promise<unknown> {
  const wanted = path.slice(attachmentScheme.length)
  const attachment = await requireAttachment(scope, path)
  const file = (await readAttachments(scope.context, [attachment])).get(attachment.file_id)
  if (!file || file.omitted !== undefined) throw new ToolError(`${wanted} cannot be read: ${file?.omitted}`)
  if (!isTextType(file.mime_type)) throw new ToolError(`${wanted} is not text but ${file.mime_type}`)
  return { path, content: new TextDecoder().decode(file.data), untrusted: true }
}

/**
 * A file that is changed in a conversation with untrusted text is marked, and reading it is reading untrusted
 * text. The mark is removed when a conversation without such text writes the whole file. It is set before the
 * change: a crash in between leaves an unnecessary mark, never a missing one.
 */
async function markBefore({ action, path }: Input, scope: ToolScope): Promise<void> {
  const { context, tainted } = scope
  if (!tainted || !path || !changes(action)) return
  await context.commit([markTainted(await rootOf(scope), plainPath(path), iso(context.clock.now()))])
}

async function markAfter({ action, path = '' }: Input, output: object, scope: ToolScope): Promise<unknown> {
  const { context, tainted } = scope
  if (action === 'write' && !tainted)
    await context.commit([clearTainted(await rootOf(scope), plainPath(path))])
  const read = action === 'read' ? [path] : pathsFound(output)
  if (read.length === 0) return output
  const marked = await taintedAmong(context, await rootOf(scope), read.map(plainPath))
  return marked.length === 0 ? output : { ...output, untrusted: true }
}

const Found = z.object({ matches: z.array(z.object({ path: z.string() })) })
const pathsFound = (output: unknown): string[] =>
  Found.safeParse(output).data?.matches.map(({ path }) => path) ?? []

/** A path can be written in many ways. */
const plainPath = (path: string): string =>
  path
    .normalize('NFC')
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.')
    .join('/')
