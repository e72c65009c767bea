import { Button, Text } from '@mantine/core'
import { structuredPatch } from 'diff'
import { type ReactNode, useMemo, useState } from 'react'
import type { ApprovalChange } from '../../runtime/chat/schema.ts'
import { useEndpoint } from '../api/query.ts'
import classes from './file-diff.module.css'
import { whole } from './numbers.ts'
import { Muted } from './typography.tsx'

interface FileDiffProps {
  approval: string
  /** The lines hide something that the plain input shows. */
  open: boolean
  /** The plain input: shown on request, and whenever the lines do not show the whole change. */
  children: ReactNode
}

/** What an action would change in a file, line by line. */
export function FileDiff({ approval, open, children }: FileDiffProps) {
  const [wanted, setInput] = useState(false)
  const change = useEndpoint('/api/chat/approvals/{id}/change', { params: { id: approval } }).data
  if (!change || change.after === null)
    return (
      <>
        {change?.note && <Muted>This would fail now: {change.note}</Muted>}
        {children}
      </>
    )
  const mustShow = open || isLong(change)
  const input = wanted || mustShow
  return (
    <div>
      <Diff {...change} />
      {!mustShow && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setInput(!wanted)}>
          {wanted ? 'Hide input' : 'Show input'}
        </Button>
      )}
      {input && children}
    </div>
  )
}

const isLong = ({ before, after }: ApprovalChange): boolean => linesOf(before ?? '', after ?? '').length > maxLines

/** Maximum number of lines shown of a long change. */
const maxLines = 500

interface DiffProps extends Pick<ApprovalChange, 'path' | 'before' | 'after'> {}

/** The difference between two texts; `path` names what has changed. */
export function Diff({ path, before, after }: DiffProps) {
  const lines = useMemo(() => linesOf(before ?? '', after ?? ''), [before, after])
  const counts = `${whole(count(lines, '+'))} added, ${whole(count(lines, '-'))} removed`
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="xs" c="dimmed">
        {path}: {before === null ? 'a new file, ' : ''}
        {lines.length === 0 ? 'nothing changes' : `${counts} lines`}
        {lines.length > maxLines && `; the first ${whole(maxLines)} lines are shown`}
      </Text>
      <DiffLines lines={lines} />
    </figure>
  )
}

/** Lines that begin with `+`, `-` or a space. */
export const DiffLines = ({ lines }: { lines: readonly string[] }) => (
  // biome-ignore lint/a11y/useSemanticElements: no field is in this group
  // biome-ignore lint/a11y/noNoninteractiveTabindex: long changes are scrolled with the keyboard
  <pre className={classes.diff} tabIndex={0} aria-label="Changes" role="group">
    {lines.slice(0, maxLines).map((line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never move
      <span key={index} className={classes.line} data-change={line[0]}>
        {line}
      </span>
    ))}
  </pre>
)

const count = (lines: readonly string[], mark: string) => lines.filter((line) => line[0] === mark).length

/** The changed lines with three around them. Texts that are too different are shown one after the other. */
function linesOf(before: string, after: string): string[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: 500 })
  if (!patch) return [...marked(before, '-'), ...marked(after, '+')]
  return patch.hunks.flatMap(({ lines }, index) => [...(index > 0 ? [' ⋯'] : []), ...lines])
}

const marked = (text: string, mark: string) => text.split('\n').map((line) => mark + line)
