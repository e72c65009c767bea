import { z } from 'zod'
import { latestJob, startInstall } from '../../runtime/features/install.ts'
import { featureList } from '../../runtime/features/list.ts'
import { packState, packStates, planPack, requirePack } from '../../runtime/features/packs.ts'
import { FeatureList, InstallPlan, InstallStatus, JobStarted, Pack } from '../../runtime/features/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/features',
  owner: 'house',
  summary: 'List what this installation can do, and how it was installed',
  returns: FeatureList,
  async run(_, context) {
    return featureList(context)
  },
})

export const listPacks = endpoint({
  method: 'GET',
  path: '/api/features/packs',
  owner: 'house',
  summary: 'List packs with their installed versions',
  returns: z.object({ packs: z.array(Pack) }),
  async run(_, context) {
    return { packs: await packStates(context) }
  },
})

export const plan = endpoint({
  method: 'GET',
  path: '/api/features/packs/{id}/plan',
  summary: 'Preview the installation of a pack: a dry run of the package manager',
  access: 'admin',
  returns: InstallPlan,
  async run({ params }, context) {
    return planPack(context, params.id)
  },
})

export const install = endpoint({
  method: 'POST',
  path: '/api/features/packs/{id}/install',
  summary: 'Install a pack; it works without a restart',
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
  owner: 'house',
  summary: 'Get the latest installation of a pack, and its installed versions',
  returns: InstallStatus,
  async run({ params }, context) {
    const pack = requirePack(params.id)
    const job = await latestJob(context, pack.id)
    return { job, pack: await packState(context, pack) }
  },
})

export const features = [list, listPacks, plan, install, status]
