import { Button, Group } from '@mantine/core'

interface MoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

export function More({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreProps) {
  if (!hasNextPage) return null
  return (
    <Group justify="center" p="sm">
      <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        Show more
      </Button>
    </Group>
  )
}
