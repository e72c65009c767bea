import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconCopy, IconDownload, IconMessageCircle, IconPencil, IconRobot, IconStar } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { Agent } from '../../../runtime/tools/agent.ts'
import type { InputOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { LinkButton, NewLink } from '../../parts/buttons.tsx'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { executionModes } from '../../parts/execution-modes.ts'
import { Face } from '../../parts/face.tsx'
import { UploadButton } from '../../parts/files/transfer.tsx'
import { lazily } from '../../parts/lazily.ts'
import { CardSkeletons, EmptyState, Loaded } from '../../parts/list.tsx'
import { counted, money, whole } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Hint, Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

/** The editor is as large as the rest of the page, so it loads when first opened. */
const AgentDrawer = lazily(() => import('./agent-drawer.tsx'), 'AgentDrawer')

/** `/agents/new` and `/agents/<id>` open the editor next to the list. */
export function Agents() {
  const { id } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  const query = useEndpoint('/api/agents')
  const create = <NewLink href="/agents/new">New agent</NewLink>
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
              Start from a template such as a researcher or a writer, or from scratch.
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
      {id !== undefined && <AgentDrawer id={id} agents={query.data?.agents} close={() => navigate('/agents')} />}
    </div>
  )
}

function ImportButton() {
  const [, navigate] = useLocation()
  return (
    <UploadButton
      size="sm"
      accept="application/json,.json"
      upload={async (api, [file]) => api.post('/api/agents/import', { body: parsed((await file?.text()) ?? '') })}
      done={(agent) => navigate(`/agents/${agent.id}`)}
    >
      Import
    </UploadButton>
  )
}

function parsed(text: string): InputOf<'POST', '/api/agents/import'>['body'] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('This file is not an exported agent: it is not valid JSON')
  }
}

function AgentCard({ agent }: { agent: Agent }) {
  const { id, name, model } = agent
  return (
    <Stack component="article" className="card" p="md" gap="sm" aria-label={name} justify="space-between">
      <div>
        <Group wrap="nowrap" align="flex-start" gap="sm">
          <Face name={name} url={agent.avatar} />
          <div className="grow">
            <Text component="h2" fw={600} truncate>
              {name}
            </Text>
            <Group gap={6}>
              {agent.is_default && <Badge>Default</Badge>}
              {!agent.enabled && <Badge color="gray">Disabled</Badge>}
              <Badge variant="default">{model.model ?? model.provider ?? 'Automatic model'}</Badge>
            </Group>
          </div>
          <AgentMenu agent={agent} />
        </Group>
        <Muted mt="sm" lineClamp={2}>
          {agent.description || 'No description'}
        </Muted>
      </div>
      <div>
        <Hint>{executionModes[agent.execution_mode].label}</Hint>
        <Stats id={id} />
        <Group gap="xs" mt="sm">
          {agent.enabled && (
            <LinkButton variant="light" icon={IconMessageCircle} href={`/chat?agent=${id}`}>
              Chat
            </LinkButton>
          )}
          <LinkButton icon={IconPencil} href={`/agents/${id}`}>
            Edit
          </LinkButton>
        </Group>
      </div>
    </Stack>
  )
}

function Stats({ id }: { id: string }) {
  const stats = useEndpoint('/api/agents/{id}/stats', { params: { id } }).data
  // Reserves the height, so that nothing moves when the numbers arrive.
  if (!stats) return <Text size="xs">&nbsp;</Text>
  return (
    <Hint>
      {counted(stats.conversations, 'chat', 'chats')} · {counted(stats.turns, 'turn', 'turns')}
      {stats.failed_turns > 0 && ` (${whole(stats.failed_turns)} failed)`} ·{' '}
      {whole(stats.input_tokens + stats.output_tokens)} tokens · {money(stats.cost_usd)}
    </Hint>
  )
}

function AgentMenu({ agent: { id, name, is_default } }: { agent: Agent }) {
  const [, navigate] = useLocation()
  const params = { id }
  const duplicate = useChange((api) => api.post('/api/agents/{id}/duplicate', { params }), {
    done: (copy) => navigate(`/agents/${copy.id}`),
  })
  const makeDefault = useChange((api) => api.put('/api/agents/{id}', { params, body: { is_default: true } }))
  const download = useChange((api) =>
    saveFile(`${name}.agent.json`, api.open('GET', '/api/agents/{id}/export', { params })),
  )
  const isOther = !is_default
  return (
    <EntityMenu
      name={name}
      what="agent"
      effect="Its instructions and settings are deleted. Its conversations are kept."
      actions={[
        { label: 'Duplicate', icon: IconCopy, onClick: () => duplicate.mutate() },
        { label: 'Export', icon: IconDownload, onClick: () => download.mutate() },
        isOther && { label: 'Make default', icon: IconStar, onClick: () => makeDefault.mutate() },
      ]}
      remove={isOther && ((api) => api.delete('/api/agents/{id}', { params }))}
      removed={() => announce(`${name} was deleted`)}
    />
  )
}
