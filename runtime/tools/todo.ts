import { z } from 'zod'
import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { deleteTodo, finishTodo, insertTodo, listTodos } from './store.ts'
import { clipped } from './text.ts'
import { ToolError, tool } from './tool.ts'

const Input = z.object({
  action: z.enum(['list', 'add', 'done', 'remove']),
  text: z.string().trim().max(1_000).optional().describe('For add: what to do'),
  id: z.string().max(64).optional().describe('For done and remove: the item, as list names it'),
})
type Input = z.infer<typeof Input>

const maxItems = 200

const phrases = {
  list: 'Read the to-do list',
  add: 'Add to the to-do list',
  done: 'Tick off',
  remove: 'Remove from the to-do list',
}

export const todo = tool({
  name: 'todo',
  description:
    'The to-do list of this conversation. Use it to keep track of work of three steps or more: add the steps first, ' +
    'mark each done when it is. Every action returns the whole list.',
  input: Input,
  effect: ({ action }) => (action === 'list' ? 'read' : 'own'),
  summary: ({ action, text, id }) => [phrases[action], clipped(text ?? id ?? '', 120)].filter(Boolean).join(': '),
  async run(input, { context, conversation_id }) {
    const change = await changeOf(input, context, conversation_id)
    if (change) await context.commit([change])
    return { items: await listTodos(context, conversation_id) }
  },
})

async function changeOf(
  { action, text, id }: Input,
  context: Context,
  conversation_id: string,
): Promise<Statement | null> {
  if (action === 'list') return null
  const items = await listTodos(context, conversation_id)
  if (action === 'add') {
    if (!text) throw new ToolError('add needs `text`: what is to be done')
    if (items.length >= maxItems) throw new ToolError(`The list is full with ${maxItems} items; remove some first`)
    const now = context.clock.now()
    return insertTodo(conversation_id, { id: newId('todo', now), text, done: false }, iso(now))
  }
  if (!id) throw new ToolError(`${action} needs the \`id\` of an item; use the action list to see them`)
  if (!items.some((item) => item.id === id))
    throw new ToolError(`No item has the id ${id}; use the action list to see them`)
  return action === 'done' ? finishTodo(conversation_id, id) : deleteTodo(conversation_id, id)
}
