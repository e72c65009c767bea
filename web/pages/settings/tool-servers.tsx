import {
  Alert,
  Badge,
  List as Bullets,
  Group,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { IconAlertTriangle, IconBooks, IconPlug } from '@tabler/icons-react'
import { useState } from 'react'
import type { Approved, ServerChanges, ToolEntry, ToolServer } from '../../../runtime/settings/mcp/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce, announceError } from '../../parts/announce.ts'
import { ActionButton, AddButton, SmallButton } from '../../parts/buttons.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel, Row } from '../../parts/page.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const ServerDrawer = lazily(() => import('./tool-server-drawer.tsx'), 'ServerDrawer')
const Catalog = lazily(() => import('./tool-catalog.tsx'), 'Catalog')

/** What the drawer shows: a server id, `new` or `catalog`. */
type Opened = string | null

export function ToolServers() {
  const query = useEndpoint('/api/settings/skills/mcp', { query: { limit: 200 } })
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const server = query.data?.servers.find(({ id }) => id === opened) ?? null
  const add = (
    <Group gap="xs">
      <SmallButton icon={IconBooks} onClick={() => setOpened('catalog')}>
        Catalog
      </SmallButton>
      <AddButton onClick={() => setOpened('new')}>Add a server</AddButton>
    </Group>
  )
  const empty = (
    <EmptyState icon={<IconPlug />} title="No tool servers yet">
      Add one from the catalog, or any program or URL that implements the Model Context Protocol.
    </EmptyState>
  )
  return (
    <Panel title="Tool servers" count={query.data?.total} action={add}>
      <List
        query={query}
        what="Tool servers"
        items="servers"
        empty={empty}
        skeleton={<SkeletonRows count={3} height={72} />}
      >
        {(one) => <ServerRow key={one.id} server={one} edit={() => setOpened(one.id)} />}
      </List>

      {opened === 'catalog' && <Catalog close={close} />}
      {(opened === 'new' || server) && <ServerDrawer server={server} close={close} />}
    </Panel>
  )
}

const states: Record<ToolServer['status'], { label: string; color: string }> = {
  disabled: { label: 'Off', color: 'gray' },
  idle: { label: 'Starts when needed', color: 'teal' },
  connecting: { label: 'Connecting…', color: 'yellow' },
  connected: { label: 'Connected', color: 'teal' },
  restarting: { label: 'Restarting…', color: 'yellow' },
  failed: { label: 'Failed', color: 'red' },
}

function ServerRow({ server, edit }: { server: ToolServer; edit: () => void }) {
  const [opened, setOpened] = useState(false)
  const { connect, disconnect, discover, test } = useServer(server)
  const { label, color } = states[server.status]
  const disabled = [connect, disconnect, discover, test].some(({ isPending }) => isPending)
  const action = { disabled }
  return (
    <Row
      name={server.name}
      badges={<Badge color={color}>{label}</Badge>}
      actions={
        <>
          {server.enabled ? (
            <ActionButton {...action} run={disconnect}>
              Disconnect
            </ActionButton>
          ) : (
            <ActionButton {...action} variant="filled" run={connect}>
              Connect
            </ActionButton>
          )}
          <ActionButton {...action} run={test}>
            Test
          </ActionButton>
          {!server.suspended && (
            <ActionButton {...action} run={discover}>
              Find tools
            </ActionButton>
          )}
          <SmallButton {...action} onClick={edit}>
            Edit
          </SmallButton>
        </>
      }
      details={
        <>
          {server.last_error && (
            <Text size="sm" c="var(--mantine-color-error)">
              {server.last_error}
            </Text>
          )}
          {server.suspended && <Suspended server={server} approve={discover} />}
          {opened && <ToolList server={server} />}
        </>
      }
    >
      <Hint className="mono">{server.url ?? [server.command, ...server.args].join(' ')}</Hint>
      {server.tools.length > 0 && (
        <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {counted(server.tools.length, 'tool', 'tools')}
        </UnstyledButton>
      )}
    </Row>
  )
}

interface SuspendedProps {
  server: ToolServer
  approve: ReturnType<typeof useServer>['discover']
}

const differences = { changed: 'Changed', new: 'New', gone: 'No longer offered' } as const

/** A tool that was harmless when approved may have changed since. */
function Suspended({ server, approve }: SuspendedProps) {
  const changed = server.tools.filter(({ state }) => state in differences)
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title="Its tools differ from what was approved"
    >
      <Bullets size="sm">
        {changed.map(({ name, state, description }) => (
          <Bullets.Item key={name}>
            {differences[state as keyof typeof differences]}: <span className="mono">{name}</span>
            {state === 'new' && description && `, “${description}”`}
          </Bullets.Item>
        ))}
      </Bullets>
      <Text size="sm" my="xs">
        Agents cannot use these tools until you approve them.
      </Text>
      <ActionButton variant="filled" run={approve}>
        Approve again
      </ActionButton>
    </Alert>
  )
}

const risks: Record<ToolEntry['risk'], { label: string; color: string }> = {
  low: { label: 'Read-only', color: 'gray' },
  medium: { label: 'May make changes', color: 'yellow' },
  high: { label: 'May delete data', color: 'red' },
}

/** The tools of a server, each with a switch that allows it for agents. */
function ToolList({ server }: { server: ToolServer }) {
  const { change } = useServer(server)
  const patterns = change.isPending ? (change.variables.tool_allow ?? server.tool_allow) : server.tool_allow
  const names = server.tools.map(({ name }) => name)
  return (
    <Stack gap="xs" mt="sm" component="ul" p={0} style={{ listStyle: 'none' }}>
      {server.tools.map(({ name, title, description, risk, change: changed }) => (
        <Group key={name} component="li" wrap="nowrap" align="flex-start" gap="sm">
          <Switch
            size="sm"
            mt={2}
            aria-label={`Allow ${name}`}
            checked={isAllowed(patterns, name)}
            onChange={(event) =>
              change.mutate({
                tool_allow: allowWith(patterns, names, { name, allowed: event.currentTarget.checked }),
              })
            }
          />
          <div className="grow">
            <Group gap={6}>
              <Text size="sm" className="mono">
                {name}
              </Text>
              <Badge size="xs" color={risks[risk].color}>
                {risks[risk].label}
              </Badge>
            </Group>
            <Hint lineClamp={2}>{description || title}</Hint>
            {changed && <Changed {...changed} />}
          </div>
        </Group>
      ))}
    </Stack>
  )
}

/** The tool before and after the change. */
function Changed({ before, after }: NonNullable<ToolEntry['change']>) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={4}>
      <JsonView label="As approved" value={before} />
      <JsonView label="Current" value={after} />
    </SimpleGrid>
  )
}

/** A pattern is a name or a prefix followed by `*`. */
const isAllowed = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  )

/** The patterns after one tool is toggled. `*` for all tools includes future ones. */
function allowWith(
  patterns: readonly string[],
  names: readonly string[],
  { name, allowed }: { name: string; allowed: boolean },
): string[] {
  const chosen = names.filter((one) => (one === name ? allowed : isAllowed(patterns, one)))
  return chosen.length === names.length ? ['*'] : chosen
}

/** Mutations of an existing server. */
function useServer({ id, name }: ToolServer) {
  const params = { id }
  const stale = ['/api/settings/skills/mcp']
  const toolCount = (tools: readonly unknown[]) => counted(tools.length, 'tool', 'tools')
  return {
    connect: useChange((api) => api.post('/api/settings/skills/mcp/{id}/connect', { params }), {
      stale,
      done: ({ tools }) => announce(`${name} is connected: ${toolCount(tools)}`),
    }),
    disconnect: useChange((api) => api.post('/api/settings/skills/mcp/{id}/disconnect', { params }), {
      stale,
    }),
    discover: useChange((api) => api.post('/api/settings/skills/mcp/{id}/discover', { params }), {
      stale,
      done: ({ approved }) => announce(`${name}: ${summaryOf(approved)}`),
    }),
    test: useChange((api) => api.post('/api/settings/skills/mcp/{id}/test', { params }), {
      stale,
      done({ ok, latency_ms, tools, error }) {
        if (ok) announce(`${name} answered in ${latency_ms} ms with ${toolCount(tools)}`)
        else announceError(new Error(`${name}: ${error ?? 'no reason given'}`))
      },
    }),
    change: useChange(
      (api, body: ServerChanges) => api.put('/api/settings/skills/mcp/{id}', { params, body }),
      { stale },
    ),
  }
}

function summaryOf({ added, changed, removed }: Approved['approved']): string {
  const parts = [
    added.length > 0 && `${added.length} new`,
    changed.length > 0 && `${changed.length} changed`,
    removed.length > 0 && `${removed.length} removed`,
  ].filter(Boolean)
  return parts.length === 0 ? 'no changes' : `${parts.join(', ')}, approved`
}
