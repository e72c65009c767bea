import type { NodeType } from '../node-type.ts'
import { agent } from './agent.ts'
import { approval } from './approval.ts'
import { browser } from './browser.ts'
import { browserReplay } from './browser-replay.ts'
import { code } from './code.ts'
import { condition } from './condition.ts'
import { delay } from './delay.ts'
import { deviceCommand } from './device-command.ts'
import { file } from './file.ts'
import { http } from './http.ts'
import { llm } from './llm.ts'
import { loop } from './loop.ts'
import { memory } from './memory.ts'
import { merge } from './merge.ts'
import { note } from './note.ts'
import { notify } from './notify.ts'
import { parallel } from './parallel.ts'
import { placeholder } from './placeholder.ts'
import { project } from './project.ts'
import { set } from './set.ts'
import { subWorkflow } from './sub-workflow.ts'
import { switchNode } from './switch.ts'
import { tool } from './tool.ts'
import { channel, manual, onEvent, schedule, webhook } from './triggers.ts'

/** Every type of node, in the order of the palette. A new one is a file and a line here. */
const types: readonly NodeType[] = [
  manual,
  schedule,
  webhook,
  onEvent,
  channel,
  agent,
  llm,
  project,
  http,
  code,
  set,
  condition,
  switchNode,
  loop,
  parallel,
  merge,
  delay,
  subWorkflow,
  approval,
  notify,
  tool,
  browser,
  browserReplay,
  memory,
  file,
  deviceCommand,
  placeholder,
  note,
]

const byType = new Map(types.map((type) => [type.type, type]))

export const nodeTypes = (): readonly NodeType[] => types
export const findNodeType = (type: string): NodeType | undefined => byType.get(type)
