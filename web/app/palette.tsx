import { useEndpoint } from '../api/query.ts'
import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { IconMessageCircle, IconPlus, IconRobot, IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { areas } from './areas.tsx'
import { settingsSections } from './settings-sections.ts'

const [store, spotlight] = createSpotlight()

/** Finds any page, conversation, agent or action. Opens whenever `openings` grows. */
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

function usePaletteActions(query: string): SpotlightActionGroupData[] {
  const [, navigate] = useLocation()
  const conversations =
    useEndpoint(
      '/api/chat/conversations',
      { query: { limit: 20, search: query.trim() } },
      { keepPrevious: true },
    ).data?.conversations ?? []
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const to = (path: string) => () => navigate(path)
  return [
    {
      group: 'Pages',
      actions: [
        ...areas.map(({ path, label, icon: Icon }) => ({
          id: path,
          label,
          onClick: to(path),
          leftSection: <Icon size={18} />,
        })),
        ...settingsSections.map(({ id, label, icon: Icon }) => ({
          id: `settings-${id}`,
          label: `Settings: ${label}`,
          onClick: to(`/settings/${id}`),
          leftSection: <Icon size={18} />,
        })),
      ],
    },
    {
      group: 'Actions',
      actions: [
        { id: 'new-chat', label: 'New chat', onClick: to('/chat'), leftSection: <IconPlus size={18} /> },
        {
          id: 'new-agent',
          label: 'New agent',
          onClick: to('/agents/new'),
          leftSection: <IconPlus size={18} />,
        },
      ],
    },
    {
      group: 'Conversations',
      actions: conversations.map(({ id, title }) => ({
        id,
        label: title || 'Untitled',
        onClick: to(`/chat/${id}`),
        leftSection: <IconMessageCircle size={18} />,
      })),
    },
    {
      group: 'Agents',
      actions: agents.map(({ id, name, description }) => ({
        id,
        label: name,
        ...(description && { description }),
        onClick: to(`/agents/${id}`),
        leftSection: <IconRobot size={18} />,
      })),
    },
  ]
}
