import type { Mock, OpenDialog } from '../browser/schema.ts'

export type { OpenDialog }

/** How the browser stands. Asking opens none. */
export interface BrowserStanding {
  running: boolean
  current_url: string | null
  /** How many. */
  tabs: number
  /** Milliseconds since the epoch. */
  started_at: number | null
  /** The archive that is being made; also while the browser is closed. */
  har: { started_at: number; entries: number } | null
  /** The newest first. */
  mocks: readonly Mock[]
  /** What pages ask; each stands still until it is answered. */
  dialogs: readonly OpenDialog[]
}
