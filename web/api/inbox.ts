import { useEndpoint } from './query.ts'

/** All that waits for the person, in every area. */
export const useInbox = () => useEndpoint('/api/inbox')

/** The one number of the inbox: on Home, in the navigation and in the title. */
export const useWaitingCount = (): number => useInbox().data?.total ?? 0
