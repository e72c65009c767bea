import { useEndpoint } from '../api/query.ts'

interface Owned {
  owner_id: string
}

/** Returns whether something belongs to the person; those with whom it is shared only look. */
export function useOwnership(): (thing: Owned) => boolean {
  const user = useEndpoint('/api/auth/me').data?.user
  return ({ owner_id }) => !user || user.id === owner_id
}

export const useIsMine = (thing: Owned): boolean => useOwnership()(thing)
