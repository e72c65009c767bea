import { useEndpoint } from '../api/query.ts'
import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import {
  IconCalendarTime,
  IconChecklist,
  IconMessageCircle,
  IconPlus,
  IconRepeat,
  IconRobot,
  IconSchema,
  IconSearch,
} from '@tabler/icons-react'
import { type ComponentType, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { areas } from './areas.tsx'
import { settingsSections } from './settings-sections.ts'

const [store, spotlight] = createSpotlight()

/** Finds any page, conversation, project, loop, workflow, job, agent or action. Opens whenever `openings` grows. */
export function Palette({ openings }: { openings: number }) {
  const [query, setQuery] = useState('')
  useEffect(() => {
    if (openings > 0) spotlight.open()
  }, [openings])
  const actions = usePaletteActions(query)
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={actions}
      limit={24}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound="No matches"
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'Find or do anything',
        'aria-label': 'Find or do anything',
      }}
    />
  )
}

interface Target {
  id: string
  path: string
  label: string
  description?: string
  icon: ComponentType<{ size?: number | string }>
}

const pages: readonly Target[] = [
  ...areas.map(({ path, label, icon }) => ({ id: path, path, label, icon })),
  ...settingsSections.map(({ id, label, icon }) => ({
    id: `settings-${id}`,
    path: `/settings/${id}`,
    label: `Settings: ${label}`,
    icon,
  })),
]

const commands: readonly Target[] = [
  { id: 'new-chat', path: '/chat', label: 'New chat', icon: IconPlus },
  { id: 'new-project', path: '/projects/new', label: 'New project', icon: IconPlus },
  { id: 'new-loop', path: '/loops/new', label: 'New loop', icon: IconPlus },
  { id: 'templates', path: '/workflows/templates', label: 'New workflow from a template', icon: IconPlus },
  { id: 'new-agent', path: '/agents/new', label: 'New agent', icon: IconPlus },
]

interface Thing {
  id: string
  name: string
  description?: string
}

function usePaletteActions(query: string): SpotlightActionGroupData[] {
  const [, navigate] = useLocation()
  const matching = { query: { limit: 20, search: query.trim() } }
  const kept = { keepPrevious: true }
  const chats = useEndpoint('/api/chat/conversations', matching, kept).data?.conversations
  const agents = useEndpoint('/api/agents').data?.agents
  const projects = useEndpoint('/api/projects', matching, kept).data?.projects
  const loops = useEndpoint('/api/loops', matching, kept).data?.loops
  const workflows = useEndpoint('/api/workflows', matching, kept).data?.workflows
  const jobs = useEndpoint('/api/scheduler/jobs', matching, kept).data?.jobs
  const group = (name: string, targets: readonly Target[]): SpotlightActionGroupData => ({
    group: name,
    actions: targets.map(({ path, icon: Icon, ...target }) => ({
      ...target,
      onClick: () => navigate(path),
      leftSection: <Icon size={18} />,
    })),
  })
  const things = (name: string, place: string, icon: Target['icon'], items: readonly Thing[] = []) =>
    group(
      name,
      items.map(({ id, name: label, description }) => ({
        ...{ id, path: `/${place}/${id}`, label: label || 'Untitled', icon },
        ...(description && { description }),
      })),
    )
  return [
    group('Pages', pages),
    group('Actions', commands),
    things(
      'Conversations',
      'chat',
      IconMessageCircle,
      chats?.map(({ id, title }) => ({ id, name: title })),
    ),
    things('Projects', 'projects', IconChecklist, projects?.map(nameOnly)),
    things('Loops', 'loops', IconRepeat, loops?.map(nameOnly)),
    things('Workflows', 'workflows', IconSchema, workflows?.map(nameOnly)),
    things('Jobs', 'scheduler', IconCalendarTime, jobs?.map(nameOnly)),
    things('Agents', 'agents', IconRobot, agents),
  ]
}

const nameOnly = ({ id, name }: Thing): Thing => ({ id, name })
