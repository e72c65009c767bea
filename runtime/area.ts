import type { z } from 'zod'
import type { Automation } from './automation.ts'
import type { Context } from './context.ts'
import type { Intent, Verdict } from './gate.ts'
import type { Area, Host } from './host.ts'
import type { Waiting } from './inbox.ts'
import type { Statement } from './ports/sql.ts'
import type { ReferenceKind } from './references.ts'
import type { Retained, RetentionKind } from './retention.ts'
import type { ListedRun, RunsFilter } from './run-summary.ts'
import type { Target, TargetKind } from './schedules/targets.ts'
import type { Agent } from './tools/agent.ts'
import type { Tool } from './tools/tool.ts'
import type { WorkKind } from './work/kind.ts'
import type { WorkSource } from './work/source.ts'

/** Whether a thing exists and the caller may refer to it: somebody else's is like one that does not exist. */
export type ReferenceCheck = (context: Context, name: string) => Promise<boolean>

/** A column that holds sealed texts, alone or inside JSON. */
export interface SealedColumn {
  table: string
  column: string
  /** The column that tells the rows apart; default `id`. */
  key?: string
  /** What the texts are sealed for. */
  purpose: string | ((key: string) => string)
}

declare module './host.ts' {
  /**
   * What one area contributes to the program. The host, the queue, the tool registry and the API
   * documentation are built from a list of areas. Heavy modules are imported lazily to keep startup fast.
   */
  export interface Area {
    /** Tables owned by this area. No other area names them in SQL. */
    tables?: readonly string[]
    /** The tables among these whose rows belong to a user, given by the column `owner_id`. */
    owned_tables?: readonly string[]
    /** Where the tables hold sealed credentials. They are redacted from the start of a process on. */
    sealed?: readonly SealedColumn[]
    /**
     * Types of events about shared resources, which everyone may see. All others belong to their owner
     * alone.
     */
    shared_events?: readonly string[]
    /** Types of events that only administrators see. */
    admin_events?: readonly string[]
    /** Loaders of the work kinds, by name. A kind is loaded when its first unit is due. */
    work?: Readonly<Record<string, () => Promise<WorkKind>>>
    /** Sources that queue work at given times. */
    sources?: readonly WorkSource[]
    /** Payload schemas of the area's events, by event type. */
    events?(): Promise<Readonly<Record<string, z.ZodType>>>
    /**
     * Runs at every start, after migration and before the host is ready. `alone` means that no other process
     * uses the database.
     */
    start?(host: Host, options: { alone: boolean }): Promise<void> | void
    /** Data that the retention settings delete by age. */
    retained?: Readonly<Partial<Record<RetentionKind, () => Promise<Retained>>>>
    /** Deletes expired rows. Part of the daily cleanup. */
    prune?(host: Host): Promise<readonly Statement[]>
    /** Agent tools, in the order in which models see them. */
    tools?(): Promise<readonly Tool[]>
    /** Tools that belong to the caller, such as workflows that they expose. */
    caller_tools?(context: Pick<Context, 'sql' | 'caller'>): Promise<readonly Tool[]>
    /** Tools that an agent has by its own settings, such as those of the tool servers that it lists. */
    agent_tools?(host: Host, agent: Agent): Promise<readonly Tool[]>
    /** Allows, denies or changes a tool call or message before it happens; see `passGates`. */
    gate?(context: Context, intent: Intent): Promise<Verdict>
    /** Whether references in bodies name things of this area; see `references.ts`. */
    references?: Readonly<Partial<Record<ReferenceKind, ReferenceCheck>>>
    /** Further statements when a thing of another area is deleted, by its kind. */
    removed?: Readonly<Partial<Record<ReferenceKind, (id: string) => readonly Statement[]>>>
    /** What waits for the caller's answer; see `inbox.ts`. */
    waiting?(context: Context): Promise<readonly Waiting[]>
    /** The caller's automations; see `automation.ts`. */
    automations?(context: Context): Promise<readonly Automation[]>
    /** The caller's runs, the latest first; see `run-summary.ts`. */
    runs?(context: Context, filter: RunsFilter): Promise<readonly ListedRun[]>
    /** Texts that a person typed elsewhere for the work of a conversation, such as the description of its project. */
    typed_texts?(context: Context, conversation: { project_id: string | null }): Promise<readonly string[]>
    /** Loaders of what scheduled jobs can start in this area, by kind. */
    targets?: Readonly<Partial<Record<TargetKind, () => Promise<Target>>>>
  }
}

export type { Area }

export const defineArea = <Definition extends Area>(area: Definition): Definition => area
