import type { Statement } from '../../ports/sql.ts'

/** Kind of the work that consolidates by itself. */
export const nightlyKind = 'memory.nightly'

/** For the commit that changes its hour: the next indexing asks for it anew. */
export const forgetNightly = (): Statement => ({
  sql: `DELETE FROM work WHERE kind = ? AND status = 'queued'`,
  args: [nightlyKind],
})
