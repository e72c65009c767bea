import type { Endpoint } from '../runtime/http/endpoint.ts'
import type { SocketEndpoint } from '../runtime/http/socket.ts'
import { agents } from './agents/index.ts'
import { auth } from './auth/index.ts'
import { browser, stream } from './browser/index.ts'
import { chat } from './chat/index.ts'
import { features } from './features/index.ts'
import { files } from './files/index.ts'
import { memory } from './memory/index.ts'
import { apiIndex, monitoring } from './monitoring/index.ts'
import { providers } from './providers/index.ts'
import { scheduler } from './scheduler/index.ts'
import { settings } from './settings/index.ts'
import { events, system } from './system/index.ts'

/** Every endpoint there is. The router, the documents, the typed client and the auth matrix derive from it. */
export const endpoints: Endpoint[] = [
  ...auth,
  ...settings,
  ...agents,
  ...chat,
  ...files,
  ...memory,
  ...browser,
  ...features,
  ...providers,
  ...scheduler,
  ...monitoring,
  apiIndex(() => endpoints),
  ...system(() => ({ endpoints, sockets })),
]

export const sockets: SocketEndpoint[] = [events, stream]
