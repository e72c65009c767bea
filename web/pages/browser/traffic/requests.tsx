import { Badge, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { NetworkRequest } from '../../../api/browser.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { byteSize, whole } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'
import classes from '../browser.module.css'

/** One line for each; a click on one tells the rest of it. */
export const Requests = ({ requests }: { requests: readonly NetworkRequest[] }) => (
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
  const { method, url, resource_type, duration_ms, size_bytes, mocked, blocked_reason } = request
  const [opened, setOpened] = useState(false)
  return (
    <tr>
      <td>
        <UnstyledButton
          fz="inherit"
          title={url}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
          style={{ overflowWrap: 'anywhere' }}
        >
          {short(url)}
        </UnstyledButton>
        <Text size="xs" c="dimmed">
          {method} · {resource_type}
          {size_bytes !== null && ` · ${byteSize(size_bytes)}`}
        </Text>
        {blocked_reason && (
          <Text size="xs" c="var(--mantine-color-error)">
            {blocked_reason}
          </Text>
        )}
        {opened && <Rest request={request} />}
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

const Rest = ({ request: { url, mime_type, started_at, error } }: { request: NetworkRequest }) => (
  <Text size="xs" component="div" mt={4}>
    <span style={{ fontFamily: 'var(--mantine-font-family-monospace)' }}>{url}</span>{' '}
    <CopyButton value={url} what="the address" />
    <Text size="xs" c="dimmed" component="div">
      {[mime_type, error === 'blocked' ? null : error].filter(Boolean).join(' · ')} <Time at={started_at} />
    </Text>
  </Text>
)

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

/** Characters of an address that are shown; the rest is told on hover and on a click. */
const shown = 120
const short = (url: string) => {
  const plain = url.replace(/^https?:\/\//, '')
  return plain.length > shown ? `${plain.slice(0, shown)}…` : plain
}
