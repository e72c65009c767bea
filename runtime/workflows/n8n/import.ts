import { ownValue } from '../../own-value.ts'
import { isTimeZone } from '../../time.ts'
import { cycleWithoutLoop } from '../graph.ts'
import type { ImportReport, NewWorkflow, WorkflowEdge, WorkflowNode } from '../schema.ts'
import { NewWorkflow as Schema } from '../schema.ts'
import { type File, isBroken, type Node, readFile } from './file.ts'
import { translationOf, typeName } from './nodes.ts'
import { type Named, type NodeIds, NotExact, severalItems } from './script.ts'
import { asExpression, translateJson, translateText, untranslated } from './texts.ts'
import type { Translated } from './translating.ts'

/** Translates a file of n8n. What has no equivalent becomes a placeholder, which fails when it is reached, and is listed in the report. */
export function importN8n(given: unknown): { workflow: NewWorkflow; report: ImportReport } {
  const read = readFile(given)
  const report: ImportReport = { nodes: read.nodes.length, placeholders: [], issues: [] }
  for (const { field, message, original } of read.unread)
    report.issues.push(fileIssue(field, message, shown(original)))
  const file = { ...read, nodes: withOwnNames(read, report) }
  const ids = idsOf(file)
  const named = namedOf(file, ids)
  const outputs = new Map<string, NonNullable<Translated['outputs']>>()
  const nodes = file.nodes.map((node) => {
    const { type, params, outputs: own = ['main'] } = translate(node, { ids: named, file, report })
    outputs.set(node.name, own)
    return {
      id: ids.get(node.name) ?? '',
      name: node.name,
      type,
      position: { x: node.position[0] ?? 0, y: node.position[1] ?? 0 },
      params,
      disabled: node.disabled === true,
      notes: node.notes ?? '',
      ...listInputOf({ type, params }),
      ...behaviourOf(node),
    }
  })
  const drawn = withoutTriggers(nodes, edgesOf(file, { ids, outputs, report }), report)
  const edges = withoutCycles(nodes, drawn, report)
  reportLists(file, { edges, ids, report })
  reportTexts(nodes, report)
  reportSeveral(nodes, report)
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

/** Types whose nodes return one item here. */
const single = new Set(
  'manualTrigger start executeWorkflowTrigger errorTrigger webhook scheduleTrigger cron interval set if filter switch emailSend'.split(
    ' ',
  ),
)

/** What expressions may name. Only in a file with a loop can a node with one item come after one with several. */
function namedOf({ nodes }: File, ids: ReadonlyMap<string, string>): NodeIds {
  const loops = nodes.filter(({ type }) => typeName(type) === 'splitInBatches')
  const itemsOf = (node: Node): Named['items'] => {
    if (loops.includes(node)) return loops.length === 1 && batchSizeOf(node) === 1 ? 'loop' : 'loops'
    return loops.length > 0 && !single.has(typeName(node.type)) ? 'several' : undefined
  }
  return new Map(nodes.map((node) => [node.name, { id: ids.get(node.name) ?? '', items: itemsOf(node) }]))
}

const batchSizeOf = ({ parameters, typeVersion }: Node) =>
  Number(parameters.batchSize ?? (typeVersion >= 3 ? 1 : 10))

function translate(
  node: Node,
  { ids, file, report }: { ids: NodeIds; file: File; report: ImportReport },
): Translated {
  const node_id = ids.get(node.name)?.id ?? ''
  const add = (field: string, message: string, original?: unknown) =>
    report.issues.push({ node_id, name: node.name, field, message, original: shown(original) })
  const value = (field: string, given: unknown): unknown => {
    if (Array.isArray(given)) return given.map((one, index) => value(`${field}.${index}`, one))
    if (typeof given === 'object' && given !== null)
      return Object.fromEntries(
        Object.entries(given).map(([name, one]) => [name, value(`${field}.${name}`, one)]),
      )
    if (typeof given !== 'string') return given
    try {
      return translateText(given, ids)
    } catch (thrown) {
      if (!(thrown instanceof NotExact)) throw thrown
      refuse(field, thrown.message, given)
      return untranslated(given)
    }
  }
  const refuse = (field: string, message: string, original: unknown) =>
    add(
      field,
      `has an expression that cannot be translated exactly, so the node fails when it runs: ${message}`,
      original,
    )
  const json = (field: string, given: unknown): unknown => {
    if (typeof given !== 'string') return value(field, given)
    return translateJson(given, ids, (path, message, original) =>
      refuse(path === '' ? field : `${field}.${path}`, message, original),
    )
  }
  const placeholder = (reason: string): Translated => {
    const effect = node.disabled ? disabledPlaceholder : activePlaceholder
    report.placeholders.push({ node_id, name: node.name, type: node.type, reason: `${reason}; ${effect}` })
    const further = furtherOutputs(node, file)
    return {
      type: 'placeholder',
      params: {
        imported_type: node.type,
        imported_parameters: shown(node.parameters),
        ...(further > 0
          ? { outputs: Array.from({ length: further }, (_, index) => ({ name: `Output ${index + 2}` })) }
          : {}),
      },
      outputs: ['main', ...Array.from({ length: further }, (_, index) => `case:${index}`)],
    }
  }
  for (const { field, message, original } of node.unread) add(field, message, original)
  reportBehaviour(node, add)
  if (isBroken(node)) return placeholder('It could not be read')
  const translation = translationOf(node.type)
  if (!translation) return placeholder('There is no node like it')
  try {
    const expression = (given: unknown) => asExpression(given, ids)
    return translation({
      parameters: node.parameters,
      name: typeName(node.type),
      version: node.typeVersion,
      always_output: node.alwaysOutputData,
      named: ids,
      value,
      json,
      expression,
      report: add,
    })
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

/** Text of a value for the report; braces are apart, so that it is no expression. */
const shown = (value: unknown): string =>
  value === undefined
    ? ''
    : (typeof value === 'string' ? value : JSON.stringify(value))
        .replaceAll('{{', '{ {')
        .replace(/^=/, ' =')
        .slice(0, 2_000)

function behaviourOf({ retryOnFail, maxTries = 3, waitBetweenTries = 1_000, continueOnFail, onError }: Node) {
  const retry = { max_attempts: Math.min(10, Math.max(1, maxTries)), delay_seconds: waitBetweenTries / 1_000 }
  const on_error =
    onError === 'continueErrorOutput'
      ? 'error_output'
      : continueOnFail === true || onError === 'continueRegularOutput'
        ? 'continue'
        : 'stop'
  return { ...(retryOnFail ? { retry } : {}), on_error }
}

function reportBehaviour(
  { executeOnce, ...node }: Node,
  add: (field: string, message: string, original?: unknown) => void,
): void {
  if (executeOnce) add('executeOnce', 'is not supported: it gets the whole list, not only the first item')
  if (behaviourOf(node).on_error === 'continue')
    add(
      'onError',
      'passes its input on after an error; there, most nodes return an item with the field error',
    )
}

/** Types whose nodes return one item for each that they get. */
const oneToOne = new Set(
  'manualTrigger start executeWorkflowTrigger errorTrigger webhook scheduleTrigger cron interval set if filter switch splitInBatches functionItem wait noOp stickyNote emailSend merge stopAndError'.split(
    ' ',
  ),
)

/** n8n runs a node once for each item; this is reported where several may arrive. */
function reportLists(
  { nodes }: File,
  { edges, ids, report }: Omit<Edges, 'outputs'> & { edges: readonly WorkflowEdge[] },
): void {
  const typeOf = new Map(nodes.map(({ name, type }) => [ids.get(name), typeName(type)]))
  const passesOn = (id: string | undefined) =>
    edges.some(({ source, target }) => source === id && typeOf.get(target) !== 'splitInBatches')
  const several = nodes.filter(
    ({ name, type, disabled }) => !disabled && !oneToOne.has(typeName(type)) && passesOn(ids.get(name)),
  )
  if (several.length === 0) return
  report.issues.push(
    fileIssue(
      'nodes',
      `may pass on a list: ${namesOf(several)}. In n8n, the next nodes run once for each item, and not at all without items; here they fail if the list has several items, unless a loop node comes first, and code gets the whole list`,
    ),
  )
}

const namesOf = (nodes: readonly { name: string }[]): string =>
  `${nodes
    .slice(0, 10)
    .map(({ name }) => name)
    .join(', ')}${nodes.length > 10 ? ' and others' : ''}`

/** Types whose nodes n8n runs once for each item. */
const perItem = new Set(['condition', 'switch', 'set', 'http', 'notify'])

/** n8n runs nothing without items, and most nodes once for each. */
function listInputOf({ type, params }: Translated): Pick<WorkflowNode, 'list_input'> {
  if (type === 'code') return { list_input: 'not_empty' }
  // Without values it passes a list on.
  const isEmpty = type === 'set' && Object.keys(params.values as object).length === 0
  return perItem.has(type) && !isEmpty ? { list_input: 'one_item' } : {}
}

/** Types whose parameters are shown or run as they are. */
const asTheyAre = new Set(['placeholder', 'note', 'code'])

/** A text with an expression in it, or an expression that joins texts. */
function joins(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(joins)
  if (typeof value !== 'string') return false
  return value.startsWith('=') ? value.includes(' & ') : /\{\{ (?!"(?:\{\{|=)" \}\})/.test(value)
}

/** Lists and missing values are other texts in n8n; an exact translation of every text could not be read. */
function reportTexts(nodes: readonly Pick<WorkflowNode, 'name' | 'type' | 'params'>[], report: ImportReport) {
  const found = nodes.filter(({ type, params }) => !asTheyAre.has(type) && joins(params))
  if (found.length === 0) return
  report.issues.push(
    fileIssue(
      'texts',
      `have values in texts: ${namesOf(found)}. In n8n, the members of a list are joined with commas, and + adds undefined for a missing value; here a list or an object is JSON, and a missing value is empty`,
    ),
  )
}

/** n8n finds the item that belongs to the current one also through a loop. */
function reportSeveral(
  nodes: readonly Pick<WorkflowNode, 'name' | 'type' | 'params'>[],
  report: ImportReport,
) {
  const found = nodes.filter(
    ({ type, params }) => !asTheyAre.has(type) && JSON.stringify(params).includes(severalItems),
  )
  if (found.length === 0) return
  report.issues.push(
    fileIssue(
      'expressions',
      `take an item from another node: ${namesOf(found)}. n8n finds the one that belongs to the current item; here they fail if that node has several`,
    ),
  )
}

interface Edges {
  ids: ReadonlyMap<string, string>
  outputs: ReadonlyMap<string, NonNullable<Translated['outputs']>>
  report: ImportReport
}

function edgesOf({ nodes, connections }: File, { ids, outputs, report }: Edges): WorkflowEdge[] {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const found: { edge: Omit<WorkflowEdge, 'id'>; input: number }[] = []
  for (const [name, byType] of Object.entries(connections)) {
    const source = ids.get(name)
    const issue = (field: string, message: string) =>
      report.issues.push({ node_id: source ?? null, name, field, message, original: '' })
    if (source === undefined) {
      issue('connections', 'begin at a node that does not exist and were left out')
      continue
    }
    for (const [type, list] of Object.entries(byType)) {
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
          for (const source_output of names) found.push({ edge: { source, source_output, target }, input })
        }
    }
  }
  // A merge takes its branches in the order of its edges.
  return found
    .toSorted((left, right) => left.input - right.input)
    .map(({ edge }, index) => ({ id: `e${index + 1}`, ...edge }))
}

/** Leaves out the edges that lead to a trigger, which has no input here. */
function withoutTriggers(
  nodes: readonly Pick<WorkflowNode, 'id' | 'name' | 'type'>[],
  edges: WorkflowEdge[],
  report: ImportReport,
): WorkflowEdge[] {
  const triggers = new Map(
    nodes.filter(({ type }) => type.startsWith('trigger.')).map(({ id, name }) => [id, name]),
  )
  return edges.filter(({ source, target }) => {
    const name = triggers.get(target)
    if (name === undefined) return true
    const message = `leads to the trigger ${name} and was left out`
    const from = nodes.find(({ id }) => id === source)?.name ?? ''
    report.issues.push({ node_id: source, name: from, field: 'connections', message, original: '' })
    return false
  })
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
      fileIssue(
        'settings.errorWorkflow',
        'names a workflow of n8n; choose the imported one',
        shown(errorWorkflow),
      ),
    )
  const seconds = Number(executionTimeout ?? 0)
  const zone = typeof timezone === 'string' && timezone !== 'DEFAULT' ? timezone : null
  const isKnown = zone !== null && isTimeZone(zone)
  if (zone !== null && !isKnown)
    report.issues.push(fileIssue('settings.timezone', 'is not a time zone', shown(zone)))
  return {
    ...(isKnown ? { timezone: zone } : {}),
    ...(seconds > 0 ? { timeout_seconds: Math.min(31_536_000, Math.ceil(seconds)) } : {}),
  }
}

function pinned(
  { pinData }: Pick<File, 'pinData'>,
  ids: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const entries = Object.entries(pinData).flatMap(([name, items]) => {
    const id = ids.get(name)
    const values = items.map((item) => (item as { json?: unknown } | null)?.json ?? item)
    return id === undefined ? [] : [[id, values.length === 1 ? values[0] : values] as const]
  })
  return Object.fromEntries(entries)
}
