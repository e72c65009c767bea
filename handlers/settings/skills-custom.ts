import { z } from 'zod'
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

const params = z.object({ id: z.string() })

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills/custom',
  summary: 'The skills that people wrote here',
  query: pageQuery(),
  returns: listOf('skills', CustomSkill),
  async run({ query }, context) {
    return Response.json(await listCustomSkills(context, query))
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
    return Response.json(await addSkill(context, body), { status: 201 })
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/skills/custom/{id}',
  summary: 'Read a skill',
  params,
  returns: CustomSkill,
  async run({ params }, context) {
    return Response.json(await requireCustomSkill(context, params.id))
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/skills/custom/{id}',
  summary: 'Change a skill',
  params,
  body: SkillChanges,
  returns: CustomSkill,
  async run({ params, body }, context) {
    return Response.json(await changeSkill(context, params.id, body))
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/settings/skills/custom/{id}',
  summary: 'Delete a skill',
  params,
  returns: Deleted,
  async run({ params }, context) {
    await removeSkill(context, params.id)
    return Response.json({ deleted: true, id: params.id })
  },
})

export const toggle = endpoint({
  method: 'POST',
  path: '/api/settings/skills/custom/{id}/toggle',
  summary: 'Switch a skill on or off',
  params,
  body: Toggle,
  body_optional: true,
  returns: CustomSkill,
  async run({ params, body }, context) {
    return Response.json(await toggleSkill(context, params.id, body.enabled))
  },
})
