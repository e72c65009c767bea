import { deleteRule } from '../../runtime/dispatcher/dispatch.ts'
import { OwnRule } from '../../runtime/dispatcher/schema.ts'
import { ownRules } from '../../runtime/dispatcher/store.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

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

export const removeRule = removal({
  path: '/api/dispatcher/rules/{id}',
  summary: 'Delete a rule: sentences like its own are decided without it',
  remove: deleteRule,
})
