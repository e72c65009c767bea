import { approvalExpiry } from '../chat/approval-expiry.ts'
import { chatTurn } from '../chat/turn/turn.ts'
import type { WorkKind } from './kind.ts'

const kinds: readonly WorkKind[] = [chatTurn, approvalExpiry]

/** The only list of kinds of work. */
export const workKinds: ReadonlyMap<string, WorkKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
