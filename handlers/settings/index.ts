import * as avatar from './avatar.ts'
import * as backups from './backups.ts'
import * as general from './general.ts'
import * as mcp from './mcp.ts'
import * as memory from './memory.ts'
import { sections } from './sections.ts'
import * as skills from './skills.ts'
import * as storage from './storage.ts'

export const settings = [
  ...Object.values(general),
  ...Object.values(sections).flatMap(({ show, update }) => [show, update]),
  ...Object.values(avatar),
  ...Object.values(backups),
  ...Object.values(memory),
  ...Object.values(storage),
  ...Object.values(skills),
  ...Object.values(mcp),
]
