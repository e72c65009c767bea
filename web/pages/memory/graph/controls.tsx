import { Group, Select, TextInput, UnstyledButton, useComputedColorScheme } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { EntityType, Graph } from '../../../api/memory.ts'
import { AgentSelect } from '../agent-select.tsx'
import { typeLabels } from '../labels.ts'
import { paintOf } from '../stage/paint.ts'
import { entityTypes, type Filter } from './filter.ts'
import classes from './graph.module.css'
import { typeColour } from './scene.ts'

interface ControlsProps {
  graph: Graph
  filter: Filter
  setFilter: (filter: Filter) => void
  agent_id: string
  limit: number
  set: (name: string, value: string) => void
}

const limits = [100, 300, 1_000]

export function Controls({ graph, filter, setFilter, agent_id, limit, set }: ControlsProps) {
  return (
    <>
      <Group mb="sm" align="flex-end">
        <TextInput
          type="search"
          flex={1}
          miw={160}
          maw={280}
          data-search
          label="Name"
          placeholder="Part of a name"
          leftSection={<IconSearch size={16} />}
          value={filter.text}
          onChange={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
        />
        <AgentSelect value={agent_id} change={(id) => set('agent', id)} />
        <Select
          label="At most"
          w={150}
          allowDeselect={false}
          data={[...new Set([...limits, limit])].map((count) => ({
            value: String(count),
            label: `${count} entities`,
          }))}
          value={String(limit)}
          onChange={(count) => set('limit', count ?? '')}
        />
      </Group>
      <Types graph={graph} filter={filter} setFilter={setFilter} />
    </>
  )
}

/** The legend, which is also the choice of what is seen. */
function Types({ graph, filter, setFilter }: Pick<ControlsProps, 'graph' | 'filter' | 'setFilter'>) {
  const paint = paintOf(useComputedColorScheme('light'))
  const present = entityTypes.filter((type) => graph.nodes.some((node) => node.type === type))
  const toggle = (type: EntityType) => {
    const hidden = new Set(filter.hidden)
    if (!hidden.delete(type)) hidden.add(type)
    setFilter({ ...filter, hidden })
  }
  return (
    <Group gap={6} mb="sm" role="group" aria-label="Types to see">
      {present.map((type) => (
        <UnstyledButton
          key={type}
          className={classes.type}
          aria-pressed={!filter.hidden.has(type)}
          onClick={() => toggle(type)}
        >
          <span className={classes.colour} style={{ background: typeColour(paint, type) }} aria-hidden />
          {typeLabels[type]} {graph.nodes.filter((node) => node.type === type).length}
        </UnstyledButton>
      ))}
    </Group>
  )
}
