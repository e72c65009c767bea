import { z } from 'zod'
import { workingAgent } from '../../agents/agents.ts'
import { iso } from '../../time.ts'
import { markTainted } from '../../tools/store.ts'
import { rootOf, Workspace } from '../../tools/workspace.ts'
import { isSameJson } from '../../values.ts'
import { NodeError, nodeType } from '../node-type.ts'

export const file = nodeType({
  type: 'file',
  title: 'File',
  description:
    "Reads, writes, appends to, lists or searches text files in an agent's workspace. The output depends on the action: {text}, {path, size_bytes}, {files} or {matches}.",
  category: 'action',
  params: z.object({
    action: z.enum(['read', 'write', 'append', 'list', 'search']).default('read'),
    path: z
      .string()
      .max(1_000)
      .default('')
      .meta({ description: 'Below the workspace, such as notes/plan.md' }),
    content: z
      .unknown()
      .optional()
      .meta({ description: 'Text as it is; everything else as JSON', 'x-format': 'multiline' }),
    query: z.string().max(1_000).default('').meta({ description: 'For search' }),
    agent_id: z
      .string()
      .max(64)
      .default('')
      .meta({ description: 'Whose workspace; empty for the default agent', 'x-format': 'agent' }),
  }),
  risk: 'medium',
  side_effects: true,
  effect: ({ action }) => action === 'append',
  async run({ action, path, content, query, agent_id }, { context, node }) {
    const agent = await workingAgent(context, agent_id || null)
    const root = await rootOf({ context, agent, project_id: null })
    const workspace = new Workspace(context.files, root, context.signal)
    if (action === 'list') return { output: { files: await workspace.list(path) } }
    if (action === 'search') return { output: { matches: await workspace.search(path, query, 200) } }
    if (path === '') throw new NodeError('invalid_params', 'path is required', { permanent: true })
    if (action === 'read') {
      const { text, partial } = await workspace.read(path)
      return { output: { path, text, partial } }
    }
    const text = typeof content === 'string' ? content : (JSON.stringify(content, null, 2) ?? '')
    // An agent that reads it later reads what an expression put there.
    const isDrawn = isSameJson(content, node.params.content)
    return workspace.change(path, async (file) => {
      if (!isDrawn) await context.commit([markTainted(root, path, iso(context.clock.now()))])
      const before = action === 'append' ? ((await file.read()) ?? '') : ''
      return { output: { path, size_bytes: await file.write(before + text) } }
    })
  },
})
