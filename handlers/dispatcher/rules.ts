import { deleteRule } from '../../runtime/dispatcher/dispatch.ts'
import { OwnRule } from '../../runtime/dispatcher/schema.ts'
import { ownRules } from '../../runtime/dispatcher/store.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { removal } from '../../runtime/http/removal.ts'

export const listRules = listing({
  path: '/api/dispatcher/rules',
  summary: 'List the rules that your corrections have made, newest first',
  items: 'rules',
  item: OwnRule,
  async rows(context, { limit, offset }) {
    const rules = await ownRules(context)
    return { rows: rules.slice(offset, offset + limit), total: rules.length }
  },
})

export const removeRule = removal({
  path: '/api/dispatcher/rules/{id}',
  summary: 'Delete a rule; similar sentences are decided without it',
  remove: deleteRule,
})
