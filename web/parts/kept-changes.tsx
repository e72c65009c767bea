import type { KeptChange } from '../../runtime/tools/file-changes.ts'
import { Diff } from './file-diff.tsx'
import { Hint } from './typography.tsx'

/** What agents have changed in files, line by line. */
export const KeptChanges = ({ changes }: { changes: readonly KeptChange[] }) =>
  changes.map(({ path, before, after, note, undone, changed_at }) => (
    <div key={`${path} ${changed_at} ${undone}`}>
      {note !== null || after === null ? (
        <Hint>{`${path}: ${note ?? 'removed'}`}</Hint>
      ) : (
        <Diff path={path} before={before} after={after} />
      )}
      {undone && <Hint>Undone</Hint>}
    </div>
  ))
