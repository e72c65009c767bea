import { z } from 'zod'
import { hasSeveralInputs } from '../graph.ts'
import type { NodeType } from '../node-type.ts'
import type { NodeTypeInfo } from '../schema.ts'
import { browserReplay, deviceCommand, file } from './actions.ts'
import { agent } from './agent.ts'
import { note, placeholder } from './canvas.ts'
import { classify } from './classify.ts'
import { compare } from './compare.ts'
import { convertToFile } from './convert.ts'
import { code, set } from './data.ts'
import { database } from './database.ts'
import { extractFromFile } from './extract.ts'
import { feed } from './feed.ts'
import { condition, delay, loop, parallel, stop, switchNode } from './flow.ts'
import { form, formTrigger, waitForCall } from './forms.ts'
import { http } from './http.ts'
import { jwt } from './jwt.ts'
import { aggregate, limit, removeDuplicates, rename, skipSeen, sort, splitOut, summarize } from './lists.ts'
import { llm } from './llm.ts'
import { html, markdown, xml } from './markup.ts'
import { memory } from './memory.ts'
import { merge } from './merge.ts'
import { approval, notify } from './people.ts'
import { project } from './project.ts'
import { redis } from './redis.ts'
import { respond } from './respond.ts'
import { sheet } from './sheet.ts'
import { subWorkflow } from './sub-workflow.ts'
import { table } from './table.ts'
import { browser, tool } from './tools.ts'
import { channel, manual, onEvent, schedule, webhook } from './triggers.ts'

/** Every type of node, in the order of the palette. A new one belongs into the file of its family, or one of its own, and is a line here. */
export const nodeTypes: readonly NodeType[] = [
  manual,
  schedule,
  webhook,
  formTrigger,
  onEvent,
  channel,
  agent,
  llm,
  classify,
  project,
  http,
  feed,
  code,
  set,
  rename,
  splitOut,
  aggregate,
  summarize,
  sort,
  limit,
  removeDuplicates,
  skipSeen,
  extractFromFile,
  convertToFile,
  html,
  markdown,
  xml,
  jwt,
  condition,
  switchNode,
  loop,
  parallel,
  merge,
  compare,
  delay,
  waitForCall,
  stop,
  respond,
  subWorkflow,
  approval,
  form,
  notify,
  tool,
  browser,
  browserReplay,
  memory,
  file,
  table,
  database,
  redis,
  sheet,
  deviceCommand,
  placeholder,
  note,
]

const byType = new Map(nodeTypes.map((type) => [type.type, type]))

export const findNodeType = (type: string): NodeType | undefined => byType.get(type)

/** Computed on first use, from types that never change. */
let described: NodeTypeInfo[] | undefined

/** Every type of node, for the palette and the forms of an editor. */
export function describeNodeTypes(): NodeTypeInfo[] {
  described ??= nodeTypes.map(describe)
  return described
}

function describe(type: NodeType): NodeTypeInfo {
  const { $schema: _, ...params } = z.toJSONSchema(type.params, { io: 'input' })
  const error = type.category === 'trigger' || type.outputs?.length === 0 ? [] : [{ name: 'error', label: 'Error' }]
  return {
    type: type.type,
    title: type.title,
    description: type.description,
    category: type.category,
    params,
    outputs: [...(type.outputs ?? [{ name: 'main', label: '' }]), ...error],
    outputs_from: type.outputs_from ?? null,
    risk: type.risk,
    side_effects: type.side_effects ?? false,
    usual_input: type.usual_input ?? 'list',
    several_inputs: hasSeveralInputs(type.type),
    sample: type.sample ?? null,
    available: type.unavailable === undefined,
    reason: type.unavailable ?? null,
  }
}
