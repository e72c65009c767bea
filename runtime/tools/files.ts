import { z } from 'zod'
import { clipped } from './text.ts'
import { tool } from './tool.ts'
import { actions, type FileAction } from './workspace/actions.ts'
import { namesAttachment, readAttachment } from './workspace/attachment.ts'
import { Marks } from './workspace/marks.ts'
import { Workspace } from './workspace/workspace.ts'

const Input = z.object({
  action: z.enum(['list', 'read', 'write', 'edit', 'search']),
  path: z
    .string()
    .max(1_000)
    .optional()
    .describe('Below the workspace, such as notes/plan.md; a folder for list and search'),
  content: z.string().max(1_000_000).optional().describe('For write: the whole new text'),
  find: z
    .string()
    .max(100_000)
    .optional()
    .describe('For edit: the exact text to replace, wherever it occurs'),
  replace: z.string().max(100_000).optional().describe('For edit: what to put there; empty deletes it'),
  query: z.string().max(1_000).optional().describe('For search: text to find in the files, case ignored'),
})

/** As `Marks` writes it beside what a marked file holds. */
const Marked = z.object({ untrusted: z.literal(true) })

const changes = (action: FileAction): boolean => action === 'write' || action === 'edit'
const phrases = {
  list: 'List files in',
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  search: 'Search files in',
}

export const files = tool({
  name: 'files',
  description:
    'Text files in your own workspace folder, kept between conversations. Use it for notes, drafts, data and results ' +
    'that are too long for an answer. list shows a folder, read a file, write makes or replaces one, edit replaces a ' +
    'piece of text everywhere in a file, search finds lines. read also takes attachment:NAME, a text that the person sent along.',
  input: Input,
  effect: ({ action }) => (changes(action) ? 'write' : 'read'),
  untrusted: (output) => Marked.safeParse(output).success,
  risk: ({ action }) => (changes(action) ? 'medium' : 'low'),
  summary: ({ action, path, query }) =>
    `${phrases[action]} ${clipped(path || 'the workspace', 200)}${query ? `: ${clipped(query, 80)}` : ''}`,
  async run(input, scope) {
    const { context, agent, signal, tainted } = scope
    if (input.action === 'read' && namesAttachment(input.path)) return readAttachment(scope, input.path)
    const marks = new Marks(context, agent.id, tainted)
    await marks.before(input)
    const output = await actions[input.action](new Workspace(context.files, agent.id, signal), input)
    return marks.after(input, output)
  },
})
