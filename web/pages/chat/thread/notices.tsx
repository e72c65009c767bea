import { Text } from '@mantine/core'
import { whole } from '../../../parts/numbers.ts'
import type { Notice } from '../state/thread.ts'

/** What happened to a turn beside its answer. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  return notices.map((notice, index) => {
    // Notices are only ever added at the end.
    const key = index
    return (
      <Text key={key} size="xs" c="dimmed" my={4}>
        {words(notice)}
      </Text>
    )
  })
}

function words(notice: Notice): string {
  if (notice.kind === 'fallback')
    return `Went on with ${notice.to}, because ${notice.from} failed: ${notice.reason}`
  return `Older messages were summarised: ${whole(notice.before_tokens)} → ${whole(notice.after_tokens)} tokens`
}
