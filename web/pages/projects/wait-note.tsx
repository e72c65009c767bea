import { Alert } from '@mantine/core'
import type { Wait } from '../../../runtime/work/schema.ts'
import { Time } from '../../parts/time.tsx'

/** Why something waits, and when it continues by itself. */
export function WaitNote({ wait: { until, message } }: { wait: Wait }) {
  return (
    <Alert color="gray" title="Waiting for the provider">
      Continues <Time at={until} />. {message}
    </Alert>
  )
}
