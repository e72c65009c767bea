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
import { files } from './0011-files.ts'
import { chatSearch } from './0012-chat-search.ts'
import { memoryVectors } from './0013-memory-vectors.ts'
import { memoryGraph } from './0014-memory-graph.ts'
import { memoryCare } from './0015-memory-care.ts'
import { scheduler } from './0016-scheduler.ts'
import { browser } from './0017-browser.ts'
import { clusters } from './0018-clusters.ts'
import { schedulerChains } from './0019-scheduler-chains.ts'
import { browserRecordings } from './0020-browser-recordings.ts'
import { memorySigns } from './0021-memory-signs.ts'
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
  files,
  chatSearch,
  memoryVectors,
  memoryGraph,
  memoryCare,
  scheduler,
  browser,
  clusters,
  schedulerChains,
  browserRecordings,
  memorySigns,
]
