import { foundation } from './0001-foundation.ts'
import { auth } from './0002-auth.ts'
import { settings } from './0003-settings.ts'
import { providers } from './0004-providers.ts'
import { agents } from './0005-agents.ts'
import { chat } from './0006-chat.ts'
import { memory } from './0007-memory.ts'
import { usage } from './0008-usage.ts'
import { toolServers } from './0009-tool-servers.ts'
import { checkIns } from './0010-check-ins.ts'
import type { Migration } from './migration.ts'

/** Every step of the schema, in order. */
export const migrations: readonly Migration[] = [
  foundation,
  auth,
  settings,
  providers,
  agents,
  chat,
  memory,
  usage,
  toolServers,
  checkIns,
]
