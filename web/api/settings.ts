import { queryOptions, useQuery } from '@tanstack/react-query'
import type { EmailTest } from '../../runtime/settings/email.ts'
import type { ImportResult } from '../../runtime/settings/import.ts'
import type { InterfaceSettings } from '../../runtime/settings/interface.ts'
import type { Profile } from '../../runtime/settings/profile.ts'
import { useApi } from '../app/services.tsx'
import type { Api } from './client.ts'

export type { EmailTest, ImportResult, InterfaceSettings, Profile }

/** The endpoints of sections are generated, so the type of a section is given here. */
const sectionOf = <Values>(api: Api, name: string) =>
  queryOptions({
    queryKey: [`/api/settings/${name}`, 'section'],
    queryFn: ({ signal }) => api.get<Values>(`/api/settings/${name}`, {}, signal),
  })

export const profileQuery = (api: Api) => sectionOf<Profile>(api, 'profile')

export const useProfile = () => useQuery(profileQuery(useApi()))

export const useInterfaceSettings = () => useQuery(sectionOf<InterfaceSettings>(useApi(), 'interface'))

/** An object URL for an image of the daemon, because `<img>` cannot send the credential. */
export const pictureQuery = (api: Api, url: string) =>
  queryOptions({
    queryKey: ['pictures', url],
    queryFn: async () => URL.createObjectURL(await (await api.raw('GET', url)).blob()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })

/** The JSON Schema of a setting, with the metadata of its form field. */
export interface MemberSchema {
  type?: string
  title?: string
  description?: string
  unit?: string
  format?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  maxLength?: number
  anyOf?: MemberSchema[]
  properties?: Record<string, MemberSchema>
}

export type SectionValues = Record<string, unknown>

export const settingsSchemaQuery = (api: Api) =>
  queryOptions({
    queryKey: ['/api/settings/schema'],
    queryFn: ({ signal }) => api.get<Record<string, MemberSchema>>('/api/settings/schema', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const sectionQuery = (api: Api, name: string) => sectionOf<SectionValues>(api, name)
