import { Group, Pagination } from '@mantine/core'
import { Hint } from './typography.tsx'

interface PagesProps {
  /** The number of all, with the noun. */
  count: string
  total: number
  size: number
  /** Begins with 1. */
  page: number
  change: (page: number) => void
}

/** Below the rows of a page: how many there are, and the other pages. */
export const Pages = ({ count, total, size, page, change }: PagesProps) => (
  <Group justify="space-between" p="md">
    <Hint>{count}</Hint>
    {total > size && (
      <Pagination
        size="sm"
        total={Math.ceil(total / size)}
        value={page}
        getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        onChange={change}
      />
    )}
  </Group>
)
