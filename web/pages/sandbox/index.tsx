import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconBox, IconPlus, IconTrash } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import { useEndpoint, usePages, useRefresh } from '../../api/query.ts'
import { AdministratorsOnly } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { ConfirmButton, DeleteButton } from '../../parts/confirm.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Loaded, PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, Muted, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ContainerStatus, StartStop } from './actions.tsx'

const ContainerPage = lazily(() => import('./container-page.tsx'), 'ContainerPage', <PageSkeleton />)
const SectionForm = lazily(() => import('../settings/section-form.tsx'), 'SectionForm', <SkeletonRows count={6} />)

const views = [
  { place: '', label: 'Containers' },
  { place: 'limits', label: 'Limits' },
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
      <Views label="Views of the sandbox" base="/sandbox" views={views} current={id ?? ''} />
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

function NewContainer() {
  const [, navigate] = useLocation()
  const status = useEndpoint('/api/sandbox/status').data
  const pages = usePages('/api/sandbox/containers', {}).data?.pages ?? []
  const taken = pages.flatMap(({ containers }) => containers.map(({ name }) => name))
  const create = useChange((api) => api.post('/api/sandbox/containers', { body: { name: freeName(taken) } }), {
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
          {status.engines.map(({ backend, available, version, problem }) => (
            <div key={backend}>
              <Group gap="xs">
                <Text fw={500}>{backend}</Text>
                {version && <Code>{version}</Code>}
                <StatusBadge
                  label={backend === status.backend ? 'In use' : available ? 'Available' : 'Not available'}
                  color={available ? 'teal' : 'gray'}
                />
              </Group>
              {problem && <Muted>{problem}</Muted>}
            </div>
          ))}
        </Stack>
      )}
    </Loaded>
  </Panel>
)

const Containers = () => (
  <ResourceList
    path="/api/sandbox/containers"
    items="containers"
    title="Containers"
    icon={IconBox}
    empty="Agents get one when they first run a command. Each keeps its files until it is deleted."
    actions={<Prune />}
    row={(container) => {
      const { id, name, backend, memory_mb, cpu_limit, network, last_used_at, agent_id } = container
      return {
        badges: <ContainerStatus container={container} />,
        actions: (
          <>
            <LinkButton href={`/sandbox/${id}`} aria-label={`Open ${name}`}>
              Open
            </LinkButton>
            <StartStop container={container} />
            <DeleteButton
              what={name}
              remove={(api) => api.delete('/api/sandbox/containers/{id}', { params: { id } })}
              done={() => announce(`${name} was deleted`)}
            />
          </>
        ),
        children: (
          <Hint>
            {backend} · {memory_mb} MB · {counted(cpu_limit, 'core', 'cores')} ·{' '}
            {network === 'none' ? 'no network' : 'network'} · used <Time at={last_used_at} />
            {agent_id && (
              <>
                {' '}
                · <TextLink href={`/agents/${agent_id}`}>agent</TextLink>
              </>
            )}
          </Hint>
        ),
      }
    }}
  />
)

function Prune() {
  const refresh = useRefresh()
  return (
    <ConfirmButton
      question="Delete all stopped containers with their files? This cannot be undone."
      verb="Delete"
      icon={IconTrash}
      run={(api) => api.post('/api/sandbox/prune')}
      done={({ count }) => {
        announce(`${counted(count, 'container was', 'containers were')} deleted`)
        return refresh('/api/sandbox')
      }}
    >
      Delete stopped
    </ConfirmButton>
  )
}
