import { emptyThread, type Thread } from './thread.ts'

/** What one page shows of a conversation. A new object whenever anything in it has changed. */
export interface SessionView {
  thread: Thread
  loaded: boolean
  /** Why it could not be read, or could not be read afresh. */
  error: unknown
  /** `lost` while a stream was cut and is sought again. */
  link: 'none' | 'live' | 'lost'
  loading_older: boolean
  loading_newer: boolean
}

export const emptyView: SessionView = {
  thread: emptyThread,
  loaded: false,
  error: null,
  link: 'none',
  loading_older: false,
  loading_newer: false,
}
