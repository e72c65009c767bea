import { callerTimeZone } from '../../auth/profile.ts'
import type { Context } from '../../context.ts'
import { type ScriptCall, ScriptError, type ScriptResult } from '../../ports/script.ts'
import { iso } from '../../time.ts'
import { itemsOf } from '../items.ts'
import { NodeError } from '../node-type.ts'
import type { RunningExecution } from '../running-execution.ts'
import type { Attempt } from '../runs.ts'
import { roundOf } from '../state.ts'
import { findStaticData } from '../workflow-store.ts'
import { nodesNamed } from './node-data.ts'
import { parseTemplate, type ScriptTemplate, type ScriptValue } from './template.ts'

/** Limits of all expressions of a node together. */
const limits = { timeout_ms: 10_000, memory_mb: 64, output_chars: 4_000_000 }

/** Evaluates templates for each subject of a node, in one call of the engine. */
export async function evaluateScripts(
  execution: RunningExecution,
  attempt: Attempt,
  {
    context,
    count,
    templates,
    variables,
  }: {
    context: Context
    count: number
    templates: readonly ScriptTemplate[]
    /** What the code finds next to the data of the node. */
    variables?: Readonly<Record<string, unknown>>
  },
): Promise<ScriptValue[][]> {
  const parsed = templates.map(({ text, apart }) => ({ ...parseTemplate(text), apart }))
  const code = parsed.flatMap(({ parts }) => parts.filter((_, index) => index % 2 === 1)).join('\n')
  const names = new Set(parsed.flatMap((template) => [...template.names]))
  const view = await viewOf(execution, attempt, { context, code, names })
  const call = {
    code: 'hearthdItems.evaluateAll(input)',
    input: {
      ...view,
      at: Array.from({ length: count }, (_, index) => view.at + index),
      templates: parsed.map(({ parts, apart }) => ({ parts, apart })),
      variables,
    },
    library: 'items' as const,
    ...limits,
  }
  const result = await runScript(context, call)
  if (!result.ok) throw new NodeError('expression', result.message, { definite: true })
  return result.value as ScriptValue[][]
}

/** What the code of a node sees. */
export async function viewOf(
  execution: RunningExecution,
  attempt: Attempt,
  { context, code, names }: { context: Context; code: string; names: ReadonlySet<string> },
) {
  const { definition, state, stored, values } = execution
  const { token, node } = attempt
  const round = roundOf(state, token.iteration)
  const isOne = round?.frame.each === true && round.frame.node === token.node
  // A run for one item sees the others only if it asks for them.
  const seesAll = isOne && /\$input|\$items|\$item\b|\bitems\b/.test(code)
  const { value } = values.of(token.source)
  const own = isOne ? [value] : itemsOf(value)
  const items = seesAll ? values.loopItems(round.frame.id) : node.first_item ? own.slice(0, 1) : own
  const at = seesAll ? round.iteration.at : 0
  const previous = previousOf(execution, attempt)
  const all = previous && code.includes('$input') ? new Set([...names, previous.name]) : names
  return {
    items,
    /** The position of the first of them. */
    first_index: isOne && !seesAll ? round.iteration.at : 0,
    at,
    nodes: await nodesNamed(execution, attempt, {
      names: all,
      paired: /item/i.test(code),
      earlier: /\.(?:all|first|last)\([^,()]*,/.test(code),
      count: isOne ? 1 : own.length,
      at,
    }),
    vars: definition.variables,
    workflow: { id: stored.workflow_id, name: execution.name, active: true },
    execution: {
      id: stored.id,
      mode: stored.trigger === 'manual' ? 'manual' : 'trigger',
      resumeUrl: values.addresses.resume_url,
      resumeFormUrl: values.addresses.form_url,
    },
    node: { id: node.id, name: node.name },
    previous,
    run_index: round && !isOne ? round.iteration.index : 0,
    now: iso(context.clock.now()),
    zone: definition.settings.timezone ?? (await callerTimeZone(context)),
    ...(code.includes('$getWorkflowStaticData')
      ? { static_data: state.static_data ?? (await findStaticData(context, stored.workflow_id)) }
      : {}),
  }
}

function previousOf({ graph, values }: RunningExecution, { token }: Attempt) {
  const { source } = token
  if (typeof source !== 'object' || !('run' in source)) return null
  const name = graph.nodes.get(values.nodeOfRun(source.run) ?? '')?.name
  return name === undefined ? null : { name, output: 0 }
}

export async function runScript(context: Context, call: ScriptCall): Promise<ScriptResult> {
  try {
    return await context.script.run(call, context.signal)
  } catch (thrown) {
    throw thrown instanceof ScriptError ? new NodeError('engine', thrown.message) : thrown
  }
}
