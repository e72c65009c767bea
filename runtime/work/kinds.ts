import type { WorkKind } from './kind.ts'

/** Kinds of work by name. A `Map` is one too. */
export interface WorkKinds {
  get(kind: string): WorkKind | undefined | Promise<WorkKind | undefined>
}

/** The only list of kinds of work, and where each lives: it is loaded when its first unit is due. */
export const places: Readonly<Record<string, () => Promise<WorkKind>>> = {
  'browser.replay': async () => (await import('../browser/recordings/replay-work.ts')).browserReplay,
  'chat.approval_expiry': async () => (await import('../chat/approvals.ts')).approvalExpiry,
  'chat.check_in': async () => (await import('../chat/check-in-delivery.ts')).checkInDelivery,
  'chat.title': async () => (await import('../chat/title-work.ts')).chatTitle,
  'chat.turn': async () => (await import('../chat/turns.ts')).chatTurn,
  'features.install': async () => (await import('../features/install.ts')).packInstall,
  'memory.capture': async () => (await import('../memory/capture/capture.ts')).capture,
  'memory.index': async () => (await import('../memory/retrieval/index-work.ts')).memoryIndex,
  'memory.job': async () => (await import('../memory/jobs/work.ts')).memoryJob,
  'memory.nightly': async () => (await import('../memory/jobs/nightly.ts')).nightly,
  'memory.retention': async () => (await import('../memory/care/retention.ts')).retention,
  'scheduler.catchup': async () => (await import('../scheduler/begin.ts')).catchUpBegin,
  'scheduler.chain': async () => (await import('../scheduler/chains/follow.ts')).chainFollow,
  'scheduler.delivery': async () => (await import('../scheduler/delivery/delivery.ts')).delivery,
  'scheduler.end': async () => (await import('../scheduler/end.ts')).runEnd,
  'scheduler.run': async () => (await import('../scheduler/begin.ts')).runBegin,
  'scheduler.stop': async () => (await import('../scheduler/stop.ts')).runStop,
}

/** One that is in the list. */
export async function requireKind(name: string): Promise<WorkKind> {
  const kind = await places[name]?.()
  if (!kind) throw new Error(`No kind of work is called ${name}`)
  return kind
}

export const workKinds: WorkKinds = {
  get: (kind) => (Object.hasOwn(places, kind) ? places[kind]?.() : undefined),
}
