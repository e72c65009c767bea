import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import type { Message } from '../schema.ts'
import type { Recalled } from './recalled.ts'
import type { Turn } from './state.ts'

declare module '../../host.ts' {
  interface Area {
    /** Loads the memory of turns. */
    turn_memory?(): Promise<TurnMemory>
  }
}

/** The beginning of a turn, for which memories are looked up while the rest is prepared. */
export type TurnStart = Pick<Turn, 'context' | 'conversation' | 'agent' | 'message'>

/** Memory for turns. No function throws if the memory fails: the answer is made without it. */
export interface TurnMemory {
  /** Looks up memories for the prompt of the whole turn, once. */
  remember(start: TurnStart): Promise<Recalled[]>
  /** Records in the answer which were recalled, and returns those to use. */
  noteRecalled(turn: Turn, recalled: readonly Recalled[]): Promise<readonly Recalled[]>
  /** The memories that the prompts of answers had, by answer. */
  reload(turn: Turn, answers: readonly Message[]): Promise<ReadonlyMap<string, Recalled[]>>
  /** Statements for the last commit of an answer. Called before the message is stored: it is changed there. */
  keep(turn: Turn): Promise<Statement[]>
}

const memoriesOf = ({ areas }: Pick<Host, 'areas'>): Promise<TurnMemory[]> =>
  Promise.all(areas.flatMap((area) => area.turn_memory?.() ?? []))

/** Looks up memories; call the result to have them and to record them in the answer. */
export function remember(start: TurnStart): (turn: Turn) => Promise<Recalled[]> {
  const recalling = memoriesOf(start.context).then((memories) =>
    Promise.all(memories.map(async (memory) => ({ memory, recalled: await memory.remember(start) }))),
  )
  recalling.catch(() => {
    // The turn may fail first.
  })
  return async (turn) => {
    const noted: Recalled[] = []
    for (const { memory, recalled } of await recalling) noted.push(...(await memory.noteRecalled(turn, recalled)))
    return noted
  }
}

/** Reads the memories of the answers that the turn has not read yet. */
export async function recallFor(turn: Turn, messages: readonly Message[]): Promise<void> {
  const missing = messages.filter(
    ({ id, parts }) => !turn.recalled.has(id) && parts.some(({ type }) => type === 'recall'),
  )
  if (missing.length === 0) return
  const read = await Promise.all((await memoriesOf(turn.context)).map((memory) => memory.reload(turn, missing)))
  turn.recalled = new Map([...turn.recalled, ...read.flatMap((memories) => [...memories])])
}

export const keepInMemory = async (turn: Turn): Promise<Statement[]> =>
  (await Promise.all((await memoriesOf(turn.context)).map((memory) => memory.keep(turn)))).flat()
