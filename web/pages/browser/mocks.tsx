import { Box, Button, Collapse, Group, Stack, Text } from '@mantine/core'
import { IconMask } from '@tabler/icons-react'
import { useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { byteSize, counted } from '../../parts/numbers.ts'
import { EndpointForm } from '../../parts/resource-form.tsx'
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

const MockForm = ({ close }: { close: () => void }) => (
  <EndpointForm
    aria-label="New mock"
    path="/api/browser/mock"
    verb="Add mock"
    close={close}
    saved={() => announce('Mock added')}
    gap="xs"
  />
)
