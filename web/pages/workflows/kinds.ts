import {
  IconArrowBackUp,
  IconArrowsJoin,
  IconArrowsSplit2,
  IconBell,
  IconBolt,
  IconBrain,
  IconCalendarTime,
  IconChecklist,
  IconClock,
  IconCode,
  IconDeviceDesktop,
  IconFile,
  IconForms,
  IconHandClick,
  IconHandStop,
  IconHierarchy2,
  IconMessageCircle,
  IconPencil,
  IconPlayerPlay,
  IconPuzzle,
  IconRepeat,
  IconRobot,
  IconSitemap,
  IconSparkles,
  IconSwitch3,
  IconTool,
  IconWebhook,
  IconWorldDownload,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { NodeTypeInfo, WorkflowNode } from '../../../runtime/workflows/schema.ts'

type Icon = ComponentType<{ size?: number | string; stroke?: number | string }>

/** The categories of node types, in the order of the palette. */
export const categories: Readonly<Record<NodeTypeInfo['category'], string>> = {
  trigger: 'Triggers',
  ai: 'Agents and models',
  flow: 'Flow',
  data: 'Data',
  action: 'Actions',
  people: 'People',
  other: 'Other',
}

const icons: Readonly<Record<string, Icon>> = {
  'trigger.manual': IconHandClick,
  'trigger.schedule': IconCalendarTime,
  'trigger.webhook': IconWebhook,
  'trigger.form': IconForms,
  'trigger.event': IconBolt,
  'trigger.channel': IconMessageCircle,
  agent: IconRobot,
  llm: IconSparkles,
  classify: IconSwitch3,
  tool: IconTool,
  memory: IconBrain,
  project: IconChecklist,
  condition: IconArrowsSplit2,
  switch: IconSwitch3,
  loop: IconRepeat,
  parallel: IconSitemap,
  merge: IconArrowsJoin,
  delay: IconClock,
  respond: IconArrowBackUp,
  approval: IconHandStop,
  form: IconForms,
  wait_for_call: IconWebhook,
  sub_workflow: IconHierarchy2,
  set: IconPencil,
  code: IconCode,
  file: IconFile,
  http: IconWorldDownload,
  browser: IconWorldWww,
  browser_replay: IconPlayerPlay,
  notify: IconBell,
  device_command: IconDeviceDesktop,
}

/** Types that this page does not know have the icon of a puzzle piece. */
export const iconOf = (type: string): Icon => icons[type] ?? IconPuzzle

/** The types by name. */
export type Kinds = ReadonlyMap<string, NodeTypeInfo>

/** The outputs of a node. Cases depend on its parameters; `error` exists only if errors continue there. */
export function outputsOf({ type, params, on_error }: WorkflowNode, kinds: Kinds): Output[] {
  const kind = kinds.get(type)
  const fixed = kind?.outputs ?? [{ name: 'main', label: '' }]
  const items = kind?.outputs_from ? params[kind.outputs_from] : []
  const cases = Array.isArray(items) ? items : []
  return [
    ...cases.map((item, index) => ({ name: `case:${index}`, label: caseLabel(item, index) })),
    ...fixed.filter(({ name }) => name !== 'error' || on_error?.endsWith('_output')),
  ]
}

export type Output = NodeTypeInfo['outputs'][number]

function caseLabel(item: unknown, index: number): string {
  const name = (item as { name?: unknown } | null)?.name
  return typeof name === 'string' && name !== '' ? name : `Case ${index + 1}`
}
