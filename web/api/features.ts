import type { Api } from './client.ts'
import { endpointQuery } from './query.ts'

export type {
  Feature,
  FeatureList,
  InstallJob,
  InstallPlan,
  InstallStatus,
  Pack,
} from '../../runtime/features/schema.ts'

export const featuresQuery = (api: Api) => endpointQuery(api, '/api/features')

export const installQuery = (api: Api, id: string) =>
  endpointQuery(api, '/api/features/packs/{id}/install', { params: { id } })

/** A dry run takes seconds and asks the package registry, so events do not refresh it. */
export const planQuery = (api: Api, id: string) => ({
  ...endpointQuery(api, '/api/features/packs/{id}/plan', { params: { id } }, { staleTime: 0 }),
  queryKey: ['feature-plan', id],
})

export const startInstall = (api: Api, id: string) =>
  api.post('/api/features/packs/{id}/install', { params: { id } })
