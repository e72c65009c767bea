import { z } from 'zod'
import { latestJob, startInstall } from '../../runtime/features/install.ts'
import { featureList } from '../../runtime/features/list.ts'
import { packState, packStates, planPack, requirePack } from '../../runtime/features/packs.ts'
import { FeatureList, InstallPlan, InstallStatus, JobStarted, Pack } from '../../runtime/features/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint('GET /api/features', {
  owner: 'shared',
  summary: 'List what this installation can do, and how it was installed',
  returns: FeatureList,
  run: (_, context) => featureList(context),
})

export const listPacks = endpoint('GET /api/features/packs', {
  owner: 'shared',
  summary: 'List packs with their installed versions',
  returns: z.object({ packs: z.array(Pack) }),
  run: async (_, context) => ({ packs: await packStates(context) }),
})

export const plan = endpoint('GET /api/features/packs/{id}/plan', {
  summary: 'Preview the installation of a pack: a dry run of the package manager',
  access: 'admin',
  returns: InstallPlan,
  run: ({ params }, context) => planPack(context, params.id),
})

export const install = endpoint('POST /api/features/packs/{id}/install', {
  summary: 'Install a pack; no restart is needed',
  access: 'admin',
  returns: JobStarted,
  status: 202,
  run: async ({ params }, context) => ({ job: await startInstall(context, params.id) }),
})

export const status = endpoint('GET /api/features/packs/{id}/install', {
  owner: 'shared',
  summary: 'Get the latest installation of a pack, and its installed versions',
  returns: InstallStatus,
  async run({ params }, context) {
    const pack = requirePack(params.id)
    const job = await latestJob(context, pack.id)
    return { job, pack: await packState(context, pack) }
  },
})

export const features = [list, listPacks, plan, install, status]
