import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'
import { evaluateJsonata, jsonataNames, jsonataProblem } from '../jsonata.ts'
import { momentary, readMetrics } from './alert-metrics.ts'
import { MetricName } from './alert-schema.ts'

export interface Condition {
  condition: string
  threshold: number
  period_minutes: number
}

export interface Verdict {
  holds: boolean
  /** For a boolean condition: its metric, or 1 or 0 if it uses several metrics. */
  value: number
  /** Whether it uses a current metric, so it must be true for the whole period. */
  lasting: boolean
}

/** Throws an `Error` that says why the condition cannot be computed. */
export async function evaluateCondition(host: Host, condition: Condition): Promise<Verdict> {
  const { names, metrics } = await metricsFor(host, condition)
  return verdictOf(condition, metrics, names)
}

async function metricsFor(host: Host, { condition, period_minutes }: Condition) {
  const names = await metricsIn(condition)
  const metrics = await readMetrics(host, names, period_minutes)
  const missing = names.find((name) => metrics[name] === null)
  if (missing) throw new Error(`${missing} is not known on this host`)
  return { names, metrics }
}

async function verdictOf(
  { condition, threshold }: Condition,
  metrics: Record<string, unknown>,
  names: readonly MetricName[],
): Promise<Verdict> {
  const result = await evaluateJsonata(condition, { ...metrics, threshold })
  const lasting = names.some((name) => momentary.has(name))
  const [only, ...others] = names
  if (typeof result === 'boolean') {
    const value = only !== undefined && others.length === 0 ? Number(metrics[only]) : Number(result)
    return { holds: result, value, lasting }
  }
  if (typeof result === 'number' && Number.isFinite(result))
    return { holds: result > threshold, value: result, lasting }
  throw new Error('the condition must be a number, true or false')
}

async function metricsIn(condition: string): Promise<MetricName[]> {
  const names = (await jsonataNames(condition)).filter((name) => name !== 'threshold')
  const unknown = names.find((name) => !MetricName.safeParse(name).success)
  if (unknown !== undefined)
    throw new Error(`there is no metric ${unknown}; available: ${MetricName.options.join(', ')}`)
  if (names.length === 0) throw new Error(`it uses no metric; available: ${MetricName.options.join(', ')}`)
  return names as MetricName[]
}

/** Refuses a condition that cannot be computed on this host, with 422. */
export async function requireComputable(host: Host, condition: Condition): Promise<void> {
  const problem = await problemOf(host, condition)
  if (problem !== null) throw invalidField('condition', `cannot be computed: ${problem}`)
}

async function problemOf(host: Host, condition: Condition): Promise<string | null> {
  const syntax = await jsonataProblem(condition.condition)
  if (syntax !== null) return syntax
  try {
    const { names, metrics } = await metricsFor(host, condition)
    // A metric that is 0 now must not make a division fail that will be valid later.
    const samples = Object.fromEntries(names.map((name) => [name, metrics[name] || 1]))
    await verdictOf(condition, samples, names)
    return null
  } catch (thrown) {
    return (thrown as Error).message
  }
}
