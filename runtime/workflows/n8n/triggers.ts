import { ownValue } from '../../own-value.ts'
import { NotExact, skipped } from './equivalent.ts'
import { commaSeparated } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'

/** The nodes that start a workflow. */
export const triggers: Readonly<Record<string, Translate>> = {
  manualTrigger: () => ({ type: 'trigger.manual', params: {} }),
  start: () => ({ type: 'trigger.manual', params: {} }),
  executeWorkflowTrigger: () => ({ type: 'trigger.manual', params: {} }),
  errorTrigger(node) {
    node.report('', 'starts when this workflow is the error workflow of another one; choose it in the settings there')
    return { type: 'trigger.manual', params: {} }
  },
  webhook(node) {
    node.report('path', 'gets another address, which the workflow shows when it is active', node.parameters.path)
    const { httpMethod = 'GET', authentication } = node.parameters
    const isKnown = authentication === 'basicAuth' || authentication === 'headerAuth'
    if (authentication !== undefined && authentication !== 'none' && !(isKnown && node.has_credential)) {
      const instead = node.has_credential
        ? 'callers must send it as a bearer token'
        : 'whoever knows the address may call it'
      node.report('authentication', `is not supported: ${instead}`, authentication)
    }
    return {
      type: 'trigger.webhook',
      params: { methods: [httpMethod].flat(), ...responseOf(node), allowed_origins: originsOf(node) },
    }
  },
  ...Object.fromEntries(
    ['telegramTrigger', 'slackTrigger', 'gmailTrigger', 'emailReadImap', 'whatsAppTrigger'].map((name) => [
      name,
      onMessage,
    ]),
  ),
  scheduleTrigger: (node) => ({ type: 'trigger.schedule', params: { schedule: scheduleOf(node) } }),
  cron: (node) => ({ type: 'trigger.schedule', params: { schedule: cronOf(node) } }),
  interval({ parameters }) {
    const unit = String(parameters.unit ?? 'seconds')
    const seconds = ownValue({ seconds: 1, minutes: 60, hours: 3_600 }, unit)
    if (seconds === undefined) throw new NotExact(`the unit ${unit} has no equivalent`)
    const interval = Number(parameters.interval ?? 1) * seconds
    return { type: 'trigger.schedule', params: { schedule: { type: 'every', interval } } }
  },
}

/** Of web pages that may call a webhook: all of them, unless it says which. */
export function originsOf(node: Translating): string[] {
  const { allowedOrigins = '*' } = (node.parameters.options ?? {}) as Fields
  const origins = commaSeparated(allowedOrigins)
  const allowed = origins.flatMap((text) => (text === '*' ? text : (URL.parse(text)?.origin ?? [])))
  if (allowed.length < origins.length) node.report('options', 'allows origins that are no addresses', allowedOrigins)
  return allowed.filter((origin) => origin !== 'null')
}

/** The caller gets what models and respond nodes give, as n8n sends it. */
export const streamed = { response: 'stream', stream_format: 'json_lines' }

/** How the caller of a webhook is answered. */
function responseOf(node: Translating): Fields {
  const { responseMode = 'onReceived', responseData, responseCode, options } = node.parameters
  const data = responseData ?? (options as Fields | undefined)?.responseData
  skipped(
    node,
    'options',
    options,
    responseMode === 'lastNode' ? ['allowedOrigins', 'responseData'] : ['allowedOrigins'],
  )
  if (responseMode === 'responseNode') return { response: 'respond_node' }
  const code = responseMode === 'lastNode' ? 200 : 202
  if (responseCode !== undefined && responseCode !== code)
    node.report('responseCode', `is not supported: the caller gets ${code}`, responseCode)
  if (responseMode === 'lastNode') {
    if (data !== undefined && data !== 'firstEntryJson' && data !== 'allEntries')
      node.report('responseData', 'is not supported: the caller gets the first item as JSON', data)
    return { response: 'at_end', first_item: data !== 'allEntries' }
  }
  if (responseMode === 'streaming') return streamed
  if (responseMode !== 'onReceived')
    node.report('responseMode', 'is not supported: the caller gets 202 at once', responseMode)
  return {}
}

/** A message on a channel, or an email to a mailbox. */
function onMessage(node: Translating): Translated {
  node.report(
    'channel_id',
    'starts when a message arrives on a channel: choose it. Its output has other fields than in n8n',
    node.parameters,
  )
  return { type: 'trigger.channel', params: {} }
}

function scheduleOf(node: Translating): Fields {
  const rules = (node.parameters.rule as { interval?: Fields[] } | undefined)?.interval ?? [{}]
  if (node.parameters.rule !== undefined && !Array.isArray((node.parameters.rule as Fields).interval))
    node.report('rule', 'is an unknown schedule; replaced by every day at midnight', node.parameters)
  const [rule = {}] = rules
  if (rules.length > 1) node.report('rule', 'has several times; only the first was imported', rules)
  const { field = 'days', triggerAtHour: hour = 0, triggerAtMinute: minute = 0 } = rule
  const cron = (expression: string) => ({ type: 'cron', expression })
  const minutes = Number(rule.minutesInterval ?? 5)
  const hours = Number(rule.hoursInterval ?? 1)
  if (field === 'cronExpression') return cron(cronText(node, rule.expression))
  if (field === 'seconds') return { type: 'every', interval: Number(rule.secondsInterval ?? 30) }
  if (field === 'minutes' && minutes < 60) return cron(minutes === 1 ? '* * * * *' : `*/${minutes} * * * *`)
  if (field === 'minutes') return { type: 'every', interval: minutes * 60 }
  if (field === 'hours' && 24 % hours === 0) return cron(`${minute} ${hours === 1 ? '*' : `*/${hours}`} * * *`)
  if (field === 'hours') {
    if (minute !== 0) node.report('rule', 'counts from the start, not from this minute', rule)
    return { type: 'every', interval: hours * 3_600 }
  }
  if (field === 'weeks') {
    if (Number(rule.weeksInterval ?? 1) !== 1) node.report('rule', 'runs every week', rule)
    return cron(`${minute} ${hour} * * ${[rule.triggerAtDay ?? 0].flat().join(',')}`)
  }
  if (field === 'months' && Number(rule.monthsInterval ?? 1) !== 1)
    node.report('rule', 'was replaced by every month', rule)
  if (field === 'months') return cron(`${minute} ${hour} ${rule.triggerAtDayOfMonth ?? 1} * *`)
  if (Number(rule.daysInterval ?? 1) !== 1) node.report('rule', 'runs every day', rule)
  return cron(`${minute} ${hour} * * *`)
}

function cronText(node: Translating, value: unknown): string {
  const text = String(value ?? '0 0 * * *').replace(/^=/, '')
  if (!text.includes('{{')) return text
  node.report('expression', 'is an expression; replaced by every day at midnight', value)
  return '0 0 * * *'
}

function cronOf(node: Translating): Fields {
  const times = (node.parameters.triggerTimes as { item?: Fields[] } | undefined)?.item ?? []
  const [time = {}] = times
  if (times.length === 0 && Object.keys(node.parameters).length > 0)
    node.report('triggerTimes', 'is an unknown schedule; replaced by every day at midnight', node.parameters)
  if (times.length > 1) node.report('triggerTimes', 'has several times; only the first was imported', times)
  const { mode = 'everyDay', hour = 14, minute = 0, cronExpression } = time
  if (mode === 'custom') return { type: 'cron', expression: cronText(node, cronExpression) }
  if (mode === 'everyMinute') return { type: 'every', interval: 60 }
  if (mode === 'everyHour') return { type: 'cron', expression: `${minute} * * * *` }
  if (mode === 'everyWeek') return { type: 'cron', expression: `${minute} ${hour} * * ${time.weekday ?? 1}` }
  if (mode === 'everyMonth') return { type: 'cron', expression: `${minute} ${hour} ${time.dayOfMonth ?? 1} * *` }
  if (mode === 'everyX') {
    const seconds = time.unit === 'minutes' ? 60 : 3_600
    return { type: 'every', interval: Number(time.value ?? 2) * seconds }
  }
  if (mode !== 'everyDay') node.report('triggerTimes', 'runs every day', time)
  return { type: 'cron', expression: `${minute} ${hour} * * *` }
}
