import { approvalExpiry } from '../chat/approval-expiry.ts'
import { checkInDelivery } from '../chat/check-ins/deliver.ts'
import { chatTurn } from '../chat/turn/turn.ts'
import { packInstall } from '../features/install.ts'
import { memoryIndex } from '../memory/retrieval/index-work.ts'
import type { WorkKind } from './kind.ts'

const kinds: readonly WorkKind[] = [chatTurn, approvalExpiry, checkInDelivery, packInstall, memoryIndex]

/** The only list of kinds of work. */
export const workKinds: ReadonlyMap<string, WorkKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
