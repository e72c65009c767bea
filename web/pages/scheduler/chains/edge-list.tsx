import { ActionIcon, Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { ChainEdge, EdgeType, Job } from '../../../api/scheduler.ts'
import { edgeChoices } from './states.ts'

interface EdgeListProps {
  jobs: readonly Pick<Job, 'id' | 'name'>[]
  edges: readonly ChainEdge[]
  change: (edges: ChainEdge[]) => void
  connect: (from: string, to: string) => void
}

/** The arrows one by one: their kind, away with them, and a way to add one without drawing. */
export function EdgeList({ jobs, edges, change, connect }: EdgeListProps) {
  const nameOf = (id: string) => jobs.find((job) => job.id === id)?.name ?? id
  return (
    <Stack gap="xs">
      {edges.map((edge, index) => {
        const words = `${nameOf(edge.from)} → ${nameOf(edge.to)}`
        return (
          <Group key={`${edge.from}:${edge.to}`} gap="xs" wrap="nowrap">
            <Text size="sm" className="grow" truncate>
              {words}
            </Text>
            <Select
              size="xs"
              w={130}
              aria-label={`When: ${words}`}
              data={edgeChoices}
              value={edge.type}
              allowDeselect={false}
              onChange={(type) => change(edges.with(index, { ...edge, type: type as EdgeType }))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${words}`}
              onClick={() => change(edges.toSpliced(index, 1))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        )
      })}
      {jobs.length > 1 && <NewEdge jobs={jobs} connect={connect} />}
    </Stack>
  )
}

function NewEdge({ jobs, connect }: Pick<EdgeListProps, 'jobs' | 'connect'>) {
  const [from, setFrom] = useState<string | null>(null)
  const [to, setTo] = useState<string | null>(null)
  const data = jobs.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Group gap="xs" align="flex-end">
      <Select size="xs" label="When this has ended" data={data} value={from} onChange={setFrom} />
      <Select
        size="xs"
        label="this begins"
        data={data.filter(({ value }) => value !== from)}
        value={to}
        onChange={setTo}
      />
      <Button
        size="xs"
        variant="default"
        disabled={!from || !to}
        onClick={() => {
          if (from && to) connect(from, to)
          setFrom(null)
          setTo(null)
        }}
      >
        Add the arrow
      </Button>
    </Group>
  )
}
