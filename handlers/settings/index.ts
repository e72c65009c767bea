import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as all from './all.ts'
import * as avatar from './avatar.ts'
import * as profile from './profile.ts'
import * as skills from './skills.ts'
import * as customSkills from './skills-custom.ts'

export const settings: Endpoint[] = [all, profile, avatar, skills, customSkills].flatMap((resource) =>
  Object.values(resource),
)
