import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'
import {
  addSkill,
  changeSkill,
  listCustomSkills,
  removeSkill,
  requireCustomSkill,
  toggleSkill,
} from '../../runtime/settings/skills/custom.ts'
import { CustomSkill, NewSkill, SkillChanges, Toggle } from '../../runtime/settings/skills/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills/custom',
  summary: 'The skills that people wrote here',
  query: pageQuery(),
  returns: listOf('skills', CustomSkill),
  async run({ query }, context) {
    return listCustomSkills(context, query)
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/settings/skills/custom',
  summary: 'Add a skill from its SKILL.md',
  body: NewSkill,
  returns: CustomSkill,
  status: 201,
  async run({ body }, context) {
    return addSkill(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/skills/custom/{id}',
  summary: 'Read a skill',
  returns: CustomSkill,
  async run({ params }, context) {
    return requireCustomSkill(context, params.id)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/skills/custom/{id}',
  summary: 'Change a skill',
  body: SkillChanges,
  returns: CustomSkill,
  async run({ params, body }, context) {
    return changeSkill(context, params.id, body)
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/settings/skills/custom/{id}',
  summary: 'Delete a skill',
  returns: Deleted,
  async run({ params }, context) {
    await removeSkill(context, params.id)
    return { deleted: true, id: params.id }
  },
})

export const toggle = endpoint({
  method: 'POST',
  path: '/api/settings/skills/custom/{id}/toggle',
  summary: 'Switch a skill on or off',
  body: Toggle,
  body_optional: true,
  returns: CustomSkill,
  async run({ params, body }, context) {
    return toggleSkill(context, params.id, body.enabled)
  },
})
