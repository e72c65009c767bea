import { Alert, Progress, ScrollArea, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { InstallJob } from '../../../api/features.ts'

const phases: Record<InstallJob['progress']['phase'], string> = {
  installing: 'Working out what is needed',
  downloading: 'Downloading',
  verifying: 'Checking',
}

/** How far an installation is, or why it failed, with the end of what the package manager says. */
export function Job({ job: { status, progress, error } }: { job: InstallJob }) {
  const { phase, done, total, log } = progress
  const share = total > 0 ? (done / total) * 100 : 0
  return (
    <Stack gap="xs" mt="sm">
      {status === 'running' && (
        <>
          <Text size="sm" role="status">
            {phases[phase]}
            {total > 0 && ` (${done} of ${total})`}
          </Text>
          <Progress value={share || 100} animated={share === 0} aria-label="Installation" />
        </>
      )}
      {error && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title="It was not installed" role="alert">
          {error}
        </Alert>
      )}
      {log.length > 0 && <Log lines={log} />}
    </Stack>
  )
}

function Log({ lines }: { lines: readonly string[] }) {
  return (
    <ScrollArea.Autosize
      mah={160}
      className="sunken"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Log' }}
    >
      <Text component="pre" className="mono" fz="xs" m={0} p="xs" style={{ whiteSpace: 'pre-wrap' }}>
        {lines.join('\n')}
      </Text>
    </ScrollArea.Autosize>
  )
}
