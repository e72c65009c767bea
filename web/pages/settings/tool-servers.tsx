import { Alert, Badge, List as Bullets, Group, SimpleGrid, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconBooks, IconPlug } from '@tabler/icons-react'
import { useState } from 'react'
import type { Approved, ServerChanges, ToolEntry, ToolServer } from '../../../runtime/settings/mcp/schema.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { lazily } from '../../parts/lazily.ts'
import { counted } from '../../parts/numbers.ts'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { statusesOf } from '../../parts/statuses.ts'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const SecretLines = lazily(() => import('./tool-server-secrets.tsx'), 'SecretLines')
const Catalog = lazily(() => import('./tool-catalog.tsx'), 'Catalog')

const path = '/api/settings/skills/mcp'

export function ToolServers() {
  const [browsing, setBrowsing] = useState(false)
  return (
    <>
      <ResourcePage
        path={path}
        items="servers"
        noun="tool server"
        title="Tool servers"
        icon={IconPlug}
        height={72}
        empty="Add one from the catalog, or any program or URL that implements the Model Context Protocol."
        add="Add a server"
        actions={
          <SmallButton icon={IconBooks} onClick={() => setBrowsing(true)}>
            Catalog
          </SmallButton>
        }
        row={(server) => ({
          badges: <Badge color={statusOf(server.status).color}>{statusOf(server.status).label}</Badge>,
          children: <Hint className="mono">{server.url ?? [server.command, ...server.args].join(' ')}</Hint>,
          actions: <Actions server={server} />,
          details: (
            <>
              {server.last_error && (
                <Text size="sm" c="var(--mantine-color-error)">
                  {server.last_error}
                </Text>
              )}
              {server.suspended && <Suspended server={server} />}
              {server.tools.length > 0 && <Tools server={server} />}
            </>
          ),
        })}
        form={{
          title: (server) => server?.name ?? 'Add a tool server',
          verb: 'Add',
          start: { transport: 'stdio' },
          effect: 'Its process stops, and agents lose its tools immediately.',
          fields: ({ transport }, server) => ({
            ...(transport === 'stdio'
              ? {
                  url: false,
                  headers: false,
                  env: (props) => <SecretLines {...props} sign="=" stored={server?.env_names} />,
                }
              : {
                  command: false,
                  args: false,
                  env: false,
                  headers: (props) => <SecretLines {...props} sign=":" stored={server?.header_names} />,
                }),
            tool_allow: false,
            enabled: false,
          }),
          layout: ['name', 'transport', 'command', 'args', 'env', 'url', 'headers', 'trust', 'timeout_seconds'],
          more: (_, server) => (
            <Hint>
              {server
                ? 'Changing how it connects disconnects it until you connect it again.'
                : 'It is not used until you connect it.'}
            </Hint>
          ),
        }}
      />
      {browsing && <Catalog close={() => setBrowsing(false)} />}
    </>
  )
}

const statusOf = statusesOf<ToolServer['status']>({
  disabled: 'Off',
  idle: 'Starts when needed',
  connecting: 'Connecting…',
  restarting: 'Restarting…',
})

const toolCount = (tools: readonly unknown[]) => counted(tools.length, 'tool', 'tools')

function Actions({ server: { id, name, enabled, status, suspended } }: { server: ToolServer }) {
  const params = { id }
  const disabled = status === 'connecting'
  return (
    <>
      {enabled ? (
        <ActionButton disabled={disabled} run={(api) => api.post(`${path}/{id}/disconnect`, { params })}>
          Disconnect
        </ActionButton>
      ) : (
        <ActionButton
          variant="filled"
          disabled={disabled}
          run={(api) => api.post(`${path}/{id}/connect`, { params })}
          done={({ tools }) => announce(`${name} is connected: ${toolCount(tools)}`)}
        >
          Connect
        </ActionButton>
      )}
      <ActionButton
        disabled={disabled}
        run={(api) => api.post(`${path}/{id}/test`, { params })}
        done={({ ok, latency_ms, tools, error }) => {
          if (ok) announce(`${name} answered in ${latency_ms} ms with ${toolCount(tools)}`)
          else announceError(new Error(`${name}: ${error ?? 'no reason given'}`))
        }}
      >
        Test
      </ActionButton>
      {!suspended && <Discover id={id} name={name} verb="Find tools" disabled={disabled} />}
    </>
  )
}

interface DiscoverProps {
  id: string
  name: string
  verb: string
  disabled?: boolean
  variant?: 'filled'
}

/** Reads the tools of a server, and approves them as they are. */
const Discover = ({ id, name, verb, ...button }: DiscoverProps) => (
  <ActionButton
    {...button}
    run={(api) => api.post(`${path}/{id}/discover`, { params: { id } })}
    done={({ approved }) => announce(`${name}: ${summaryOf(approved)}`)}
  >
    {verb}
  </ActionButton>
)

const differences = { changed: 'Changed', new: 'New', gone: 'No longer offered' } as const

/** A tool that was harmless when approved may have changed since. */
function Suspended({ server }: { server: ToolServer }) {
  const changed = server.tools.filter(({ state }) => state in differences)
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="Its tools differ from what was approved">
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
      <Discover id={server.id} name={server.name} verb="Approve again" variant="filled" />
    </Alert>
  )
}

const risks: Record<ToolEntry['risk'], { label: string; color: string }> = {
  low: { label: 'Read-only', color: 'gray' },
  medium: { label: 'May make changes', color: 'yellow' },
  high: { label: 'May delete data', color: 'red' },
}

/** The tools of a server, each with a switch that allows it for agents. */
function Tools({ server }: { server: ToolServer }) {
  const [opened, { toggle }] = useDisclosure()
  const change = useChange((api, body: ServerChanges) => api.put(`${path}/{id}`, { params: { id: server.id }, body }))
  const patterns = change.isPending ? (change.variables.tool_allow ?? server.tool_allow) : server.tool_allow
  const names = server.tools.map(({ name }) => name)
  const toggleButton = (
    <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={toggle}>
      {toolCount(server.tools)}
    </UnstyledButton>
  )
  if (!opened) return toggleButton
  return (
    <>
      {toggleButton}
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
    </>
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
  patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name))

/** The patterns after one tool is toggled. `*` for all tools includes future ones. */
function allowWith(
  patterns: readonly string[],
  names: readonly string[],
  { name, allowed }: { name: string; allowed: boolean },
): string[] {
  const chosen = names.filter((one) => (one === name ? allowed : isAllowed(patterns, one)))
  return chosen.length === names.length ? ['*'] : chosen
}

function summaryOf({ added, changed, removed }: Approved['approved']): string {
  const parts = [
    added.length > 0 && `${added.length} new`,
    changed.length > 0 && `${changed.length} changed`,
    removed.length > 0 && `${removed.length} removed`,
  ].filter(Boolean)
  return parts.length === 0 ? 'no changes' : `${parts.join(', ')}, approved`
}
