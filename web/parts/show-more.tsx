import { Group } from '@mantine/core'
import { SmallButton } from './buttons.tsx'

interface ShowMoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** The button below a list that loads its next page. */
export function ShowMore({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowMoreProps) {
  if (!hasNextPage) return null
  return (
    <Group justify="center" p="sm">
      <SmallButton loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        Show more
      </SmallButton>
    </Group>
  )
}
