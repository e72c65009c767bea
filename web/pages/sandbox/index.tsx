import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconBox, IconPlus, IconTrash } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { Container, SandboxStatus } from '../../../runtime/sandbox/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { AdministratorsOnly } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { Confirm, DeleteButton } from '../../parts/confirm.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, Loaded, PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader, Panel, Row } from '../../parts/page.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ContainerStatus, StartStop } from './actions.tsx'

const ContainerPage = lazily(() => import('./container-page.tsx'), 'ContainerPage', <PageSkeleton />)
const SectionForm = lazily(
  () => import('../settings/section-form.tsx'),
  'SectionForm',
  <SkeletonRows count={6} />,
)

const views = [
  { href: '/sandbox', label: 'Containers' },
  { href: '/sandbox/limits', label: 'Limits' },
]

/** `/sandbox`; `/sandbox/limits` is the configuration, `/sandbox/<id>` one container. */
export function Sandbox() {
  const { id } = useParams<{ id?: string }>()
  if (id && id !== 'limits') return <ContainerPage key={id} id={id} />
  return (
    <div className="page">
      <PageHeader title="Sandbox" description="Commands run here, isolated from the rest of this machine.">
        {id !== 'limits' && <NewContainer />}
      </PageHeader>
      <Views label="Views of the sandbox" views={views} current={id ? '/sandbox/limits' : '/sandbox'} />
      {id === 'limits' ? (
        <AdministratorsOnly>
          <SectionForm name="sandbox" title="Limits of every container" />
        </AdministratorsOnly>
      ) : (
        <Stack gap="lg">
          <EnginePanel />
          <Containers />
        </Stack>
      )}
    </div>
  )
}

const stale = ['/api/sandbox']

function NewContainer() {
  const [, navigate] = useLocation()
  const status = useEndpoint('/api/sandbox/status').data
  const known =
    usePages('/api/sandbox/containers', {}).data?.pages.flatMap(({ containers }) => containers) ?? []
  const name = freeName(known.map((container) => container.name))
  const create = useChange((api) => api.post('/api/sandbox/containers', { body: { name } }), {
    stale,
    done: ({ id }) => navigate(`/sandbox/${id}`),
  })
  return (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={status?.available !== true}
      loading={create.isPending}
      onClick={() => create.mutate()}
    >
      New container
    </Button>
  )
}

function freeName(taken: readonly string[]): string {
  let name = 'Container'
  for (let number = 2; taken.includes(name); number += 1) name = `Container ${number}`
  return name
}

const EnginePanel = () => (
  <Panel title="Engine">
    <Loaded query={useEndpoint('/api/sandbox/status')} what="The engine">
      {(status) => (
        <Stack px="md" pb="md" gap="sm">
          {status.problem && (
            <Alert color="yellow" title="No commands can run" role="status">
              {status.problem}
            </Alert>
          )}
          {status.engines.map((engine) => (
            <EngineRow key={engine.backend} engine={engine} used={engine.backend === status.backend} />
          ))}
        </Stack>
      )}
    </Loaded>
  </Panel>
)

function EngineRow({ engine, used }: { engine: SandboxStatus['engines'][number]; used: boolean }) {
  const { backend, available, version, problem } = engine
  return (
    <div>
      <Group gap="xs">
        <Text fw={500}>{backend}</Text>
        {version && <Code>{version}</Code>}
        <StatusBadge
          label={used ? 'In use' : available ? 'Available' : 'Not available'}
          color={available ? 'teal' : 'gray'}
        />
      </Group>
      {problem && (
        <Text size="sm" c="dimmed">
          {problem}
        </Text>
      )}
    </div>
  )
}

function Containers() {
  const query = usePages('/api/sandbox/containers', {})
  const prune = useChange((api) => api.post('/api/sandbox/prune'), {
    stale,
    done: ({ count }) =>
      announce(count === 1 ? '1 container was deleted' : `${count} containers were deleted`),
  })
  const button = (
    <Confirm
      question="Delete all stopped containers with their files? This cannot be undone."
      verb="Delete"
      confirm={() => prune.mutate()}
    >
      {(toggle) => (
        <SmallButton icon={IconTrash} loading={prune.isPending} onClick={toggle}>
          Delete stopped
        </SmallButton>
      )}
    </Confirm>
  )
  return (
    <Panel title="Containers" count={query.data?.pages[0]?.total} action={button}>
      <List
        query={query}
        what="Containers"
        items={({ pages }) => pages.flatMap((page) => page.containers)}
        empty={
          <EmptyState icon={<IconBox size={28} />} title="No containers yet">
            Agents get one when they first run a command. Each keeps its files until it is deleted.
          </EmptyState>
        }
      >
        {(container) => <ContainerRow key={container.id} container={container} />}
      </List>
    </Panel>
  )
}

function ContainerRow({ container }: { container: Container }) {
  const { id, name, backend, memory_mb, cpu_limit, network, last_used_at } = container
  const remove = useChange((api) => api.delete('/api/sandbox/containers/{id}', { params: { id } }), {
    stale,
    done: () => announce(`${name} was deleted`),
  })
  return (
    <Row
      name={name}
      badges={<ContainerStatus container={container} />}
      actions={
        <>
          <LinkButton href={`/sandbox/${id}`} aria-label={`Open ${name}`}>
            Open
          </LinkButton>
          <StartStop container={container} />
          <DeleteButton what={name} remove={remove} />
        </>
      }
    >
      <Text size="xs" c="dimmed" component="div">
        {backend} · {memory_mb} MB · {cpu_limit} {cpu_limit === 1 ? 'core' : 'cores'} ·{' '}
        {network === 'none' ? 'no network' : 'network'} · used <Time at={last_used_at} />
        {container.agent_id && (
          <>
            {' '}
            · <TextLink href={`/agents/${container.agent_id}`}>agent</TextLink>
          </>
        )}
      </Text>
    </Row>
  )
}
