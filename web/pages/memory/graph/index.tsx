import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { graphQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { useParameters } from '../use-parameters.ts'
import { EmptyGraph } from './empty-graph.tsx'
import { Explorer } from './explorer.tsx'

/** Entities of one picture. */
const usual = 300

/** What the memory knows of, and how it hangs together, now or at an earlier time. */
export function GraphView() {
  const parameters = useParameters()
  const agent_id = parameters.of('agent')
  const limit = Math.min(1_000, Math.max(1, Number(parameters.of('limit')) || usual))
  const query = useQuery(graphQuery(useApi(), { agent_id, at: '', limit }))
  return (
    <Loaded query={query} what="The graph" skeleton={<Skeleton height="min(34rem, 62svh)" radius="md" />}>
      {(graph) =>
        graph.nodes.length === 0 && agent_id === '' ? (
          <EmptyGraph />
        ) : (
          <Explorer graph={graph} agent_id={agent_id} limit={limit} parameters={parameters} />
        )
      }
    </Loaded>
  )
}
