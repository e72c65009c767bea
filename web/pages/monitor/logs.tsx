import { Badge, Box, Group, NativeSelect, Switch, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFileText } from '@tabler/icons-react'
import { useState } from 'react'
import type { LogLine } from '../../../runtime/monitoring/logs.ts'
import { useEndpoint } from '../../api/query.ts'
import { AdministratorsOnly } from '../../parts/administrators-only.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { exact, useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'
import { useLogTail } from './use-log-tail.ts'

const levels = [
  { value: 'debug', label: 'Everything' },
  { value: 'info', label: 'Information and above' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors' },
] as const

export const Logs = () => (
  <AdministratorsOnly reason="Only administrators can read the log, because it covers the work of all users.">
    <LogView />
  </AdministratorsOnly>
)

/** The latest lines, newest first, and new ones as they are written. Level and area are in the URL. */
function LogView() {
  const { get, set } = useParameters()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), 250)
  const [live, setLive] = useState(true)
  const level = levels.find(({ value }) => value === get('level'))?.value ?? 'info'
  const filter = { level, area: get('area'), text: settled }
  const query = useEndpoint(
    '/api/monitoring/logs',
    { query: { ...filter, limit: 500 } },
    { keepPrevious: true, gcTime: 0 },
  )
  const tail = useLogTail(filter, live)
  return (
    <section className="card" aria-label="Log">
      <Group p="md" gap="xs">
        <SearchField what="Search the log" miw={220} data-search value={text} change={setText} />
        <NativeSelect
          aria-label="Level"
          data={[...levels]}
          value={level}
          onChange={(event) => set({ level: event.currentTarget.value })}
        />
        <NativeSelect
          aria-label="Area"
          data={[{ value: '', label: 'All areas' }, ...(query.data?.areas ?? [])]}
          value={filter.area}
          onChange={(event) => set({ area: event.currentTarget.value })}
        />
        <Switch label="Follow" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
      </Group>
      <Loaded query={query} what="The log">
        {({ logs, total }) => {
          const lines = [...tail, ...logs.toReversed()]
          if (lines.length === 0)
            return (
              <EmptyState icon={<IconFileText />} title="No matching lines">
                Change the filter above.
              </EmptyState>
            )
          return (
            <>
              <Lines lines={lines} />
              <Hint p="md">{counted(total + tail.length, 'line matches', 'lines match')}</Hint>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const colors: Record<LogLine['level'], string> = { debug: 'gray', info: 'teal', warn: 'yellow', error: 'red' }

function Lines({ lines }: { lines: readonly LogLine[] }) {
  const zone = useZone()
  return (
    <Box
      className="divided"
      mah="60vh"
      style={{ overflow: 'auto', borderTop: '1px solid var(--line)' }}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Lines"
    >
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be equal
        <div key={`${line.at} ${lines.length - place}`} style={{ padding: '0.35rem 1rem' }}>
          <Group gap="xs" wrap="nowrap">
            <Text component="time" size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }} dateTime={line.at}>
              {exact(line.at, zone)}
            </Text>
            <Badge size="xs" variant="light" color={colors[line.level]}>
              {line.level}
            </Badge>
            <Hint>{line.area}</Hint>
          </Group>
          <Text size="sm" className="mono">
            {line.message}{' '}
            <Text span inherit c="dimmed">
              {fieldsText(line.fields)}
            </Text>
          </Text>
        </div>
      ))}
    </Box>
  )
}

const fieldsText = (fields: LogLine['fields']) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
