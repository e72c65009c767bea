import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { conflict, type Fault } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import { insertWork } from '../work/store.ts'
import { installKind, jobOf, latestJob } from './job.ts'
import { liveInstalls } from './live.ts'
import { requirePack, requireSupported } from './pack-state.ts'
import type { InstallJob } from './schema.ts'
import { onlyOne, openInstall } from './store.ts'

/** Begins the installation of a pack; a 409 with the running job when there is one, of whatever pack. */
export async function startInstall(context: Context, pack_id: string): Promise<InstallJob> {
  requireSupported(context, requirePack(pack_id))
  const { id, statement } = insertWork(context, { kind: installKind, subject: pack_id })
  try {
    await context.commit([
      statement,
      onlyOne(installKind, id),
      auditStatement(context, { action: 'feature.install', target: pack_id }),
    ])
  } catch (thrown) {
    if (thrown instanceof GuardFailed) throw await alreadyRunning(context)
    throw thrown
  }
  context.process.wake()
  const job = await latestJob(context, pack_id)
  if (!job) throw conflict('The installation was forgotten in this very moment')
  return job
}

async function alreadyRunning(context: Context): Promise<Fault> {
  const work = await openInstall(context, installKind)
  const job = work && jobOf(work, liveInstalls(context).of(work.id))
  return conflict('An installation is running already', { job })
}
