import { Box, Button, Collapse, Group, JsonInput, Stack, Text } from '@mantine/core'
import { IconMask } from '@tabler/icons-react'
import { useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { useBrowser } from './context.tsx'

/** Mocked responses for some URLs. */
export function Mocks() {
  const [opened, setOpened] = useState(false)
  const count = useBrowser().live.state?.mocks ?? 0
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
          Mock responses
        </Button>
        {count > 0 && (
          <ActionButton
            size="compact-xs"
            variant="subtle"
            color="gray"
            run={(api) => api.delete('/api/browser/mock')}
            done={({ cleared }) => announce(`${counted(cleared, 'mock', 'mocks')} removed`)}
          >
            Remove all mocks
          </ActionButton>
        )}
      </Group>
      {count > 0 && <MockList key={count} />}
      <Collapse expanded={opened}>{opened && <MockForm close={() => setOpened(false)} />}</Collapse>
    </Stack>
  )
}

/** If several match a request, the newest is used. Mounted again when their number changes. */
function MockList() {
  const mocks = useEndpoint('/api/browser/mock', {}, { staleTime: 0 }).data?.mocks ?? []
  return (
    <Box component="ol" aria-label="Mocks" m={0} pl="1.2rem">
      {mocks.map(({ url_pattern, status_code, body }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: mocks have no ID, and equal ones are interchangeable
        <li key={index}>
          <Text size="xs" className="verbatim" title={body.slice(0, 500)}>
            {url_pattern}{' '}
            <Text span size="xs" c="dimmed">
              → {status_code}
              {body && ` · ${byteSize(new Blob([body]).size)}`}
            </Text>
          </Text>
        </li>
      ))}
    </Box>
  )
}

function MockForm({ close }: { close: () => void }) {
  const api = useApi()
  const form = useApiForm({
    initial: { url_pattern: '', status_code: 200, body: '', headers: '' },
    save: ({ headers, ...mock }) =>
      api.post('/api/browser/mock', { body: { ...mock, headers: JSON.parse(headers || '{}') } }),
    saved() {
      announce('Mock added')
      close()
    },
    fieldOf: (path) => (path.startsWith('headers.') ? 'headers' : path),
  })
  const { text, area, number } = inputsOf(form, { size: 'xs' })
  return (
    <EntityForm aria-label="New mock" form={form} verb="Add mock" size="xs" gap="xs">
      {text('url_pattern', 'URL pattern', { placeholder: 'https://example.com/api/*', required: true })}
      {number('status_code', 'Status', { min: 100, max: 599 })}
      {area('body', 'Body', [2, 8])}
      <JsonInput
        size="xs"
        label="Headers (JSON)"
        placeholder='{"content-type": "application/json"}'
        validationError="Invalid JSON"
        autosize
        minRows={1}
        {...form.getInputProps('headers')}
      />
    </EntityForm>
  )
}
