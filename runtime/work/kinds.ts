import { browserReplay } from '../browser/recordings/replay-work.ts'
import { approvalExpiry } from '../chat/approval-expiry.ts'
import { checkInDelivery } from '../chat/check-ins/deliver.ts'
import { chatTitle } from '../chat/title-work.ts'
import { chatTurn } from '../chat/turn/turn.ts'
import { packInstall } from '../features/install.ts'
import { capture } from '../memory/capture/capture.ts'
import { retention } from '../memory/care/retention.ts'
import { nightly } from '../memory/jobs/nightly.ts'
import { memoryJob } from '../memory/jobs/work.ts'
import { memoryIndex } from '../memory/retrieval/index-work.ts'
import { catchUpBegin, runBegin } from '../scheduler/begin.ts'
import { chainFollow } from '../scheduler/chains/follow.ts'
import { delivery } from '../scheduler/delivery/delivery.ts'
import { runEnd } from '../scheduler/end.ts'
import { runStop } from '../scheduler/stop.ts'
import type { WorkKind } from './kind.ts'

const kinds: readonly WorkKind[] = [
  chatTurn,
  chatTitle,
  approvalExpiry,
  checkInDelivery,
  packInstall,
  memoryIndex,
  memoryJob,
  nightly,
  capture,
  retention,
  runBegin,
  catchUpBegin,
  runEnd,
  runStop,
  delivery,
  chainFollow,
  browserReplay,
]

/** The only list of kinds of work. */
export const workKinds: ReadonlyMap<string, WorkKind> = new Map(kinds.map((kind) => [kind.kind, kind]))
