import type { Context } from '../../context.ts'
import type { ScriptCall, ScriptFailure, ScriptResult } from '../../ports/script.ts'
import { fromBase64 } from '../../secrets/base64.ts'
import { once } from '../../streams.ts'
import { isRecord } from '../../values.ts'
import { storeFile } from '../item-files.ts'
import { type ItemCode, NodeError, type OutputItem, permanentError } from '../node-type.ts'
import type { RunningExecution } from '../running-execution.ts'
import type { Attempt } from '../runs.ts'
import { runScript, viewOf } from './evaluate.ts'
import { namesIn } from './rewrite.ts'

/** The value that code returns; its errors are errors of the node. */
export async function runCode(
  { run }: Pick<Attempt, 'run'>,
  { context, call }: { context: Context; call: ScriptCall },
): Promise<unknown> {
  const result = await runScript(context, call)
  keepLogs(run, result)
  if (result.ok) return result.value
  const at = result.line === null ? '' : ` (line ${result.line})`
  throw codeError(result.error, `${result.message}${at}`)
}

/** Characters of the console output of a run. */
const maxLogs = 20_000

function keepLogs(run: Attempt['run'], { logs }: Pick<ScriptResult, 'logs'>): void {
  if (logs.length > 0) run.logs = [run.logs ?? [], logs].flat().join('\n').slice(0, maxLogs)
}

/** Characters of what a workflow keeps from one execution to the next, as JSON. */
const maxStaticData = 256 * 1024

const codeError = (code: ScriptFailure, message: string) =>
  new NodeError(code, message, { permanent: code === 'syntax' })

/** An exception of code that works on items, in n8n's form, because workflows read it. The code begins in line 2. */
function itemCodeError({ error, message, line }: Extract<ScriptResult, { ok: false }>): NodeError {
  const text = error === 'exception' ? message.replace(/^\w*Error: /, '') : message
  return codeError(error, line === null ? text : `${text} [line ${Math.max(1, line - 1)}]`)
}

// The code is in a block of its own, because it may declare a variable with the name of a parameter.
const callOf = {
  all_items: (code: string) => `runOnce(input, async (items, item) => {{\n${code}\n}})`,
  each_item: (code: string) => `runEach(input, async (item, items) => {{\n${code}\n}})`,
  each_data: (code: string) => `runEach(input, async (item, items) => {{\n${code}\n}}, { onlyData: true })`,
} as const satisfies Record<ItemCode['run'], unknown>

/** Runs code that works on items, once or for each of them. */
export async function runItemCode(
  execution: RunningExecution,
  attempt: Attempt,
  { context, call }: { context: Context; call: ItemCode },
): Promise<OutputItem[]> {
  const { code, run, ...limits } = call
  const input = await viewOf(execution, attempt, { context, code, names: namesIn(code) })
  const own = {
    ...limits,
    code: `return await hearthdItems.${callOf[run](code)}`,
    input,
    library: 'items' as const,
  }
  const result = await runScript(context, own)
  keepLogs(attempt.run, result)
  if (!result.ok) throw itemCodeError(result)
  const { items, from, static_data } = result.value as {
    items: unknown[]
    from: OutputItem['from'][] | null
    static_data?: Record<string, unknown>
  }
  if (static_data) {
    const { length } = JSON.stringify(static_data)
    if (length > maxStaticData)
      throw permanentError(
        'too_large',
        `Static data has ${length} characters; a workflow keeps at most ${maxStaticData}`,
      )
    attempt.static_data = static_data
  }
  const stored = []
  for (const item of items) stored.push(await withStoredFiles({ context, execution }, item))
  return stored.map((item, index) => ({
    item,
    from: from?.[index] ?? (from || items.length !== input.items.length ? null : index),
  }))
}

/** An item whose code has made files: their content is stored, and a reference is left. */
async function withStoredFiles(place: Parameters<typeof storeFile>[0], item: unknown): Promise<unknown> {
  const files = isRecord(item) ? item.$binary : undefined
  if (!isRecord(item) || !isRecord(files)) return item
  const stored: Record<string, unknown> = {}
  for (const [field, file] of Object.entries(files)) {
    const bytes = isRecord(file) && typeof file.data === 'string' ? fromBase64(file.data.replace(/={1,2}$/, '')) : null
    if (!isRecord(file) || !bytes) stored[field] = file
    else {
      const name = typeof file.name === 'string' ? file.name : field
      const type = typeof file.mime_type === 'string' ? { mime_type: file.mime_type } : {}
      stored[field] = await storeFile(place, { name, pieces: once(bytes), ...type })
    }
  }
  return { ...item, $binary: stored }
}
