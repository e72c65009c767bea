import { Button, Collapse, Group, JsonInput, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { IconMask } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'

const empty = { url_pattern: '', status_code: 200, body: '', headers: '' }

/** Answers of our own to some addresses; the newest that fits wins. */
export function Mocks() {
  const api = useApi()
  const [opened, setOpened] = useState(false)
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
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          loading={clear.isPending}
          onClick={() => clear.mutate()}
        >
          Remove all mocks
        </Button>
      </Group>
      <Collapse expanded={opened}>{opened && <MockForm close={() => setOpened(false)} />}</Collapse>
    </Stack>
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
          error={errors.headers}
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
