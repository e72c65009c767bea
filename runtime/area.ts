import type { z } from 'zod'
import type { Host } from './host.ts'
import type { Statement } from './ports/sql.ts'
import type { Tool } from './tools/tool.ts'
import type { WorkKind } from './work/kind.ts'
import type { WorkSource } from './work/source.ts'

/**
 * What one area contributes to the program. The host, the queue, the tool registry, the settings and the documents
 * are built from a list of these. Everything heavy is behind a loader, so that a start waits for none of it.
 */
export interface Area {
  name: string
  /** Tables that this area owns: no other names them in SQL. */
  tables?: readonly string[]
  /** Kinds of work by name; each is loaded when its first unit is due. */
  work?: Readonly<Record<string, () => Promise<WorkKind>>>
  /** What queues work by the clock. */
  sources?: readonly WorkSource[]
  /** Payload schema of every event that the area commits, by event type. */
  events?(): Promise<Readonly<Record<string, z.ZodType>>>
  /**
   * Runs at every start, after migration and before the host is ready. `alone` means that no other process uses the
   * database.
   */
  start?(host: Host, options: { alone: boolean }): Promise<void> | void
  /** Deletes rows that are older than they must be kept; runs once a day at most. */
  prune?(host: Host): Promise<readonly Statement[]>
  /** Tools for agents, in the order in which models see them. */
  tools?(): Promise<readonly Tool[]>
}

export const defineArea = <Definition extends Area>(area: Definition): Definition => area
