import { isOffered } from '../../../runtime/workflows/offered-tools.ts'
import type { AnswerOf, PathOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { eventName } from '../events.ts'
import type { Option } from '../options.ts'
import { labelOf } from '../text.ts'

interface Picker {
  path: PathOf<'GET'>
  query?: { limit: number }
  /** Where they are made. */
  href?: string
  options(answer: never): readonly Option[]
}

interface Thing {
  id: string
  name: string
  enabled?: boolean
}

const optionOf = ({ id, name, enabled }: Thing): Option => ({
  value: id,
  label: enabled === false ? `${name} (off)` : name,
})

/** Things by their names, and one for all of them. */
const byName = (things: readonly { name: string; enabled: boolean }[]): Option[] => [
  { value: all, label: 'All' },
  ...things.map(({ name, enabled }) => optionOf({ id: name, name, enabled })),
]

/** Things with a name; 200 of them where the list has pages. */
const named = (path: PathOf<'GET'>, items: string, paged = true): Picker => ({
  path,
  ...(paged && { query: { limit: 200 } }),
  options: (answer: Record<string, readonly Thing[]>) => (answer[items] ?? []).map(optionOf),
})

type Providers = AnswerOf<'GET', '/api/providers'>

const pickers: Record<string, Picker> = {
  agent: named('/api/agents', 'agents', false),
  channel: named('/api/channels', 'channels'),
  conversation: {
    path: '/api/chat/conversations',
    query: { limit: 100 },
    options: ({ conversations }: AnswerOf<'GET', '/api/chat/conversations'>) =>
      conversations.map(({ id, title }) => ({ value: id, label: title })),
  },
  credential: named('/api/credentials', 'credentials'),
  table: named('/api/tables', 'tables'),
  delivery_channel: {
    path: '/api/channels',
    query: { limit: 200 },
    options: ({ channels }: AnswerOf<'GET', '/api/channels'>) => [
      { value: 'none', label: 'None: read it here' },
      ...['chat', 'email', 'webhook'].map((value) => ({ value, label: labelOf(value) })),
      ...channels.map(optionOf),
    ],
  },
  device: named('/api/devices', 'devices'),
  device_group: named('/api/device-groups', 'groups'),
  event: {
    path: '/api/webhooks/events',
    options: ({ events }: AnswerOf<'GET', '/api/webhooks/events'>) =>
      events.map((value) => ({ value, label: eventName(value) })),
  },
  job: named('/api/scheduler/jobs', 'jobs'),
  loop: named('/api/loops', 'loops'),
  model: {
    path: '/api/providers',
    options: ({ providers }: Providers) => [
      itself('offline/offline'),
      ...new Map(
        providers
          .filter(({ configured }) => configured)
          .flatMap(({ id, models }) => models.map((model) => itself(`${id}/${model.id}`)))
          .map((option) => [option.value, option]),
      ).values(),
    ],
  },
  project: named('/api/projects', 'projects'),
  own_project: named('/api/projects', 'projects'),
  provider: {
    path: '/api/providers',
    options: ({ providers }: Providers) =>
      providers.filter(({ configured }) => configured).map(({ id, name }) => ({ value: id, label: name })),
  },
  recording: {
    path: '/api/browser/recordings',
    query: { limit: 200 },
    options: ({ recordings }: AnswerOf<'GET', '/api/browser/recordings'>) =>
      recordings.map(({ recording_id, name }) => ({ value: recording_id, label: name })),
  },
  skill: {
    path: '/api/settings/skills',
    href: '/settings/skills',
    options: ({ skills }: AnswerOf<'GET', '/api/settings/skills'>) => byName(skills),
  },
  tool: {
    path: '/api/agents/tools',
    options: ({ tools }: AnswerOf<'GET', '/api/agents/tools'>) =>
      tools.filter(({ name }) => isOffered(name)).map(({ name }) => itself(name)),
  },
  tool_server: {
    path: '/api/settings/skills/mcp',
    query: { limit: 200 },
    href: '/settings/tool-servers',
    options: ({ servers }: AnswerOf<'GET', '/api/settings/skills/mcp'>) => byName(servers),
  },
  workflow: named('/api/workflows', 'workflows'),
}

const itself = (value: string): Option => ({ value, label: value })

const languages =
  'system ar cs da de el en-GB en-US es fi fr he hi hu id it ja ko nb nl pl pt-BR pt-PT ro ru sv th tr uk vi zh-CN zh-TW'

/** Languages, each named in itself. */
const languageOptions = () =>
  languages.split(' ').map((tag) => ({
    value: tag,
    label: tag === 'system' ? 'Same as the browser' : (new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag),
  }))

const fixed: Record<string, () => readonly Option[]> = {
  language: languageOptions,
  timezone: () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map(itself),
}

/** Instead of names: all of them. */
export const all = '*'

export const hrefOf = (format: string): string | undefined => pickers[format]?.href

export const isPicked = (format: string): boolean => Object.hasOwn(pickers, format) || Object.hasOwn(fixed, format)

/** The things that a value of a format can name; undefined until they are loaded. */
export function useOptions(format: string): readonly Option[] | undefined {
  const { path = '/api/agents', query, options } = pickers[format] ?? {}
  const input = { ...(query && { query }) }
  const { data } = useEndpoint(path, input as never, { enabled: options !== undefined })
  if (options) return data && options(data as never)
  return fixed[format]?.() ?? []
}
