import { useEndpoint } from '../../api/query.ts'

/** Whether the user may change alerts. */
export const useMayChange = () => useEndpoint('/api/auth/me').data?.scopes.includes('admin') ?? false
