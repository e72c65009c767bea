import { queryOptions } from '@tanstack/react-query'
import type {
  Feature,
  FeatureList,
  InstallJob,
  InstallPlan,
  InstallStatus,
  Pack,
} from '../../runtime/features/schema.ts'
import type { Api } from './client.ts'

export type { Feature, FeatureList, InstallJob, InstallPlan, InstallStatus, Pack }

const packPath = (id: string) => `/api/features/packs/${encodeURIComponent(id)}`

export const featuresQuery = (api: Api) =>
  queryOptions({
    queryKey: ['features', 'list'],
    queryFn: ({ signal }) => api.get<FeatureList>('/api/features', {}, signal),
  })

export const installQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['features', 'install', id],
    queryFn: ({ signal }) => api.get<InstallStatus>(`${packPath(id)}/install`, {}, signal),
  })

/** A dry run takes seconds and asks the registry, so it is asked for by a click only. */
export const planQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['feature-plan', id],
    queryFn: ({ signal }) => api.get<InstallPlan>(`${packPath(id)}/plan`, {}, signal),
    staleTime: 0,
  })

export const startInstall = (api: Api, id: string) => api.post<{ job: InstallJob }>(`${packPath(id)}/install`)
