import { Button, Indicator, Popover, Select, Stack, TextInput } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../../../api/agents.ts'
import { memoryStatsQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { sourceLabel } from '../labels.ts'
import type { Asked } from './use-search.ts'

interface FiltersProps {
  asked: Asked
  change: (changes: Partial<Asked>) => void
}

export const noFilters = { agent_id: '', source: '', start_date: '', end_date: '', cluster_id: '' }

const inPopover = { withinPortal: false }

export function Filters({ asked, change }: FiltersProps) {
  const api = useApi()
  const agents = useQuery(agentsQuery(api)).data?.agents ?? []
  const sources = Object.keys(useQuery(memoryStatsQuery(api)).data?.source_distribution ?? {})
  const narrowed = Object.keys(noFilters).some((name) => asked[name as keyof typeof noFilters] !== '')
  return (
    <Popover width={300} position="bottom-end" trapFocus returnFocus shadow="md">
      <Indicator disabled={!narrowed} offset={4} size={9}>
        <Popover.Target>
          <Button variant="default" leftSection={<IconFilter size={16} />}>
            {narrowed ? 'Narrowed' : 'Narrow'}
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label="What to look through">
        <Stack gap="sm">
          <Select
            label="Agent"
            placeholder="All"
            clearable
            comboboxProps={inPopover}
            data={agents.map(({ id, name }) => ({ value: id, label: name }))}
            value={asked.agent_id || null}
            onChange={(agent_id) => change({ agent_id: agent_id ?? '' })}
          />
          <Select
            label="Source"
            placeholder="All"
            clearable
            comboboxProps={inPopover}
            data={[...new Set([...sources, asked.source])].filter(Boolean).map((source) => ({
              value: source,
              label: sourceLabel(source),
            }))}
            value={asked.source || null}
            onChange={(source) => change({ source: source ?? '' })}
          />
          <TextInput
            type="date"
            label="From"
            value={asked.start_date}
            onChange={(event) => change({ start_date: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label="Until"
            value={asked.end_date}
            onChange={(event) => change({ end_date: event.currentTarget.value })}
          />
          {narrowed && (
            <Button variant="subtle" size="xs" onClick={() => change(noFilters)}>
              Look through everything
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
