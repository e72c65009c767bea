import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { isTrue } from '../workflows/nodes/truth.ts'

/** Refuses a filter that is not a valid expression. */
export async function checkFilter(filter: string | undefined): Promise<void> {
  const problem = filter ? await jsonataProblem(filter) : null
  if (problem !== null) throw invalidField('filter', `is not a valid expression: ${problem}`)
}

/** Whether an event passes a filter. A filter that cannot be evaluated lets nothing pass. */
export async function passes(
  { log }: Pick<Host, 'log'>,
  { id, filter }: { id: string; filter: string },
  { type, ts, data }: { type: string; ts: string; data: unknown },
): Promise<boolean> {
  if (filter.trim() === '') return true
  try {
    return isTrue(await evaluateJsonata(filter, { type, ts, data }))
  } catch (thrown) {
    log.write('warn', 'a filter cannot be evaluated', { id, cause: String(thrown) })
    return false
  }
}
