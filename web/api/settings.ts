import { queryOptions } from '@tanstack/react-query'
import type { Api, InputOf } from './client.ts'
import { endpointQuery, useEndpoint } from './query.ts'

export const profileQuery = (api: Api) => endpointQuery(api, '/api/settings/profile')

export const useProfile = () => useEndpoint('/api/settings/profile')

/** The name of the person who is signed in. */
export function useMyName(): string {
  const profile = useProfile().data
  const user = useEndpoint('/api/auth/me').data?.user
  return profile?.display_name || user?.display_name || user?.username || 'You'
}

export const useInterfaceSettings = () => useEndpoint('/api/settings/interface')

/** An object URL for an image of the daemon, because `<img>` cannot send the credential. */
export const pictureQuery = (api: Api, url: string) =>
  queryOptions({
    queryKey: ['pictures', url],
    // `url` may be any file of the daemon; it is typed as this path, which takes no input.
    queryFn: async () => URL.createObjectURL(await (await api.open('GET', url as '/api/settings')).blob()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })

/** The sections whose forms are made from their schemas. */
export type SectionName =
  | 'agent'
  | 'backup'
  | 'browser'
  | 'browser_profile'
  | 'dispatcher'
  | 'email'
  | 'interface'
  | 'memory'
  | 'proactive'
  | 'retention'
  | 'sandbox'
  | 'security'
  | 'strategy'

export type SettingsFile = InputOf<'POST', '/api/settings/import'>['body']

export type SectionChange = InputOf<'PUT', `/api/settings/${SectionName}`>['body']
