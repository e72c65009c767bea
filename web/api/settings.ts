import { queryOptions } from '@tanstack/react-query'
import type { Profile } from '../../runtime/settings/profile.ts'
import type { Api } from './client.ts'

export type { Profile }

export const profileQuery = (api: Api) =>
  queryOptions({
    queryKey: ['profile'],
    queryFn: ({ signal }) => api.get<Profile>('/api/settings/profile', {}, signal),
  })

/** A picture of the daemon as an address for `<img>`, which cannot send a credential itself. */
export const pictureQuery = (api: Api, url: string) =>
  queryOptions({
    queryKey: ['pictures', url],
    queryFn: async () => URL.createObjectURL(await (await api.raw('GET', url)).blob()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
