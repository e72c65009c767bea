import { Alert, Button, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconClick, IconListNumbers, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { Snapshot } from '../../../runtime/tabs/schema.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { Hint } from '../../parts/typography.tsx'
import classes from './browser.module.css'
import { useBrowser } from './context.tsx'
import { Tools } from './name-form.tsx'
import { changedLines, linesOf, type SnapshotLine, searchLines } from './snapshot-lines.ts'

/**
 * The page as agents see it: all elements that can be used, by number. A click on a line clicks the element.
 */
export function SnapshotPanel({ running }: { running: boolean }) {
  const { snapshot, tab } = useBrowser()
  const loading = <SkeletonRows count={8} height={30} />
  if (!running)
    return (
      <EmptyState icon={<IconListNumbers size={28} />} title="No page is open">
        Open a page to see its elements.
      </EmptyState>
    )
  if (!tab) return loading
  return (
    <Loaded query={snapshot} what="The snapshot" skeleton={loading}>
      {(data) => <Elements page={data} tab_id={tab.id} />}
    </Loaded>
  )
}

function Elements({ page, tab_id }: { page: Snapshot; tab_id: string }) {
  const { act, acting, outdated, snapshot } = useBrowser()
  const [search, setSearch] = useState('')
  const [onlyChanges, setOnlyChanges] = useState(false)
  const before = usePrevious(page.snapshot)
  const lines = linesOf(page.snapshot)
  const matching = searchLines(onlyChanges ? changedLines(lines, linesOf(before)) : lines, search)
  const refresh = () => void snapshot.refetch()
  const old = outdated && !snapshot.isFetching && acting === null
  return (
    <>
      <Tools>
        <SearchField size="xs" what="Search elements" value={search} change={setSearch} />
        <Switch
          size="xs"
          label="Changes only"
          checked={onlyChanges}
          onChange={(event) => setOnlyChanges(event.currentTarget.checked)}
        />
        <IconButton label="Refresh" icon={IconRefresh} loading={snapshot.isFetching} onClick={refresh} />
        <CopyButton value={page.snapshot} what="snapshot" />
      </Tools>
      {old && <Outdated refresh={refresh} />}
      <Hint px="sm" pb={6}>
        {counted(page.element_count, 'element', 'elements')}
        {(search || onlyChanges) && `, ${matching.length} shown`}
        {page.truncated && ', list incomplete'}
      </Hint>
      <ol className={`plain ${classes.list}`} aria-label="Elements of the page">
        {matching.map((line) => (
          <li key={`${line.index}${line.text}`}>
            <Line
              line={line}
              disabled={old || acting !== null}
              click={(index) => act({ action: 'click', index, tab_id })}
            />
          </li>
        ))}
        {matching.length === 0 && (
          <li>
            <EmptyState icon={<IconClick size={26} />} title={emptyTitle(page, search, onlyChanges)} />
          </li>
        )}
      </ol>
    </>
  )
}

/** The snapshot before the current one; empty at first. */
function usePrevious(snapshot: string): string {
  const [seen, setSeen] = useState({ before: '', now: snapshot })
  if (seen.now === snapshot) return seen.before
  setSeen({ before: seen.now, now: snapshot })
  return seen.now
}

interface LineProps {
  line: SnapshotLine
  disabled: boolean
  click: (index: number) => void
}

function Line({ line: { index, text }, disabled, click }: LineProps) {
  if (index === null)
    return (
      <Hint px="sm" py={4}>
        {text}
      </Hint>
    )
  return (
    <UnstyledButton fz="sm" className={classes.line} disabled={disabled} onClick={() => click(index)}>
      <span className={classes.number}>{index}</span>
      <span className="grow">{text}</span>
    </UnstyledButton>
  )
}

const Outdated = ({ refresh }: { refresh: () => void }) => (
  <Alert color="yellow" mx="sm" mb="xs" p="xs">
    <Text size="xs">
      The page has changed since this snapshot, so the numbers may be wrong.{' '}
      <Button size="compact-xs" variant="default" onClick={refresh}>
        Refresh
      </Button>
    </Text>
  </Alert>
)

function emptyTitle(page: Snapshot, search: string, onlyChanges: boolean): string {
  if (page.dialog) return 'The page is waiting for its dialog'
  if (search) return 'No matching elements'
  return onlyChanges ? 'No changes since the previous snapshot' : 'This page has no elements to use'
}
