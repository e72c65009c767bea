import { Badge, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconNetwork, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type NetworkRequest, requestsQuery } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { byteSize, whole } from '../../../parts/numbers.ts'
import { EmptyState } from '../../../parts/states.tsx'
import classes from '../browser.module.css'
import { HarTools } from './har.tsx'
import { Mocks } from './mocks.tsx'

/** What pages ask the network for, the newest first. */
export function NetworkPanel({ running }: { running: boolean }) {
  const [search, setSearch] = useState('')
  const [wanted] = useDebouncedValue(search.trim(), 250)
  const query = useQuery(requestsQuery(useApi(), wanted))
  return (
    <>
      <div className={classes.tools}>
        <TextInput
          className="grow"
          size="xs"
          aria-label="Only addresses that contain"
          placeholder="Only addresses that contain …"
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {running && <HarTools />}
      </div>
      {running && <Mocks />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled with the keyboard */}
      <section className={classes.list} tabIndex={0} aria-label="Requests">
        <Loaded query={query} what="The requests">
          {({ requests }) =>
            requests.length === 0 ? (
              <EmptyState
                icon={<IconNetwork size={28} />}
                title={wanted ? 'No request went there' : 'No page has asked for anything yet'}
              />
            ) : (
              <Requests requests={requests.toReversed()} />
            )
          }
        </Loaded>
      </section>
    </>
  )
}

const Requests = ({ requests }: { requests: readonly NetworkRequest[] }) => (
  <table className={classes.table}>
    <thead>
      <tr>
        <th>Address</th>
        <th style={{ width: '5.2rem' }}>Answer</th>
        <th style={{ width: '4.6rem' }}>Time</th>
      </tr>
    </thead>
    <tbody>
      {requests.map((request) => (
        <Row key={request.id} request={request} />
      ))}
    </tbody>
  </table>
)

function Row({ request }: { request: NetworkRequest }) {
  const { method, url, resource_type, duration_ms, size_bytes, mocked } = request
  return (
    <tr>
      <td>
        <span title={url}>{short(url)}</span>
        <Text size="xs" c="dimmed">
          {method} · {resource_type}
          {size_bytes !== null && ` · ${byteSize(size_bytes)}`}
        </Text>
      </td>
      <td>
        <Answer request={request} />
        {mocked && (
          <Badge size="xs" variant="default">
            mock
          </Badge>
        )}
      </td>
      <td>{duration_ms === null ? '…' : `${whole(Math.round(duration_ms))} ms`}</td>
    </tr>
  )
}

function Answer({ request: { status, error } }: { request: NetworkRequest }) {
  if (error?.includes('blocked'))
    return (
      <Badge size="sm" color="red" variant="light" title={error}>
        blocked
      </Badge>
    )
  if (error) return <span className={classes.bad}>{error}</span>
  if (status === null) return <span>…</span>
  return <span className={status >= 400 ? classes.bad : undefined}>{status}</span>
}

/** Characters of an address that are shown; the rest is told on hover. */
const shown = 120
const short = (url: string) => {
  const plain = url.replace(/^https?:\/\//, '')
  return plain.length > shown ? `${plain.slice(0, shown)}…` : plain
}
