import { chatTurn } from '../chat/turn.ts'
import type { WorkKind } from './kind.ts'

/** The only list of kinds of work. */
export const workKinds: ReadonlyMap<string, WorkKind> = new Map([chatTurn].map((kind) => [kind.kind, kind]))
