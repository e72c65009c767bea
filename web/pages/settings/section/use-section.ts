import { useMutation, useQueryClient } from '@tanstack/react-query'
import { fieldErrors } from '../../../api/error.ts'
import type { SectionChange, SectionName, SectionValues } from '../../../api/settings.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'

/** How a form of a section saves one member, and what was wrong with the last one. */
export interface SectionState {
  save(path: readonly string[], value: unknown): void
  /** By dotted path. */
  errors: Record<string, string>
}

export function useSection(name: SectionName): SectionState {
  const api = useApi()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (body: SectionValues) => api.put(`/api/settings/${name}`, { body: body as SectionChange }),
    meta: { shown: true },
    onSuccess(saved) {
      queries.setQueryData([`/api/settings/${name}`, {}], saved)
      announce('Saved')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
  return {
    errors: fieldErrors(change.error),
    save: (path, value) => change.mutate(nested(path, value)),
  }
}

const nested = (path: readonly string[], value: unknown): SectionValues =>
  path.reduceRight<unknown>((inner, member) => ({ [member]: inner }), value) as SectionValues

/** The message for a member, or for a part of it. */
export function errorAt(errors: Record<string, string>, path: readonly string[]): string | undefined {
  const key = path.join('.')
  const found = Object.entries(errors).find(([at]) => at === key || at.startsWith(`${key}.`))
  return found?.[1]
}
