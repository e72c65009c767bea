import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { type InstallOptions, PackageError } from '../ports/packages.ts'
import { second } from '../time.ts'
import type { WorkEnding, WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { cut, installKind, jobOf, jobUpdated } from './job.ts'
import { addLine, type LiveInstall, liveInstalls } from './live.ts'
import { requirePack } from './pack-state.ts'

/** Milliseconds between two announcements within one phase. */
const pace = 0.5 * second

/** Runs the package manager. What is cut by a stop or a crash is over: nothing was changed, and a person asks again. */
export const packInstall: WorkKind = {
  kind: installKind,
  max_running: 1,
  timeout_seconds: 1_800,
  after_crash: 'lose',
  run: install,
  async ended(work, _, context) {
    liveInstalls(context).end(work.id)
    return told(work, context, 'failed', { error: cut })
  },
}

async function install(work: Work, context: Context): Promise<WorkOutcome> {
  const installs = liveInstalls(context)
  const live = installs.begin(work.id)
  const pack = requirePack(work.subject)
  try {
    const { changed } = await context.packages.install(pack.packages, listening(context, work, live))
    const output = { packages: pack.packages, changed, ...live }
    const { events = [] } = told(work, context, 'succeeded', output)
    const data = { pack_id: pack.id, packages: pack.packages.slice() }
    return {
      status: 'succeeded',
      output,
      events: changed ? [...events, event('feature.installed', data)] : events,
      announce: () => installs.end(work.id),
    }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    if (!(thrown instanceof PackageError))
      context.log.write('error', 'a pack was not installed', { cause: thrown })
    const error =
      thrown instanceof PackageError ? thrown.message : 'It could not be installed; the log has the details'
    const output = { error, ...live }
    return {
      status: 'failed',
      output,
      ...told(work, context, 'failed', output),
      announce: () => installs.end(work.id),
    }
  }
}

/** The end of a job, announced with its row. */
function told(
  work: Work,
  context: Context,
  status: Work['status'],
  outcome: Record<string, unknown>,
): WorkEnding {
  const ended = { ...work, status, outcome, finished_at: new Date(context.clock.now()).toISOString() }
  return { events: [jobUpdated(jobOf(ended))] }
}

/** Keeps what the package manager says, and tells it at a pace that one can read. */
function listening(context: Context, work: Work, live: LiveInstall): InstallOptions {
  let told = 0
  const tell = () => {
    told = context.clock.now()
    void context.commit([], [jobUpdated(jobOf(work, live))]).catch((cause: unknown) => {
      context.log.write('warn', 'progress could not be told', { cause })
    })
  }
  return {
    signal: context.signal,
    onLog: (line) => addLine(live, line),
    onProgress(progress) {
      const next = progress.phase !== live.progress.phase
      live.progress = progress
      if (next || context.clock.now() - told >= pace) tell()
    },
  }
}
