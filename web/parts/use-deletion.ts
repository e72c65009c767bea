import { useLocation } from 'wouter'
import { announce } from './announce.ts'
import { useChange } from './use-change.ts'

interface Deletion {
  /** The address of the collection. */
  path: '/api/loops' | '/api/projects' | '/api/scheduler/chains' | '/api/scheduler/jobs' | '/api/workflows'
  id: string
  name: string
  /** The page of the collection, which is shown afterwards. */
  home: string
  /** Prefixes of addresses that are fetched again. */
  stale?: readonly string[]
}

/** Deletes a thing, and leaves its page. */
export function useDeletion({ path, id, name, home, stale = [path] }: Deletion) {
  const [location, navigate] = useLocation()
  return useChange(
    async (api) => {
      await api.delete(`${path}/{id}` as '/api/loops/{id}', { params: { id } })
      if (location !== home) navigate(home)
    },
    { stale, done: () => announce(`${name} was deleted`) },
  )
}
