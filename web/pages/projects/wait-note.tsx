import { Alert } from '@mantine/core'
import type { Wait } from '../../../runtime/work/schema.ts'
import { counted } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'

/** Why something waits, when it continues by itself, and after how many hours it gives up. */
export function WaitNote({ wait: { until, message }, hours }: { wait: Wait; hours: number }) {
  return (
    <Alert color="gray" title="Waiting for the provider">
      Continues <Time at={until} />, and gives up after {counted(hours, 'hour', 'hours')}. {message}
    </Alert>
  )
}
