import type { SaidText } from '../../runtime/ports/reader.ts'

/** To the thread. */
export type Question =
  | { id: number; reads: 'names'; texts: readonly string[] }
  | { id: number; reads: 'facts'; texts: readonly SaidText[] }

/** From the thread: what each text holds, or why nothing was read. */
export type Answer = { id: number; found: unknown[] } | { id: number; error: string }
