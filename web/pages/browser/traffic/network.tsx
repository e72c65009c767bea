import { Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconNetwork, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type NetworkRequest, requestsQuery } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { EmptyState } from '../../../parts/states.tsx'
import classes from '../browser.module.css'
import { HarTools } from './har.tsx'
import { Mocks } from './mocks.tsx'
import { Requests } from './requests.tsx'

/** As the tools of browsers sort them. */
const kinds: Record<string, (request: NetworkRequest) => boolean> = {
  'All requests': () => true,
  Pages: ({ resource_type }) => resource_type === 'document',
  'Fetch and XHR': ({ resource_type }) => /^(?:fetch|xhr|eventsource|websocket|ping)$/.test(resource_type),
  'Scripts and styles': ({ resource_type }) => /^(?:script|stylesheet|font)$/.test(resource_type),
  Media: ({ resource_type }) => /^(?:image|media)$/.test(resource_type),
  Failed: ({ error, status }) => error !== null || (status ?? 0) >= 400,
  Blocked: ({ error }) => error === 'blocked',
  Mocked: ({ mocked }) => mocked,
}
const all = 'All requests'

/** What pages ask the network for, the newest first. */
export function NetworkPanel({ running }: { running: boolean }) {
  const [search, setSearch] = useState('')
  const [kind, setKind] = useState(all)
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
        <Select
          size="xs"
          w={150}
          aria-label="Kind of requests"
          data={Object.keys(kinds)}
          value={kind}
          allowDeselect={false}
          onChange={(next) => setKind(next ?? all)}
        />
        {running && <HarTools />}
      </div>
      {running && <Mocks />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled with the keyboard */}
      <section className={classes.list} tabIndex={0} aria-label="Requests">
        <Loaded query={query} what="The requests">
          {({ requests }) => (
            <Matching
              requests={requests.filter(kinds[kind] ?? Boolean).toReversed()}
              narrowed={wanted !== '' || kind !== all}
            />
          )}
        </Loaded>
      </section>
    </>
  )
}

function Matching({ requests, narrowed }: { requests: readonly NetworkRequest[]; narrowed: boolean }) {
  if (requests.length > 0) return <Requests requests={requests} />
  const title = narrowed ? 'No request is like that' : 'No page has asked for anything yet'
  return <EmptyState icon={<IconNetwork size={28} />} title={title} />
}
