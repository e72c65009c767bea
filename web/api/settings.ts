import { queryOptions } from '@tanstack/react-query'
import type { EmailTest } from '../../runtime/settings/email.ts'
import type { ImportResult } from '../../runtime/settings/import.ts'
import type { InterfaceSettings } from '../../runtime/settings/interface.ts'
import type { Profile } from '../../runtime/settings/profile.ts'
import type { Api } from './client.ts'

export type { EmailTest, ImportResult, InterfaceSettings, Profile }

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

/** The JSON Schema of a member, with what a form needs to know. */
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
    queryKey: ['settings', 'schema'],
    queryFn: ({ signal }) => api.get<Record<string, MemberSchema>>('/api/settings/schema', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const sectionQuery = (api: Api, name: string) =>
  queryOptions({
    queryKey: ['settings', 'section', name],
    queryFn: ({ signal }) => api.get<SectionValues>(`/api/settings/${name}`, {}, signal),
  })

export const interfaceQuery = (api: Api) =>
  queryOptions({
    queryKey: ['settings', 'section', 'interface'],
    queryFn: ({ signal }) => api.get<InterfaceSettings>('/api/settings/interface', {}, signal),
  })
