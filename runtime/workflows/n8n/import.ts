import { ownValue } from '../../own-value.ts'
import { isTimeZone } from '../../time.ts'
import { cycleWithoutLoop, Graph, hasSeveralInputs } from '../graph.ts'
import type { ImportReport, NewWorkflow, WorkflowEdge, WorkflowNode } from '../schema.ts'
import { NewWorkflow as Schema } from '../schema.ts'
import { credentialOf, noteCredential } from './credentials.ts'
import { NotExact } from './equivalent.ts'
import { connectionsByName, type File, isBroken, type Node, readFile } from './file.ts'
import { translationOf, typeName } from './nodes.ts'
import { Parts } from './parts.ts'
import type { Translated } from './translating.ts'

/** Translates a file of n8n. What has no equivalent becomes a placeholder, which fails when it is reached, and is listed in the report. */
export function importN8n(content: unknown): { workflow: NewWorkflow; report: ImportReport } {
  const read = readFile(content)
  const report: ImportReport = { nodes: read.nodes.length, placeholders: [], issues: [], credentials: [] }
  for (const { field, message, original } of read.unread)
    report.issues.push(fileIssue(field, message, plainText(original)))
  const own = withOwnNames(read, report)
  const file = { ...read, nodes: own, connections: connectionsByName(read.connections, own) }
  const ids = idsOf(file)
  const outputs = new Map<string, NonNullable<Translated['outputs']>>()
  const parts = new Parts(file)
  // What belongs to another node is part of it; what that one did not use stays a node.
  const whole = Map.groupBy(file.nodes, ({ name }) => parts.belongs(name))
  const translations = new Map<string, Translated>()
  for (const belongs of [false, true])
    for (const node of whole.get(belongs) ?? [])
      if (!parts.used.has(node.name)) translations.set(node.name, translate(node, { ids, file, report, parts }))
  const nodes = file.nodes.flatMap((node) => {
    const translated = translations.get(node.name)
    if (!translated) return []
    const { type, params, input_mode, pace, outputs: own = ['main'] } = translated
    outputs.set(node.name, own)
    return {
      id: ids.get(node.name) ?? '',
      name: node.name,
      type,
      position: { x: node.position[0] ?? 0, y: node.position[1] ?? 0 },
      params,
      disabled: node.disabled === true,
      notes: node.notes ?? '',
      ...(type.startsWith('trigger.') || type === 'note' || hasSeveralInputs(type) ? {} : notEmpty),
      ...(input_mode ? { input_mode } : {}),
      ...pace,
      ...behaviourOf(node, passing.has(type)),
    }
  })
  const drawn = withoutTriggers(nodes, edgesOf(file, { ids, outputs, report, parts }), report)
  const started = file.settings.executionOrder === 'v1' ? drawn : withStarts(nodes, drawn)
  const edges = withoutCycles(nodes, started, report)
  const workflow = Schema.parse({
    name: file.name.slice(0, 200) || 'Imported workflow',
    nodes,
    edges,
    settings: settingsOf(file, report),
    pin_data: pinned(file, ids),
    tags: ['n8n'],
  })
  return { workflow, report }
}

/** n8n runs nothing without items. */
const notEmpty = { list_input: 'not_empty' } as const

/** An issue that belongs to no single node. */
const fileIssue = (field: string, message: string, original = ''): ImportReport['issues'][number] => ({
  node_id: null,
  name: '',
  field,
  message,
  original,
})

/** As n8n does when it imports them, nodes get a number if their name is in use. */
function withOwnNames({ nodes }: Pick<File, 'nodes'>, report: ImportReport): Node[] {
  const used = new Set(nodes.map(({ name }) => name))
  const seen = new Set<string>()
  const renamed: Node[] = []
  const own = nodes.map((node) => {
    const isFirst = !seen.has(node.name)
    seen.add(node.name)
    if (isFirst) return node
    let count = 1
    while (used.has(`${node.name}${count}`)) count += 1
    const copy = { ...node, name: `${node.name}${count}` }
    used.add(copy.name)
    renamed.push(copy)
    return copy
  })
  if (renamed.length > 0)
    report.issues.push(
      fileIssue(
        'nodes',
        `had the name of another node and got one of their own: ${namesOf(renamed)}. Connections and expressions mean the first node of a name`,
      ),
    )
  return own
}

/** Ids from names, so that expressions can be read: `HTTP Request` is `http_request`. */
function idsOf({ nodes }: Pick<File, 'nodes'>): Map<string, string> {
  const ids = new Map<string, string>()
  const used = new Set<string>()
  for (const { name } of nodes) {
    const base =
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .slice(0, 50) || 'node'
    const start = /^\d/.test(base) ? `n_${base}` : base
    let id = start
    for (let count = 2; used.has(id); count += 1) id = `${start}_${count}`
    ids.set(name, id)
    used.add(id)
  }
  return ids
}

function translate(
  node: Node,
  { ids, file, report, parts }: { ids: ReadonlyMap<string, string>; file: File; report: ImportReport; parts: Parts },
): Translated {
  const node_id = ids.get(node.name) ?? ''
  const add = (field: string, message: string, original?: unknown) =>
    report.issues.push({ node_id, name: node.name, field, message, original: plainText(original) })
  const placeholder = (reason: string): Translated => {
    const effect = node.disabled ? disabledPlaceholder : activePlaceholder
    report.placeholders.push({ node_id, name: node.name, type: node.type, reason: `${reason}; ${effect}` })
    const further = furtherOutputs(node, file)
    return {
      type: 'placeholder',
      params: {
        imported_type: node.type,
        imported_parameters: plainText(node.parameters),
        ...(further > 0
          ? { outputs: Array.from({ length: further }, (_, index) => ({ name: `Output ${index + 2}` })) }
          : {}),
      },
      outputs: ['main', ...Array.from({ length: further }, (_, index) => `case:${index}`)],
    }
  }
  for (const { field, message, original } of node.unread) add(field, message, original)
  if (isBroken(node)) return placeholder('It could not be read')
  const translation = translationOf(node.type)
  if (!translation) return placeholder('There is no node like it')
  try {
    const credential = credentialOf(node)
    const used = new Set<string>()
    const translated = translation({
      parts: parts.of(node.name, used),
      parameters: node.parameters,
      name: typeName(node.type),
      version: node.typeVersion,
      has_credential: credential !== null,
      report: add,
    })
    parts.use(used)
    if (!credential || !signingIn.has(translated.type)) return translated
    noteCredential(report, node_id, credential)
    return { ...translated, params: { ...translated.params, credential: credential.name } }
  } catch (thrown) {
    // Parameters of another shape, for example a list that is a number.
    if (thrown instanceof TypeError) return placeholder('Its parameters are of an unknown shape')
    if (!(thrown instanceof NotExact)) throw thrown
    return placeholder(`It cannot be translated exactly: ${thrown.message}`)
  }
}

const activePlaceholder =
  'an execution that reaches it fails. Replace, remove or disable it before you activate the workflow'
const disabledPlaceholder = 'it is disabled, so its input is passed on unchanged'

/** Outputs of a node after its first one, by its connections. The last is that of errors, if the node has one. */
function furtherOutputs({ name, onError }: Node, { connections }: File): number {
  const connected = ownValue(ownValue(connections, name) ?? {}, 'main')?.length ?? 0
  return Math.min(100, Math.max(0, connected - 1 - Number(onError === 'continueErrorOutput')))
}

/** Types that sign in with a credential. */
const signingIn = new Set(['database', 'http', 'jwt', 'redis', 'sheet', 'trigger.webhook'])

/** Text of a value for the report; braces are apart, so that it is no expression. */
const plainText = (value: unknown): string =>
  value === undefined
    ? ''
    : (typeof value === 'string' ? value : JSON.stringify(value))
        .replaceAll('{{', '{ {')
        .replace(/^=/, ' =')
        .slice(0, 2_000)

/** Types whose nodes pass their input on after an error; others make an item of the error. */
const passing = new Set(
  'split_out aggregate limit sort summarize remove_duplicates merge compare loop delay'.split(' '),
)

function behaviourOf({ executeOnce, alwaysOutputData, continueOnFail, onError, ...node }: Node, passesOn: boolean) {
  const { retryOnFail, maxTries = 3, waitBetweenTries = 1_000 } = node
  const retry = { max_attempts: Math.min(10, Math.max(1, maxTries)), delay_seconds: waitBetweenTries / 1_000 }
  const on_error =
    onError === 'continueErrorOutput'
      ? 'error_item_output'
      : continueOnFail === true || onError === 'continueRegularOutput'
        ? passesOn
          ? 'continue'
          : 'error_item'
        : 'stop'
  return {
    ...(retryOnFail ? { retry } : {}),
    ...(executeOnce ? { first_item: true } : {}),
    ...(alwaysOutputData ? { always_output: true } : {}),
    on_error,
  }
}

const namesOf = (nodes: readonly { name: string }[]): string =>
  `${nodes
    .slice(0, 10)
    .map(({ name }) => name)
    .join(', ')}${nodes.length > 10 ? ' and others' : ''}`

interface Edges {
  ids: ReadonlyMap<string, string>
  outputs: ReadonlyMap<string, NonNullable<Translated['outputs']>>
  report: ImportReport
  parts: Parts
}

function edgesOf({ nodes, connections }: File, { ids, outputs, report, parts }: Edges): WorkflowEdge[] {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const edges: { edge: Omit<WorkflowEdge, 'id'>; input: number }[] = []
  for (const [name, byType] of Object.entries(connections)) {
    const source = ids.get(name)
    const issue = (field: string, message: string) =>
      report.issues.push({ node_id: source ?? null, name, field, message, original: '' })
    if (source === undefined) {
      issue('connections', 'begin at a node that does not exist and were left out')
      continue
    }
    for (const [type, list] of Object.entries(byType)) {
      if (parts.used.has(name)) continue
      if (type !== 'main') {
        issue(`connections.${type}`, 'is a connection of another kind and was left out')
        continue
      }
      for (const [index, targets] of list.entries())
        for (const { node, index: input } of targets ?? []) {
          const target = ids.get(node)
          if (target === undefined) {
            issue(`connections.${index}`, `leads to a node that does not exist and was left out: ${node}`)
            continue
          }
          const own = outputs.get(name) ?? ['main']
          const isError = byName.get(name)?.onError === 'continueErrorOutput' && index >= own.length
          const names = isError ? ['error'] : [own[index] ?? []].flat()
          if (names.length === 0)
            issue(`connections.${index}`, `begins at an output that gets nothing and was left out: ${node}`)
          for (const source_output of names)
            edges.push({ edge: { source, source_output, target, target_input: input }, input })
        }
    }
  }
  // A merge takes its branches in the order of its edges.
  return edges
    .toSorted((left, right) => left.input - right.input)
    .map(({ edge }, index) => ({ id: `e${index + 1}`, ...edge }))
}

/** Leaves out the edges that lead to a trigger, which has no input here. */
function withoutTriggers(
  nodes: readonly Pick<WorkflowNode, 'id' | 'name' | 'type'>[],
  edges: WorkflowEdge[],
  report: ImportReport,
): WorkflowEdge[] {
  const triggers = new Map(nodes.filter(({ type }) => type.startsWith('trigger.')).map(({ id, name }) => [id, name]))
  return edges.filter(({ source, target }) => {
    const name = triggers.get(target)
    if (name === undefined) return true
    const message = `leads to the trigger ${name} and was left out`
    const from = nodes.find(({ id }) => id === source)?.name ?? ''
    report.issues.push({ node_id: source, name: from, field: 'connections', message, original: '' })
    return false
  })
}

/** In the older order of n8n, what leads to a node with several inputs runs too, although no trigger leads to it. */
function withStarts(nodes: readonly Pick<WorkflowNode, 'id' | 'type'>[], edges: WorkflowEdge[]): WorkflowEdge[] {
  const trigger = nodes.find(({ type }) => type.startsWith('trigger.'))
  const graph = new Graph({ nodes: nodes as WorkflowNode[], edges })
  const joins = nodes.filter(({ type }) => hasSeveralInputs(type))
  const roots = nodes.filter(
    ({ id, type }) =>
      !type.startsWith('trigger.') &&
      edges.every(({ target }) => target !== id) &&
      joins.some((join) => graph.reaches(id, join.id, null)),
  )
  const starts = trigger ? roots.map(({ id }) => ({ source: trigger.id, target: id })) : []
  return [
    ...edges,
    ...starts.map((ends, index) => ({
      id: `s${index + 1}`,
      source_output: 'main',
      target_input: 0,
      ...ends,
    })),
  ]
}

/** Leaves out the edges that close cycles without a loop node, as old files that ask for page after page have. */
function withoutCycles(
  nodes: readonly Pick<WorkflowNode, 'id' | 'name' | 'type'>[],
  edges: WorkflowEdge[],
  report: ImportReport,
): WorkflowEdge[] {
  const cycle = cycleWithoutLoop({ nodes: nodes as WorkflowNode[], edges })
  if (!cycle) return edges
  const [source, target] = [cycle.at(-1), cycle[0]]
  const nameOf = (id: string | undefined) => nodes.find((node) => node.id === id)?.name ?? ''
  report.issues.push({
    ...{ node_id: source ?? null, name: nameOf(source), field: 'connections', original: '' },
    message: `leads back to ${nameOf(target)}, which only a loop node can do, and was left out`,
  })
  const rest = edges.filter((edge) => edge.source !== source || edge.target !== target)
  return withoutCycles(nodes, rest, report)
}

function settingsOf({ settings }: File, report: ImportReport) {
  const { timezone, executionTimeout, errorWorkflow } = settings
  if (errorWorkflow !== undefined && errorWorkflow !== null && errorWorkflow !== '')
    report.issues.push(
      fileIssue('settings.errorWorkflow', 'names a workflow of n8n; choose the imported one', plainText(errorWorkflow)),
    )
  const seconds = Number(executionTimeout ?? 0)
  const zone = typeof timezone === 'string' && timezone !== 'DEFAULT' ? timezone : null
  const isKnown = zone !== null && isTimeZone(zone)
  if (zone !== null && !isKnown)
    report.issues.push(fileIssue('settings.timezone', 'is not a time zone', plainText(zone)))
  return {
    ...(isKnown ? { timezone: zone } : {}),
    ...(seconds > 0 ? { timeout_seconds: Math.min(31_536_000, Math.ceil(seconds)) } : {}),
  }
}

function pinned({ pinData }: Pick<File, 'pinData'>, ids: ReadonlyMap<string, string>): Record<string, unknown> {
  const entries = Object.entries(pinData).flatMap(([name, items]) => {
    const id = ids.get(name)
    const values = items.map((item) => (item as { json?: unknown } | null)?.json ?? item)
    return id === undefined ? [] : [[id, values.length === 1 ? values[0] : values] as const]
  })
  return Object.fromEntries(entries)
}
