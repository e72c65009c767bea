import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as agent from './agent.ts'
import * as all from './all.ts'
import * as avatar from './avatar.ts'
import * as browser from './browser.ts'
import * as email from './email.ts'
import * as looks from './interface.ts'
import * as mcp from './mcp.ts'
import * as mcpCatalog from './mcp-catalog.ts'
import * as mcpConnection from './mcp-connection.ts'
import * as mcpServing from './mcp-serving.ts'
import * as memory from './memory.ts'
import * as proactive from './proactive.ts'
import * as profile from './profile.ts'
import * as reset from './reset.ts'
import * as security from './security.ts'
import * as skills from './skills.ts'
import * as customSkills from './skills-custom.ts'
import * as strategy from './strategy.ts'
import * as transfer from './transfer.ts'

/** `…/mcp/catalog` stands before `…/mcp/{id}`, which would take it for an id. */
const resources = [
  all,
  profile,
  avatar,
  agent,
  looks,
  security,
  strategy,
  proactive,
  email,
  memory,
  browser,
  reset,
  transfer,
  skills,
  customSkills,
  mcpCatalog,
  mcp,
  mcpConnection,
  mcpServing,
]

export const settings: Endpoint[] = resources.flatMap((resource): Endpoint[] => Object.values(resource))
