import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/settings/section.ts'
import { sections } from '../../runtime/settings/sections.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/settings',
  summary: 'Read every section of the settings',
  returns: z.object(Object.fromEntries(sections.map(({ name, schema }) => [name, schema]))),
  async run(_, context) {
    const values = sections.map(async (section) => [section.name, await readSection(context, section)])
    return Response.json(Object.fromEntries(await Promise.all(values)))
  },
})
