import type { Endpoint } from '../runtime/http/endpoint.ts'
import type { SocketEndpoint } from '../runtime/http/socket.ts'
import { auth } from './auth/index.ts'
import { settings } from './settings/index.ts'

/** Every endpoint there is. The router, the documents, the typed client and the auth matrix derive from it. */
export const endpoints: Endpoint[] = [...auth, ...settings]

export const sockets: SocketEndpoint[] = []
