import '@mantine/spotlight/styles.css'
import { useDebouncedValue, useLocalStorage } from '@mantine/hooks'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconBolt,
  IconBrain,
  IconCalendarTime,
  IconChecklist,
  IconFile,
  IconMessageCircle,
  IconMessages,
  IconRepeat,
  IconRobot,
  IconSchema,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useEndpoint } from '../api/query.ts'
import { ownKey } from '../api/session.ts'
import { useProfile } from '../api/settings.ts'
import type { Icon } from '../parts/buttons.tsx'
import { useChange } from '../parts/use-change.ts'
import { areas } from './areas.tsx'
import { useFoundSettings } from './find-settings.ts'
import { useSession } from './services.tsx'
import { matchesAll } from './settings-sections.ts'

const [store, spotlight] = createSpotlight()

/** Finds any page, setting and action, and all that people made or said. Opens whenever `openings` grows. */
export function Palette({ openings }: { openings: number }) {
  const [query, setQuery] = useState('')
  useEffect(() => {
    if (openings > 0) spotlight.open()
  }, [openings])
  useEffect(completeDialog)
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={usePaletteActions(query.trim())}
      filter={(_, found) => found}
      highlightQuery
      scrollable
      maxHeight={420}
      searchProps={{
        ref: completeDialog,
        leftSection: <IconSearch size={18} />,
        placeholder: 'Find or do anything',
        'aria-label': 'Find or do anything',
      }}
    />
  )
}

/** Spotlight selects the first action when the text changes, but not what is found later, and its dialog has no name. */
function completeDialog(): void {
  const list = document.querySelector('.mantine-Spotlight-actionsList')
  const selected = list?.querySelector('[data-selected]') ?? list?.querySelector('[data-action]')
  selected?.setAttribute('data-selected', 'true')
  list?.closest('[role=dialog]')?.setAttribute('aria-label', 'Search')
}

/** The kinds of what is found, in the order in which they are listed. */
const icons = {
  Actions: IconBolt,
  Pages: IconFile,
  Settings: IconSettings,
  Conversations: IconMessageCircle,
  Messages: IconMessages,
  Memories: IconBrain,
  Projects: IconChecklist,
  Jobs: IconCalendarTime,
  Loops: IconRepeat,
  Workflows: IconSchema,
  Agents: IconRobot,
  Files: IconFile,
} as const satisfies Record<string, Icon>
type Kind = keyof typeof icons

interface Target {
  id: string
  path: string
  label: string
  description?: string
  /** What people call it. */
  words?: string
  icon?: Icon
  /** Default: opens the path. */
  run?: () => void
}

const pages: readonly Target[] = areas.map(({ path, label, icon }) => ({ id: path, path, label, icon }))

const links: readonly Target[] = [
  { id: 'new-chat', path: '/chat', label: 'New chat', words: 'conversation message ask' },
  { id: 'new-job', path: '/scheduler/new', label: 'New job', words: 'schedule reminder cron timer alarm' },
  { id: 'new-project', path: '/projects/new', label: 'New project', words: 'plan task' },
  { id: 'new-loop', path: '/loops/new', label: 'New loop', words: 'repeat goal' },
  { id: 'templates', path: '/workflows/templates', label: 'New workflow from a template', words: 'automation' },
  { id: 'new-agent', path: '/agents/new', label: 'New agent', words: 'assistant persona' },
  {
    id: 'new-channel',
    path: '/channels/new',
    label: 'Connect a messenger',
    words: 'telegram slack discord whatsapp email',
  },
  { id: 'new-device', path: '/devices', label: 'Connect a device', words: 'phone pair printer speaker camera voice' },
  {
    id: 'new-model',
    path: '/settings/providers',
    label: 'Connect a model',
    words: 'api key openai anthropic ollama provider',
  },
  { id: 'costs', path: '/monitor/usage', label: 'See what it costs', words: 'cost money tokens usage spending price' },
  { id: 'version', path: '/monitor', label: 'Version and health', words: 'update upgrade about status' },
]

/** Of each kind at most. */
const shown = 5

function usePaletteActions(query: string): SpotlightActionGroupData[] {
  const [, navigate] = useLocation()
  const key = ownKey(useSession()?.user_id, 'recent')
  const [recent, setRecent] = useLocalStorage<(Target & { kind: Kind })[]>({ key, defaultValue: [] })
  const settings = useFoundSettings(query)
  const found = useFoundThings(query)
  const local: Partial<Record<Kind, readonly Target[]>> = { Actions: [...useDoing(), ...links], Pages: pages }
  const all: typeof local = { ...local, Settings: settings, ...found }
  const open = (kind: Kind, { id, path, label }: Target) => {
    setRecent((before) => [{ kind, id, path, label }, ...before.filter((one) => one.path !== path)].slice(0, shown))
    navigate(path)
  }
  const group = (title: string, targets: readonly (Target & { kind: Kind })[]): SpotlightActionGroupData => ({
    group: title,
    actions: targets.map(({ kind, id, label, description, icon: Own = icons[kind], run, ...target }) => ({
      ...{ id: `${title} ${id}`, label, ...(description && { description }) },
      leftSection: <Own size={18} />,
      onClick: run ?? (() => open(kind, { id, label, ...target })),
    })),
  })
  const kinds = (Object.keys(icons) as Kind[]).map((kind) => {
    const targets = all[kind] ?? []
    const isLocal = kind in local
    const matching = isLocal ? targets.filter(({ label, words = '' }) => matchesAll(query, label, words)) : targets
    return group(
      kind,
      (query ? matching.slice(0, shown) : targets).map((target) => ({ kind, ...target })),
    )
  })
  const ask: Target & { kind: Kind } = {
    ...{
      kind: 'Conversations',
      id: 'ask',
      label: `Ask “${query}”`,
      path: `/chat?message=${encodeURIComponent(query)}`,
    },
    run: () => navigate(`/chat?message=${encodeURIComponent(query)}`),
  }
  // Last, and only when all is found: Enter must not send what was meant to find something.
  const listed = query
    ? [...kinds, ...(found ? [group('In a new chat', [ask])] : [])]
    : [group('Recent', recent), ...kinds]
  return listed.filter(({ actions }) => actions.length > 0)
}

/** Actions that open no page. */
function useDoing(): Target[] {
  const dark = useProfile().data?.theme === 'dark'
  const paused = useEndpoint('/api/monitoring/kill-switch').data?.paused ?? false
  const theme = useChange((api, theme: 'dark' | 'light') => api.put('/api/settings/profile', { body: { theme } }))
  const pause = useChange((api) => api.post('/api/monitoring/kill-switch', { body: { paused: !paused } }))
  return [
    {
      ...{ id: 'theme', path: '', label: dark ? 'Light theme' : 'Dark theme', words: 'dark mode light mode colors' },
      run: () => theme.mutate(dark ? 'light' : 'dark'),
    },
    {
      ...{
        id: 'pause',
        path: '',
        label: paused ? 'Resume all model calls' : 'Pause all model calls',
        words: 'stop kill',
      },
      run: () => pause.mutate(),
    },
  ]
}

/** What people made or said; null until it is known. */
function useFoundThings(typed: string): Partial<Record<Kind, Target[]>> | null {
  const [query] = useDebouncedValue(typed, 150)
  const limited = { limit: shown, search: query }
  const options = { keepPrevious: true, enabled: query !== '' }
  const search = { query: limited }
  const asked = { query: { limit: shown, q: query } }
  const chats = useEndpoint('/api/chat/conversations', { query: { ...limited, kind: 'user' } }, options)
  const messages = useEndpoint('/api/chat/search', asked, options)
  const memories = useEndpoint('/api/memory/search', { query: { ...asked.query, mode: 'keyword' } }, options)
  const projects = useEndpoint('/api/projects', search, options).data?.projects
  const jobs = useEndpoint('/api/scheduler/jobs', search, options).data?.jobs
  const loops = useEndpoint('/api/loops', search, options).data?.loops
  const workflows = useEndpoint('/api/workflows', search, options).data?.workflows
  const agents = useEndpoint('/api/agents', {}, options).data?.agents
  const files = useEndpoint('/api/files', search, options).data?.files
  if (query === '' || query !== typed || chats.isPending || messages.isPending || memories.isPending) return null
  const named = (place: string, things: readonly { id: string; name: string }[] = []) =>
    things.map(({ id, name }) => ({ id, path: `/${place}/${id}`, label: name || 'Untitled' }))
  return {
    Conversations: named(
      'chat',
      chats.data?.conversations.map(({ id, title }) => ({ id, name: title })),
    ),
    Messages: messages.data?.results.map(({ conversation_id, message_id, conversation_title, excerpt }) => ({
      ...{ id: message_id, path: `/chat/${conversation_id}?at=${message_id}`, label: plain(excerpt) },
      description: conversation_title,
    })),
    Memories: memories.data?.results.map(({ episode: { id, content } }) => ({
      id,
      path: `/memory/${id}`,
      label: content.slice(0, 120),
    })),
    Projects: named('projects', projects),
    Jobs: named('scheduler', jobs),
    Loops: named('loops', loops),
    Workflows: named('workflows', workflows),
    Agents: named(
      'agents',
      agents?.filter(({ name, description }) => matchesAll(query, name, description)),
    ),
    Files: files?.map(({ id, name }) => ({ id, path: `/files?search=${encodeURIComponent(name)}`, label: name })),
  }
}

/** An excerpt without its marks. */
const plain = (html: string) => new DOMParser().parseFromString(html, 'text/html').body.textContent
