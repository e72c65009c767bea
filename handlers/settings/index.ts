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
export const settings = [
  ...Object.values(all),
  ...Object.values(profile),
  ...Object.values(avatar),
  ...Object.values(agent),
  ...Object.values(looks),
  ...Object.values(security),
  ...Object.values(strategy),
  ...Object.values(proactive),
  ...Object.values(email),
  ...Object.values(memory),
  ...Object.values(browser),
  ...Object.values(reset),
  ...Object.values(transfer),
  ...Object.values(skills),
  ...Object.values(customSkills),
  ...Object.values(mcpCatalog),
  ...Object.values(mcp),
  ...Object.values(mcpConnection),
  ...Object.values(mcpServing),
]
