import { ActionIcon, Alert, Button, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import { IconClick, IconListNumbers, IconRefresh, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { Snapshot } from '../../../api/browser.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import classes from '../browser.module.css'
import { useDesk } from '../desk.tsx'
import { changed, found, linesOf, type SnapshotLine } from './lines.ts'

/** What agents see of the page: everything one can use, by number. A click on a line clicks the element. */
export function SnapshotPanel({ running }: { running: boolean }) {
  const { snapshot, tab } = useDesk()
  if (!running)
    return (
      <EmptyState icon={<IconListNumbers size={28} />} title="No page is open">
        Open an address to see what can be used on it.
      </EmptyState>
    )
  if (!tab) return <SkeletonRows count={8} height={30} />
  return (
    <Loaded query={snapshot} what="The snapshot" skeleton={<SkeletonRows count={8} height={30} />}>
      {(whole) => <Lines whole={whole} tab_id={tab.id} />}
    </Loaded>
  )
}

function Lines({ whole, tab_id }: { whole: Snapshot; tab_id: string }) {
  const { act, acting, outdated, snapshot } = useDesk()
  const [search, setSearch] = useState('')
  const [onlyNew, setOnlyNew] = useState(false)
  const before = useBefore(whole.snapshot)
  const lines = linesOf(whole.snapshot)
  const matching = found(onlyNew ? changed(lines, linesOf(before)) : lines, search)
  const look = () => void snapshot.refetch()
  const old = outdated && !snapshot.isFetching && acting === null
  return (
    <>
      <div className={classes.tools}>
        <TextInput
          className="grow"
          size="xs"
          aria-label="Search the lines"
          placeholder="Search the lines"
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Switch
          size="xs"
          label="Only changes"
          checked={onlyNew}
          onChange={(event) => setOnlyNew(event.currentTarget.checked)}
        />
        <Tooltip label="Look again">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Look again"
            loading={snapshot.isFetching}
            onClick={look}
          >
            <IconRefresh size={17} />
          </ActionIcon>
        </Tooltip>
        <CopyButton value={whole.snapshot} what="the snapshot" />
      </div>
      {old && <Outdated look={look} />}
      <Text size="xs" c="dimmed" px="sm" pb={6}>
        {counted(whole.element_count, 'element', 'elements')}
        {(search || onlyNew) && `, ${matching.length} shown`}
        {whole.truncated && ', not all of them listed'}
      </Text>
      <ol className={classes.list} aria-label="Elements of the page">
        {matching.map((line) => (
          <li key={`${line.index}${line.text}`}>
            <Line
              line={line}
              disabled={old || acting !== null}
              click={(index) => act({ action: 'click', index, tab_id })}
            />
          </li>
        ))}
        {matching.length === 0 && <Nothing {...{ whole, search, onlyNew }} />}
      </ol>
    </>
  )
}

/** The look before this one; empty on the first. */
function useBefore(snapshot: string): string {
  const [looks, setLooks] = useState({ before: '', now: snapshot })
  if (looks.now === snapshot) return looks.before
  setLooks({ before: looks.now, now: snapshot })
  return looks.now
}

interface LineProps {
  line: SnapshotLine
  disabled: boolean
  click: (index: number) => void
}

function Line({ line: { index, text }, disabled, click }: LineProps) {
  if (index === null)
    return (
      <Text size="xs" c="dimmed" px="sm" py={4}>
        {text}
      </Text>
    )
  return (
    <button type="button" className={classes.line} disabled={disabled} onClick={() => click(index)}>
      <span className={classes.number}>{index}</span>
      <span className="grow">{text}</span>
    </button>
  )
}

const Outdated = ({ look }: { look: () => void }) => (
  <Alert variant="light" color="yellow" mx="sm" mb="xs" p="xs">
    <Text size="xs">
      The page was used since this look, and its numbers may mean something else now.{' '}
      <Button size="compact-xs" variant="default" onClick={look}>
        Look again
      </Button>
    </Text>
  </Alert>
)

interface NothingProps {
  whole: Snapshot
  search: string
  onlyNew: boolean
}

function Nothing({ whole, search, onlyNew }: NothingProps) {
  const title = whole.dialog
    ? 'The page waits for an answer to its dialog'
    : search
      ? 'No line has these words'
      : onlyNew
        ? 'Nothing has changed since the last look'
        : 'Nothing on this page can be used'
  return (
    <li>
      <EmptyState icon={<IconClick size={26} />} title={title} />
    </li>
  )
}
