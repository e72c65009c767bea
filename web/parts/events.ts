import { labelOf } from './text.ts'

/** Types whose words do not say what happens. */
const names: Readonly<Record<string, string>> = {
  '*': 'Every event',
  'tool.before': 'Before a tool runs',
  'tool.after': 'After a tool ran',
  'message.injected': 'Message added by a job or a program',
  'approval.required': 'Plan or phase needs approval',
  'approval.requested': 'Tool call needs approval',
  'loop.verdict': 'Loop iteration judged',
  'loop.action': 'Loop used a tool',
  'provider.returned': 'Provider works again',
  'provider.failover': 'Another provider took over',
  'daemon.started': 'hearthd started',
  'daemon.stopping': 'hearthd stops',
}

/** What an event type or a pattern is called: `job.run.failed` is `Job run failed`, `job.*` is `Anything about job`. */
export const eventName = (type: string): string =>
  names[type] ??
  (type.endsWith('.*')
    ? `Anything about ${labelOf(type.slice(0, -2)).toLowerCase()}`
    : labelOf(type.replaceAll('.', ' ')))

/** The types as choices, grouped by what they are about, which can be chosen as a whole. */
export function eventChoices(types: readonly string[]) {
  const groups = Map.groupBy(types, (type) => type.split('.', 1)[0] ?? '')
  const choice = (value: string) => ({ value, label: eventName(value) })
  const all = [...groups].map(([subject, own]) => ({
    group: labelOf(subject),
    items: [...(own.length > 1 ? [`${subject}.*`] : []), ...own].map(choice),
  }))
  return [{ group: 'All', items: [choice('*')] }, ...all]
}
