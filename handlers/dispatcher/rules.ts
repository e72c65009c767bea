import { deleteRule } from '../../runtime/dispatcher/dispatch.ts'
import { OwnRule } from '../../runtime/dispatcher/schema.ts'
import { ownRules } from '../../runtime/dispatcher/store.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'

export const listRules = endpoint({
  method: 'GET',
  path: '/api/dispatcher/rules',
  summary: 'List the rules that your corrections have made, newest first',
  query: pageQuery(),
  returns: listOf('rules', OwnRule),
  async run({ query: { limit, offset } }, context) {
    const rules = await ownRules(context)
    return { rules: rules.slice(offset, offset + limit), total: rules.length, limit, offset }
  },
})

export const removeRule = endpoint({
  method: 'DELETE',
  path: '/api/dispatcher/rules/{id}',
  summary: 'Delete a rule: sentences like its own are decided without it',
  returns: Deleted,
  async run({ params }, context) {
    await deleteRule(context, params.id)
    return { deleted: true as const, id: params.id }
  },
})
