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

/** A dry run takes seconds and asks the package registry, so events do not refresh it. */
export const planQuery = (api: Api, id: string) => ({
  ...endpointQuery(api, '/api/features/packs/{id}/plan', { params: { id } }, { staleTime: 0 }),
  queryKey: ['feature-plan', id],
})
