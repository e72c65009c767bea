import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { NewWorkflow, type Template, type Workflow } from './schema.ts'
import templates from './templates.json' with { type: 'json' }
import { addWorkflow } from './workflows.ts'

/** A template without what it leaves to the defaults: nodes by id, and arrows such as `check:true -> notify, log`. */
interface Definition extends Pick<Template, 'id' | 'name' | 'description' | 'tags'> {
  needs?: Template['needs']
  variables?: object
  input_schema?: object
  nodes: Readonly<Record<string, object>>
  arrows: readonly string[]
}

/** They run without a key unless `needs` says otherwise. */
const library = templates as unknown as readonly Definition[]

/** Pixels between nodes. */
const step = { x: 240, y: 140 }

/** Nodes in columns by their distance from the start. */
function drawn({ nodes, arrows }: Pick<Definition, 'nodes' | 'arrows'>): {
  nodes: object[]
  edges: object[]
} {
  const edges = arrows.flatMap((arrow, index) => {
    const [from = '', to = ''] = arrow.split(' -> ')
    const [source = '', ...output] = from.split(':')
    return to.split(', ').map((target, number) => ({
      id: `e${index + 1}_${number + 1}`,
      source,
      source_output: output.join(':') || 'main',
      target,
    }))
  })
  const column = new Map<string, number>()
  for (const id of Object.keys(nodes)) {
    const before = edges.filter(({ target }) => target === id).map(({ source }) => column.get(source) ?? -1)
    column.set(id, Math.max(-1, ...before) + 1)
  }
  const rows = new Map<number, number>()
  const placed = Object.entries(nodes).map(([id, node]) => {
    const x = column.get(id) ?? 0
    const y = rows.get(x) ?? 0
    rows.set(x, y + 1)
    return { id, position: { x: x * step.x, y: y * step.y }, ...node }
  })
  return { nodes: placed, edges }
}

export const listTemplates = (): Template[] =>
  library.map(({ id, name, description, tags, needs = [], nodes }) => ({
    id,
    name,
    description,
    tags,
    needs,
    nodes: Object.keys(nodes).length,
  }))

/** Creates a workflow from a template, as a draft. */
export async function useTemplate(context: Context, id: string, name?: string): Promise<Workflow> {
  const template = library.find((one) => one.id === id)
  if (!template) throw notFound(`The template ${id}`)
  const { arrows, nodes, ...fields } = template
  return addWorkflow(
    context,
    NewWorkflow.parse({ ...fields, ...drawn({ nodes, arrows }), name: name ?? template.name }),
  )
}
