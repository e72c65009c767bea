import { useMutation, useQueryClient } from '@tanstack/react-query'
import { restoreEpisode } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'

/** Brings back one version, or without one what was there before the last change. */
export function useRestore(id: string) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (version?: number) => restoreEpisode(api, id, version),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['memory'] })
      announce('It is back as it was')
    },
  })
}
