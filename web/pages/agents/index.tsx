import { Button, SimpleGrid } from '@mantine/core'
import { IconPlus, IconRobot } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { agentsQuery } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { CardSkeletons, EmptyState } from '../../parts/states.tsx'
import { AgentCard } from './agent-card.tsx'
import { ImportButton } from './import-button.tsx'

/** The editor is as large as the rest of the page, and comes when it is first opened. */
const AgentDrawer = lazy(async () => ({ default: (await import('./agent-drawer.tsx')).AgentDrawer }))

/** `/agents/new` and `/agents/<id>` open the editor beside the list. */
export function Agents() {
  const { id } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  const query = useQuery(agentsQuery(useApi()))
  const create = (
    <Button component={Link} href="/agents/new" leftSection={<IconPlus size={16} />}>
      New agent
    </Button>
  )
  return (
    <div className="page">
      <PageHeader title="Agents" description="Each has its own instructions, model, tools and memory.">
        <ImportButton />
        {create}
      </PageHeader>
      <Loaded query={query} what="Agents" skeleton={<CardSkeletons count={3} height={210} />}>
        {({ agents }) =>
          agents.length === 0 ? (
            <EmptyState icon={<IconRobot />} title="No agents yet" action={create}>
              Start from an expert such as a researcher or a writer, or from nothing.
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {agents.map((agent) => (
                <AgentCard key={agent.id} agent={agent} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
      {id !== undefined && (
        <Suspense>
          <AgentDrawer id={id} agents={query.data?.agents} close={() => navigate('/agents')} />
        </Suspense>
      )}
    </div>
  )
}
