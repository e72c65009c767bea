import { z } from 'zod'
import { latestJob } from '../../runtime/features/job.ts'
import { packState, packStates, requirePack } from '../../runtime/features/pack-state.ts'
import { planPack } from '../../runtime/features/plan.ts'
import { InstallPlan, InstallStatus, JobStarted, Pack } from '../../runtime/features/schema.ts'
import { startInstall } from '../../runtime/features/start-install.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/features/packs',
  summary: 'Packs, and what of them is installed',
  returns: z.object({ packs: z.array(Pack) }),
  async run(_, context) {
    return { packs: await packStates(context) }
  },
})

export const plan = endpoint({
  method: 'GET',
  path: '/api/features/packs/{id}/plan',
  summary: 'What installing a pack would do: a dry run of the package manager',
  access: 'admin',
  returns: InstallPlan,
  async run({ params }, context) {
    return planPack(context, params.id)
  },
})

export const install = endpoint({
  method: 'POST',
  path: '/api/features/packs/{id}/install',
  summary: 'Install a pack, beside everything else; it can be used without a restart',
  access: 'admin',
  returns: JobStarted,
  status: 202,
  async run({ params }, context) {
    return { job: await startInstall(context, params.id) }
  },
})

export const status = endpoint({
  method: 'GET',
  path: '/api/features/packs/{id}/install',
  summary: 'The latest installation of a pack, and what is there of it',
  returns: InstallStatus,
  async run({ params }, context) {
    const pack = requirePack(params.id)
    const job = await latestJob(context, pack.id)
    return { job, pack: await packState(context, pack) }
  },
})
