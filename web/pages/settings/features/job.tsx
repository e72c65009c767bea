import { Alert, Progress, Spoiler, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { InstallJob } from '../../../api/features.ts'
import json from '../../../parts/json-view.module.css'

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
      {log.length > 0 && (
        <Spoiler maxHeight={90} showLabel="Whole log" hideLabel="Less">
          <pre className={json.json}>{log.join('\n')}</pre>
        </Spoiler>
      )}
    </Stack>
  )
}
