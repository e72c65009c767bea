import { Badge, Select, Table, Text, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFileDownload, IconNetwork, IconPlayerRecord } from '@tabler/icons-react'
import { useState } from 'react'
import type { NetworkRequest } from '../../../runtime/tabs/schema.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { byteSize, counted, whole } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import classes from './browser.module.css'
import { useBrowser } from './context.tsx'
import { Mocks } from './mocks.tsx'
import { Tools } from './name-form.tsx'

const all = 'All requests'

/** The categories of browsers' own developer tools. */
const filters: Record<string, (request: NetworkRequest) => boolean> = {
  [all]: () => true,
  Pages: ({ resource_type }) => resource_type === 'document',
  'Fetch and XHR': ({ resource_type }) => /^(?:fetch|xhr|eventsource|websocket|ping)$/.test(resource_type),
  'Scripts and styles': ({ resource_type }) => /^(?:script|stylesheet|font)$/.test(resource_type),
  Media: ({ resource_type }) => /^(?:image|media)$/.test(resource_type),
  Failed: ({ error, status }) => error !== null || (status ?? 0) >= 400,
  Blocked: ({ error }) => error === 'blocked',
  Mocked: ({ mocked }) => mocked,
}

/** The requests of all pages, newest first. */
export function NetworkPanel({ running }: { running: boolean }) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState(all)
  const [settled] = useDebouncedValue(search.trim(), 250)
  const query = useEndpoint('/api/browser/requests', { query: { url: settled, limit: 300 } }, { keepPrevious: true })
  return (
    <>
      <Tools>
        <SearchField size="xs" what="Filter by URL" value={search} change={setSearch} />
        <Select
          size="xs"
          w={150}
          aria-label="Request type"
          data={Object.keys(filters)}
          value={filter}
          allowDeselect={false}
          onChange={(next) => setFilter(next ?? all)}
        />
        {running && <HarButton />}
      </Tools>
      {running && <Mocks />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled with the keyboard */}
      <section className={`plain ${classes.list}`} tabIndex={0} aria-label="Requests">
        <Loaded query={query} what="Requests">
          {({ requests }) => (
            <Requests
              requests={requests.filter(filters[filter] ?? Boolean).toReversed()}
              emptyTitle={settled || filter !== all ? 'No matching requests' : 'No requests yet'}
            />
          )}
        </Loaded>
      </section>
    </>
  )
}

/** Records an HTTP archive of what pages load. Credentials in it are redacted. */
function HarButton() {
  const { live } = useBrowser()
  const status = useEndpoint('/api/browser/status')
  const har = live.state ? live.state.har : status.data?.har
  const refresh = useRefresh()
  if (!har)
    return (
      <ActionButton
        icon={IconPlayerRecord}
        run={(api) => api.post('/api/browser/har/start')}
        done={() => refresh('/api/browser/status')}
      >
        Record HAR
      </ActionButton>
    )
  return (
    <ActionButton
      variant="filled"
      color="red.9"
      icon={IconFileDownload}
      title={counted(har.entries, 'request', 'requests')}
      run={(api) => saveFile('browser.har', api.open('POST', '/api/browser/har/stop'))}
      done={() => {
        announce('HAR saved')
        return refresh('/api/browser/status')
      }}
    >
      Stop and save HAR
    </ActionButton>
  )
}

function Requests({ requests, emptyTitle }: { requests: readonly NetworkRequest[]; emptyTitle: string }) {
  if (requests.length === 0) return <EmptyState icon={<IconNetwork size={28} />} title={emptyTitle} />
  return (
    <Table fz="xs" layout="fixed" verticalSpacing={5} horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>URL</Table.Th>
          <Table.Th w="5.2rem">Status</Table.Th>
          <Table.Th w="4.6rem">Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {requests.map((request) => (
          <RequestRow key={request.id} request={request} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function RequestRow({ request }: { request: NetworkRequest }) {
  const { method, url, resource_type, duration_ms, size_bytes, mocked, blocked_reason } = request
  const [expanded, setExpanded] = useState(false)
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td>
        <UnstyledButton
          fz="inherit"
          title={url}
          aria-expanded={expanded}
          className="verbatim"
          onClick={() => setExpanded(!expanded)}
        >
          {shorten(url)}
        </UnstyledButton>
        <Hint>
          {method} · {resource_type}
          {size_bytes !== null && ` · ${byteSize(size_bytes)}`}
        </Hint>
        {blocked_reason && <Hint c="var(--mantine-color-error)">{blocked_reason}</Hint>}
        {expanded && <Details request={request} />}
      </Table.Td>
      <Table.Td>
        <Status request={request} />
        {mocked && (
          <Badge size="xs" variant="default">
            mock
          </Badge>
        )}
      </Table.Td>
      <Table.Td>{duration_ms === null ? '…' : `${whole(Math.round(duration_ms))} ms`}</Table.Td>
    </Table.Tr>
  )
}

const Details = ({ request: { url, mime_type, started_at, error } }: { request: NetworkRequest }) => (
  <Text size="xs" component="div" mt={4}>
    <span className="mono">{url}</span> <CopyButton value={url} what="URL" />
    <Hint>
      {[mime_type, error === 'blocked' ? null : error].filter(Boolean).join(' · ')} <Time at={started_at} />
    </Hint>
  </Text>
)

function Status({ request: { status, error } }: { request: NetworkRequest }) {
  if (error?.includes('blocked'))
    return (
      <Badge color="red" title={error}>
        blocked
      </Badge>
    )
  if (error)
    return (
      <Text span inherit c="var(--mantine-color-error)">
        {error}
      </Text>
    )
  if (status === null) return <span>…</span>
  return (
    <Text span inherit c={status >= 400 ? 'var(--mantine-color-error)' : undefined}>
      {status}
    </Text>
  )
}

/** Characters of a URL; the full one appears on hover and on a click. */
const maxUrl = 120

function shorten(url: string): string {
  const plain = url.replace(/^https?:\/\//, '')
  return plain.length > maxUrl ? `${plain.slice(0, maxUrl)}…` : plain
}
