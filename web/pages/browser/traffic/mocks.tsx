import {
  Button,
  Collapse,
  Group,
  JsonInput,
  NumberInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconMask } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mocksQuery } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { byteSize, counted } from '../../../parts/numbers.ts'
import { useDesk } from '../desk.tsx'

const empty = { url_pattern: '', status_code: 200, body: '', headers: '' }

/** Answers of our own to some addresses; the newest that fits wins. */
export function Mocks() {
  const api = useApi()
  const [opened, setOpened] = useState(false)
  const count = useDesk().live.state?.mocks ?? 0
  const clear = useMutation({
    mutationFn: () => api.remove<{ cleared: number }>('/api/browser/mock'),
    onSuccess: ({ cleared }) => announce(`${counted(cleared, 'mock', 'mocks')} removed`),
  })
  return (
    <Stack gap="xs" px="sm" pb="sm">
      <Group gap="xs">
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconMask size={14} />}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          Answer in the network’s place
        </Button>
        {count > 0 && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            loading={clear.isPending}
            onClick={() => clear.mutate()}
          >
            Remove all mocks
          </Button>
        )}
      </Group>
      {count > 0 && <Listed count={count} />}
      <Collapse expanded={opened}>{opened && <MockForm close={() => setOpened(false)} />}</Collapse>
    </Stack>
  )
}

/** The newest answers where several fit. */
function Listed({ count }: { count: number }) {
  const mocks = useQuery(mocksQuery(useApi(), count)).data?.mocks ?? []
  return (
    <ol aria-label="Mocks" style={{ margin: 0, paddingLeft: '1.2rem' }}>
      {mocks.map(({ url_pattern, status_code, body }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: mocks have no name, and equal ones are alike
        <li key={place}>
          <Text size="xs" style={{ overflowWrap: 'anywhere' }} title={body.slice(0, 500)}>
            {url_pattern}{' '}
            <Text span size="xs" c="dimmed">
              → {status_code}
              {body && ` · ${byteSize(new Blob([body]).size)}`}
            </Text>
          </Text>
        </li>
      ))}
    </ol>
  )
}

function MockForm({ close }: { close: () => void }) {
  const api = useApi()
  const [mock, setMock] = useState(empty)
  const change = (some: Partial<typeof empty>) => setMock((before) => ({ ...before, ...some }))
  const add = useMutation({
    mutationFn: () =>
      api.post('/api/browser/mock', { ...mock, headers: JSON.parse(mock.headers || '{}') as unknown }),
    meta: { shown: true },
    onSuccess() {
      announce('The mock answers from now on')
      close()
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
  const errors = fieldErrors(add.error)
  const headersError = Object.entries(errors).find(([path]) => path.split('.')[0] === 'headers')?.[1]
  return (
    <form
      aria-label="New mock"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Stack gap="xs">
        <TextInput
          size="xs"
          label="Addresses"
          placeholder="https://example.com/api/*"
          required
          value={mock.url_pattern}
          error={errors.url_pattern}
          onChange={(event) => change({ url_pattern: event.currentTarget.value })}
        />
        <NumberInput
          size="xs"
          label="Status"
          min={100}
          max={599}
          value={mock.status_code}
          error={errors.status_code}
          onChange={(next) => change({ status_code: Number(next) })}
        />
        <Textarea
          size="xs"
          label="Body"
          autosize
          minRows={2}
          maxRows={8}
          value={mock.body}
          error={errors.body}
          onChange={(event) => change({ body: event.currentTarget.value })}
        />
        <JsonInput
          size="xs"
          label="Headers (JSON)"
          placeholder='{"content-type": "application/json"}'
          validationError="This is no JSON"
          autosize
          minRows={1}
          value={mock.headers}
          error={headersError}
          onChange={(headers) => change({ headers })}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs" loading={add.isPending}>
            Add the mock
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
